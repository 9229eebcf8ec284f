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

/** Whether a numeral of a text is one of these numbers, rounded to its decimals. */
const isOneOf = (numeral: string, numbers: readonly number[]): boolean => {
  const decimals = numeral.length - numeral.indexOf('.') - 1;
  return numbers.some((number) => Math.abs(Math.abs(number) - Number(numeral)) <= 0.5000001 * 10 ** -decimals);
};

/** All numbers of fields, however deep. */
function numbersIn(fields: unknown): readonly number[] {
  if (typeof fields === 'number') return [fields];
  return typeof fields === 'object' && fields !== null ? Object.values(fields).flatMap(numbersIn) : [];
}

/**
 * A sentence of the leader or of a unit, which has a decimal point in every language, with the numbers as people write them: those that
 * come beside it as fields. Others may be versions or addresses, and stay.
 */
export const withLocalNumbers = (text: string, fields: unknown, separator = decimalSeparator): string => {
  if (separator === '.') return text;
  const numbers = numbersIn(fields);
  return text.replace(/(?<![\w.])\d+\.\d+(?!\w|\.\w)/g, (numeral) =>
    isOneOf(numeral, numbers) ? numeral.replace('.', separator) : numeral,
  );
};

/** A number as its sender has it. */
export const valueText = (value: number): string => digitsText(value, 15);

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/**
 * The number that a person means by a text, typed or pasted; undefined: the text is none, or may be two (`1,234` in English is 1234 or 1.234).
 * One separator that cannot group thousands is the decimal separator, whichever it is; `unit` may follow the number.
 */
export function numberFromText(text: string, locale?: string, unit = ''): number | undefined {
  const parts = new Intl.NumberFormat(locale, { useGrouping: true }).formatToParts(1_234_567.8);
  const partOf = (type: string) => parts.find((part) => part.type === type)?.value ?? '';
  const decimal = partOf('decimal') === ',' ? ',' : '.';
  const group = /\s/.test(partOf('group')) ? ' ' : partOf('group');
  const plain = text.replace(/\s+/g, ' ').trim().replace('−', '-');
  const suffix = unit.replace(/\s+/g, ' ').trim();
  const number = (suffix !== '' && plain.endsWith(suffix) ? plain.slice(0, -suffix.length) : plain).trim();
  if (/^[+-]?(?:\d+[.,]?\d*|[.,]\d+)(?:e[+-]?\d+)?$/i.test(number)) {
    const mayBeGroup = decimal === ',' ? /^[+-]?[1-9]\d{0,2}\.\d{3}$/ : /^[+-]?[1-9]\d{0,2},\d{3}$/;
    return mayBeGroup.test(number) ? undefined : finite(Number(number.replace(',', '.')));
  }
  const groups = [...new Set([group, ' '])].filter((each) => each !== '' && each !== decimal).map(escaped);
  const grouped = groups.some((each) =>
    new RegExp(`^[+-]?[1-9]\\d{0,2}(?:${each}\\d{3})+(?:${escaped(decimal)}\\d*)?$`).test(number),
  );
  if (!grouped) return undefined;
  const [whole = '', fraction = ''] = number.split(decimal);
  return finite(Number(`${whole.replace(/[^\d+-]/g, '')}.${fraction}`));
}

const finite = (value: number): number | undefined => (Number.isFinite(value) ? value : undefined);
