import type { Json } from '@lcs/contract';
import type { JobOptionDeclaration, JobSettingDeclaration } from './job-declaration.ts';

/** Why a value is not valid: it has the wrong type, or is outside the declared range or choices. */
export interface InvalidValue {
  readonly ok: false;
  readonly is: 'type' | 'range';
  /** The requirement, as the end of a sentence: `must be a number`. */
  readonly requirement: string;
}

export type SettingCheck =
  | { readonly ok: true; readonly value: Json /** Set to the nearest limit. */; readonly clamped: boolean }
  | InvalidValue;

type OptionScalar = string | number | boolean;
export type OptionValue = OptionScalar | readonly OptionScalar[];
export type OptionCheck = { readonly ok: true; readonly value: OptionValue } | InvalidValue;
type ScalarCheck = { readonly ok: true; readonly value: OptionScalar } | InvalidValue;

const invalid = (is: InvalidValue['is'], requirement: string): InvalidValue => ({ ok: false, is, requirement });
const valid = <Value>(value: Value) => ({ ok: true, value }) as const;

/** Decimal text; neither hexadecimal nor infinity. */
const decimal = /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/;

/** A number, or decimal text; undefined for everything else. */
function numberOf(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  if (typeof value !== 'string' || !decimal.test(value.trim())) return undefined;
  const parsed = Number(value);
  return Number.isFinite(parsed) ? parsed : undefined;
}

const booleanTexts: ReadonlyMap<string, boolean> = new Map([
  ...['true', '1', 'y', 'yes', 'on', 't'].map((word) => [word, true] as const),
  ...['false', '0', 'n', 'no', 'off', 'f'].map((word) => [word, false] as const),
]);

/** A boolean, 0, 1, or one of the usual words in any case; undefined for everything else. */
function booleanOf(value: unknown): boolean | undefined {
  if (typeof value === 'boolean') return value;
  if (value === 0 || value === 1) return value === 1;
  return typeof value === 'string' ? booleanTexts.get(value.trim().toLowerCase()) : undefined;
}

interface NumberDeclaration {
  readonly type: 'float' | 'integer';
  readonly min?: number;
  readonly max?: number;
  readonly unit?: string;
}

function rangeText({ min, max, unit }: NumberDeclaration): string {
  const limits = [min === undefined ? '' : `at least ${min}`, max === undefined ? '' : `at most ${max}`];
  return `must be ${limits.filter(Boolean).join(' and ')}${unit === undefined ? '' : ` ${unit}`}`;
}

const isWithin = (value: number, { min, max }: NumberDeclaration): boolean =>
  value >= (min ?? Number.NEGATIVE_INFINITY) && value <= (max ?? Number.POSITIVE_INFINITY);

function numericValue({ type }: NumberDeclaration, given: unknown) {
  const value = numberOf(given);
  if (value === undefined) return invalid('type', 'must be a number');
  return type === 'integer' && !Number.isInteger(value) ? invalid('type', 'must be a whole number') : valid(value);
}

function booleanValue(given: unknown) {
  const value = booleanOf(given);
  return value === undefined ? invalid('type', 'must be true or false') : valid(value);
}

const choiceValue = (value: string, choices: readonly string[] | undefined) =>
  choices === undefined || choices.includes(value)
    ? valid(value)
    : invalid('range', `must be one of: ${choices.join(', ')}`);

const taken = (check: { readonly ok: true; readonly value: Json } | InvalidValue): SettingCheck =>
  check.ok ? { ...check, clamped: false } : check;

/** Validates a requested value of a setting. Does not check whether it may be set from outside. */
export function checkSetting(declaration: JobSettingDeclaration, wanted: Json): SettingCheck {
  if (wanted === null) return declaration.nullable ? taken(valid(null)) : invalid('type', 'cannot be empty');
  if (declaration.type === 'json') return taken(valid(wanted));
  if (declaration.type === 'boolean') return taken(booleanValue(wanted));
  if (declaration.type === 'string')
    return taken(
      typeof wanted === 'string' ? choiceValue(wanted, declaration.choices) : invalid('type', 'must be a text'),
    );
  const check = numericValue(declaration, wanted);
  if (!check.ok || isWithin(check.value, declaration)) return taken(check);
  if (declaration.outside !== 'clamp') return invalid('range', rangeText(declaration));
  const { min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY } = declaration;
  return { ok: true, value: Math.min(Math.max(check.value, min), max), clamped: true };
}

function checkScalar(declaration: JobOptionDeclaration, given: unknown): ScalarCheck {
  if (declaration.type === 'boolean') return given === null ? valid(true) : booleanValue(given);
  if (declaration.type === 'string')
    return typeof given === 'string' || typeof given === 'number'
      ? choiceValue(String(given), declaration.choices)
      : invalid('type', 'must be a text');
  const check = numericValue(declaration, given);
  return !check.ok || isWithin(check.value, declaration) ? check : invalid('range', rangeText(declaration));
}

/** Validates a value of an option of a start; null sets a flag. */
export function checkOption(declaration: JobOptionDeclaration, given: unknown): OptionCheck {
  if (given === null && declaration.type !== 'boolean') return invalid('type', 'needs a value');
  if (!Array.isArray(given)) {
    const check = checkScalar(declaration, given);
    return check.ok && declaration.multiple ? valid([check.value]) : check;
  }
  if (!declaration.multiple) return invalid('type', 'must be one value, not a list');
  const values: OptionScalar[] = [];
  for (const one of given) {
    const check = checkScalar(declaration, one);
    if (!check.ok) return check;
    values.push(check.value);
  }
  return valid(values);
}
