import type { SettingDeclaration } from '@lcs/domain';
import { numberFromText, valueText } from '../ui/number-text.ts';

/** The text that the file has for a number as it is typed. What is no clear number stays one that the rule of the setting refuses. */
export function writtenNumber(typed: string, locale?: string): string {
  const text = typed.trim();
  const value = numberFromText(text, locale);
  if (value === undefined) return text.replaceAll('.', ',');
  return String(value);
}

/** A number of the file as people of the browser's language write it. */
const shownNumber = (written: string): string =>
  /^-?\d+(\.\d+)?$/.test(written) ? valueText(Number(written)) : written;

/** Whether a setting has numbers only; one with names may have a word instead. */
export const isNumberSetting = ({ value }: SettingDeclaration): boolean =>
  (value.type === 'number' || value.type === 'integer') && !('names' in value);

/** A value of the file as people read it: a version such as `1.5` is no number. */
export const shownValue = (declaration: SettingDeclaration, written: string): string =>
  isNumberSetting(declaration) ? shownNumber(written) : written;
