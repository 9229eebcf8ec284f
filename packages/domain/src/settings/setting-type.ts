/** The type of a configuration value, as data. Every value is text in the file; an empty value means that the key is not set. */
export type SettingValue =
  | {
      readonly type: 'number' | 'integer';
      readonly min?: number;
      readonly max?: number;
      /** `min` itself is not allowed. */
      readonly excludesMin?: true;
      /** Names that are allowed instead of a number. */
      readonly names?: readonly string[];
    }
  | { readonly type: 'boolean'; readonly names?: readonly string[] }
  | { readonly type: 'choice'; readonly choices: readonly string[] }
  | { readonly type: 'text' | 'host' | 'label' };

type ParsedSetting<Value> =
  | { readonly ok: true; readonly value: Value }
  /** `expected`: the requirement of the value. `nearest`: the valid value to use where an invalid one must not stop the program. */
  | { readonly ok: false; readonly expected: string; readonly nearest?: Value };

/** A type of configuration value: its allowed values, as data, and the conversion of its text. */
export interface SettingType<Value> {
  readonly value: SettingValue;
  parse(text: string): ParsedSetting<Value>;
}

interface NumberRange {
  readonly min?: number;
  readonly max?: number;
  readonly excludesMin?: true;
  /** A value outside the range counts as its nearest limit, also below the minimum (`both`) or only above the maximum. */
  readonly limits?: 'both' | 'max';
}

const trueNames = ['1', 'true', 'yes', 'on'];
const falseNames = ['0', 'false', 'no', 'off'];

const oneOf = (names: readonly string[]): string => `one of ${names.join(', ')}`;

function expectedNumber(type: 'number' | 'integer', { min, max, excludesMin }: NumberRange): string {
  const limits = [
    ...(min === undefined ? [] : [excludesMin ? `above ${min}` : `at least ${min}`]),
    ...(max === undefined ? [] : [`at most ${max}`]),
  ];
  return [type === 'number' ? 'a number' : 'a whole number', limits.join(' and ')].filter(Boolean).join(', ');
}

const numericValue = (type: 'number' | 'integer', { min, max, excludesMin }: NumberRange) => ({
  type,
  ...(min !== undefined && { min }),
  ...(max !== undefined && { max }),
  ...(excludesMin && { excludesMin }),
});

function numeric(type: 'number' | 'integer', range: NumberRange): SettingType<number> {
  const { min, max, excludesMin, limits } = range;
  const [lowest, highest] = [min ?? Number.NEGATIVE_INFINITY, max ?? Number.POSITIVE_INFINITY];
  const expected = expectedNumber(type, range);
  return {
    value: numericValue(type, range),
    parse(text) {
      const value = Number(text);
      if (!Number.isFinite(value)) return { ok: false, expected };
      if (excludesMin ? value <= lowest : value < lowest)
        return { ok: false, expected, ...(limits === 'both' && { nearest: lowest }) };
      if (value > highest) return { ok: false, expected, ...(limits !== undefined && { nearest: highest }) };
      if (type === 'integer' && !Number.isInteger(value)) return { ok: false, expected, nearest: Math.floor(value) };
      return { ok: true, value };
    },
  };
}

export const number = (range: NumberRange = {}): SettingType<number> => numeric('number', range);
export const integer = (range: NumberRange = {}): SettingType<number> => numeric('integer', range);

/** A number, or one of some names. */
export function numberOr<const Name extends string>(
  range: NumberRange,
  names: readonly Name[],
): SettingType<number | Name> {
  const { parse } = number(range);
  return {
    value: { ...numericValue('number', range), names },
    parse(text) {
      const name = names.find((known) => known === text);
      if (name !== undefined) return { ok: true, value: name };
      const parsed = parse(text);
      return parsed.ok ? parsed : { ...parsed, expected: `${parsed.expected}, or ${names.join(' or ')}` };
    },
  };
}

export const boolean: SettingType<boolean> = {
  value: { type: 'boolean' },
  parse(text) {
    const name = text.toLowerCase();
    if (trueNames.includes(name)) return { ok: true, value: true };
    if (falseNames.includes(name)) return { ok: true, value: false };
    return { ok: false, expected: oneOf([...trueNames, ...falseNames]) };
  },
};

/** A boolean, or one of some names. */
export const booleanOr = <const Name extends string>(names: readonly Name[]): SettingType<boolean | Name> => ({
  value: { type: 'boolean', names },
  parse(text) {
    const name = names.find((known) => known === text);
    if (name !== undefined) return { ok: true, value: name };
    const parsed = boolean.parse(text);
    return parsed.ok ? parsed : { ok: false, expected: oneOf([...trueNames, ...falseNames, ...names]) };
  },
});

export const choice = <const Choice extends string>(choices: readonly Choice[]): SettingType<Choice> => ({
  value: { type: 'choice', choices },
  parse(text) {
    const value = choices.find((known) => known === text);
    return value === undefined ? { ok: false, expected: oneOf(choices) } : { ok: true, value };
  },
});

const textual = (
  type: 'text' | 'host' | 'label',
  isValid: (text: string) => boolean,
  expected: string,
): SettingType<string> => ({
  value: { type },
  parse: (text) => (isValid(text) ? { ok: true, value: text } : { ok: false, expected, nearest: text }),
});

export const text = textual('text', () => true, 'text');
export const label = textual(
  'label',
  (value) => /^[A-Za-z0-9_-]+$/.test(value),
  'text of letters, digits, dashes and underscores only',
);
export const host = textual(
  'host',
  (value) => value.split(';').every((one) => /^[^\s/]*$/.test(one.trim())),
  'a host without http:// and without a path',
);
