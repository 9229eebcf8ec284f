/** A number with fixed decimals and a true minus; what rounds to zero has no sign. */
export const numeral = (value: number, decimals: number): string => {
  const text = value.toFixed(decimals);
  return /^-[0.]*$/.test(text) ? text.slice(1) : text.replace('-', '−');
};
