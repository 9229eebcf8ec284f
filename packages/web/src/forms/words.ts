/** `target_rpm` → `Target rpm` */
export const wordsOf = (name: string): string => {
  const words = name.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
};

/** Units as people write them. */
export const unitText = (unit: string | null | undefined): string | null =>
  unit === undefined || unit === null || unit === '' ? null : unit.replace('℃', '°C');
