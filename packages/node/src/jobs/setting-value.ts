import { type Json, jsonLimitFault } from '@lcs/contract';
import type { JobSettingDeclaration } from '@lcs/domain';

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
