/**
 * Numbers as the web UI shows them: with the decimal separator of the browser's language and a true minus. What people copy into
 * programs (CSV, YAML, commands) and what is sent keeps the decimal point and is not made here.
 */
export function numberTexts(locale?: string) {
  const known = new Map<string, Intl.NumberFormat>();
  /** Formatters are dear to make: a chart writes dozens of numbers in each frame. */
  const formatter = (key: string, options: Intl.NumberFormatOptions): Intl.NumberFormat => {
    const found = known.get(key) ?? new Intl.NumberFormat(locale, { useGrouping: false, ...options });
    known.set(key, found);
    return found;
  };
  const write = (format: Intl.NumberFormat, value: number): string => format.format(value).replace('-', '−');
  return {
    /** As many decimals as the quantity has: `0,40`. What rounds to zero has no sign. */
    fixedText: (value: number, decimals: number): string =>
      write(
        formatter(`fixed-${decimals}`, {
          minimumFractionDigits: decimals,
          maximumFractionDigits: decimals,
          signDisplay: 'negative',
        }),
        value,
      ),
    /** At most so many digits that mean something: `0,4`, `12300`. */
    digitsText: (value: number, digits: number): string =>
      write(
        formatter(`digits-${digits}`, { maximumFractionDigits: 20, signDisplay: 'negative' }),
        Number(value.toPrecision(digits)),
      ),
    /** At most so many decimals: `37`, `36,5`. */
    roundText: (value: number, decimals: number): string =>
      write(formatter(`round-${decimals}`, { maximumFractionDigits: decimals, signDisplay: 'negative' }), value),
    /** A number of things, in groups: `12.345`. */
    countText: (count: number): string => write(formatter('count', { useGrouping: true }), count),
    decimalSeparator: new Intl.NumberFormat(locale).format(0.5).charAt(1),
  };
}

export const { fixedText, digitsText, roundText, countText, decimalSeparator } = numberTexts();

/** A number as its sender has it. */
export const valueText = (value: number): string => digitsText(value, 15);

/** A number as people type it: with a decimal point or comma. Not a number: none. */
export const typedNumber = (text: string): number => (text.trim() === '' ? Number.NaN : Number(text.replace(',', '.')));
