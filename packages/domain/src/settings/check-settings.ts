import { ownValue } from '@lcs/contract';
import { distinctValueSections, uniqueValues } from './job-settings.ts';
import type { SettingValue } from './setting-declaration.ts';
import { declaredSetting, isDeclaredSection } from './settings.ts';

/** The content of a configuration file: values by section and key. */
export type ConfigValues = ReadonlyMap<string, ReadonlyMap<string, string>>;

export interface InvalidSetting {
  readonly code: 'wrong_value' | 'unknown_section' | 'unknown_key';
  readonly section: string;
  /** Absent for a section. */
  readonly key?: string;
  /** One sentence for people. */
  readonly message: string;
}

const booleans = new Set(['1', 'true', 'yes', 'on', '0', 'false', 'no', 'off']);
/** Keys of this section appear in every other section, with the meaning that they have there. */
const defaults = 'DEFAULT';

const oneOf = (words: readonly string[]): string => `one of ${words.join(', ')}`;

function expectedNumber(
  text: string,
  value: Extract<SettingValue, { type: 'number' | 'integer' }>,
): string | undefined {
  const {
    type,
    min = Number.NEGATIVE_INFINITY,
    max = Number.POSITIVE_INFINITY,
    excludesMin: isAboveMin = false,
    words = [],
  } = value;
  if (words.includes(text)) return undefined;
  const number = Number(text);
  const isRight = Number.isFinite(number) && (type === 'number' || Number.isInteger(number));
  if (isRight && (isAboveMin ? number > min : number >= min) && number <= max) return undefined;
  const limits = [
    ...(Number.isFinite(min) ? [isAboveMin ? `above ${min}` : `at least ${min}`] : []),
    ...(Number.isFinite(max) ? [`at most ${max}`] : []),
  ];
  const wanted = [type === 'number' ? 'a number' : 'a whole number', limits.join(' and ')].filter(Boolean).join(', ');
  return words.length === 0 ? wanted : `${wanted}, or ${words.join(' or ')}`;
}

/** What a value must be; undefined: the value is valid. */
function expectedValue(text: string, value: SettingValue): string | undefined {
  switch (value.type) {
    case 'number':
    case 'integer':
      return expectedNumber(text, value);
    case 'boolean': {
      const words = value.words ?? [];
      if (booleans.has(text.toLowerCase()) || words.includes(text)) return undefined;
      return oneOf([...booleans, ...words]);
    }
    case 'choice':
      return value.choices.includes(text) ? undefined : oneOf(value.choices);
    case 'label':
      return /^[A-Za-z0-9_-]+$/.test(text) ? undefined : 'text of letters, digits, dashes and underscores only';
    case 'host':
      return text.split(';').every((host) => /^[^\s/]*$/.test(host.trim()))
        ? undefined
        : 'a host without http:// and without a path';
    case 'text':
      return undefined;
  }
}

function* invalidValues(section: string, values: ReadonlyMap<string, string>): Generator<InvalidSetting> {
  for (const [key, written] of values) {
    const declared = declaredSetting(section, key);
    if (declared === undefined) {
      yield {
        code: 'unknown_key',
        section,
        key,
        message: `Key '${key}' in section [${section}] is unknown and has no effect. Check its spelling.`,
      };
      continue;
    }
    const text = written.trim();
    const expected = text === '' ? undefined : expectedValue(text, declared.value);
    if (expected !== undefined) {
      yield {
        code: 'wrong_value',
        section,
        key,
        message: `Key '${key}' in section [${section}] is '${text}'; it must be ${expected}.`,
      };
    }
  }
}

/** Values that only one key of a section may have: one entry for each key but the first with the same value. */
export function* duplicateValues(section: string, values: ReadonlyMap<string, string>): Generator<InvalidSetting> {
  const single = ownValue(uniqueValues, section);
  if (single === undefined && !distinctValueSections.includes(section)) return;
  const first = new Map<string, string>();
  for (const [key, written] of values) {
    const text = written.trim();
    if (text === '' || (single !== undefined && !single.includes(text))) continue;
    const other = first.get(text);
    if (other === undefined) first.set(text, key);
    else {
      const message = `Key '${key}' in section [${section}] is '${text}', but key '${other}' has this value too. Only one key may have it.`;
      yield { code: 'wrong_value', section, key, message };
    }
  }
}

/**
 * The invalid values and unknown keys of a file, in the order of the file. An empty value is valid: it means that the key is not
 * set.
 */
export function* invalidSettings(values: ConfigValues): Generator<InvalidSetting> {
  for (const [section, entries] of values) {
    if (section === defaults) continue;
    if (!isDeclaredSection(section)) {
      yield {
        code: 'unknown_section',
        section,
        message: `Section [${section}] is unknown and has no effect. Check its spelling.`,
      };
      continue;
    }
    yield* invalidValues(section, entries);
    yield* duplicateValues(section, entries);
  }
}
