import { fixedText } from './number-text.ts';

const units = ['B', 'kB', 'MB', 'GB', 'TB'] as const;

/** A number of bytes for people: `14.2 MB`. */
export function sizeText(bytes: number): string {
  const power = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3));
  const value = bytes / 1000 ** power;
  // Three digits.
  const decimals = power === 0 ? 0 : 2 - Math.floor(Math.log10(value));
  return `${fixedText(value, decimals)} ${units[power]}`;
}
