import { type Json, jsonLimitFault } from '@lcs/contract';
import type { JobSettingDeclaration } from '@lcs/domain';

/** The validated value, or the reason of its rejection. */
export type SettingValidation =
  | { readonly ok: true; readonly value: Json; readonly clamped: boolean }
  | { readonly ok: false; readonly cause: string };

const taken = (value: Json): SettingValidation => ({ ok: true, value, clamped: false });
const refused = (cause: string): SettingValidation => ({ ok: false, cause });

/** Decimal text; neither hexadecimal nor infinity. */
const decimal = /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/;

/** A number, or decimal text; undefined for everything else. */
export function numberOf(value: unknown): number | undefined {
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
export function booleanOf(value: unknown): boolean | undefined {
  if (typeof value === 'boolean') return value;
  if (value === 0 || value === 1) return value === 1;
  return typeof value === 'string' ? booleanTexts.get(value.trim().toLowerCase()) : undefined;
}

type NumberSetting = Extract<JobSettingDeclaration, { type: 'float' | 'integer' }>;

type StringSetting = Extract<JobSettingDeclaration, { type: 'string' }>;

function checkText({ choices }: StringSetting, wanted: Json): SettingValidation {
  if (typeof wanted !== 'string') return refused('It must be a text.');
  if (choices !== undefined && !choices.includes(wanted)) return refused(`It must be one of: ${choices.join(', ')}.`);
  return taken(wanted);
}

function checkNumber(declaration: NumberSetting, wanted: Json): SettingValidation {
  const { type, min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY, unit, outside } = declaration;
  const value = numberOf(wanted);
  if (value === undefined) return refused('It must be a number.');
  if (type === 'integer' && !Number.isInteger(value)) return refused('It must be a whole number.');
  if (value >= min && value <= max) return taken(value);
  if (outside === 'clamp') return { ok: true, value: Math.min(Math.max(value, min), max), clamped: true };
  const range = [Number.isFinite(min) ? `at least ${min}` : '', Number.isFinite(max) ? `at most ${max}` : ''];
  return refused(`It must be ${range.filter(Boolean).join(' and ')}${unit === undefined ? '' : ` ${unit}`}.`);
}

/** Validates a requested value of a setting. Does not check whether it may be set from outside. */
export function checkSetting(declaration: JobSettingDeclaration, wanted: Json): SettingValidation {
  if (wanted === null) return declaration.nullable ? taken(null) : refused('It cannot be empty.');
  if (declaration.type === 'json') return taken(wanted);
  if (declaration.type === 'string') return checkText(declaration, wanted);
  if (declaration.type !== 'boolean') return checkNumber(declaration, wanted);
  const value = booleanOf(wanted);
  return value === undefined ? refused('It must be true or false.') : taken(value);
}

/** The requested value in an MQTT payload; undefined for a `json` setting with invalid JSON. */
export function settingFromText(declaration: JobSettingDeclaration, text: string): Json | undefined {
  if (text === '' && declaration.nullable) return null;
  if (declaration.type !== 'json') return text;
  if (jsonLimitFault(text) !== undefined) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A value as MQTT payload; the empty text clears the topic. Booleans are `True` and `False`, as existing clients expect. */
export function settingText(value: Json): string {
  if (value === null) return '';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** A value in the HTTP lists. */
export function publishedValue(value: Exclude<Json, null>): number | string {
  if (typeof value === 'boolean') return value ? 1 : 0;
  return typeof value === 'number' || typeof value === 'string' ? value : JSON.stringify(value);
}
