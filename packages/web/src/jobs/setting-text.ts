import type { Json } from '@lcs/contract';
import { valueText } from '../ui/number-text.ts';

/** The value of a setting for people. */
export function settingText(value: Json): string {
  if (typeof value === 'number') return valueText(value);
  if (value === null) return '–';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
