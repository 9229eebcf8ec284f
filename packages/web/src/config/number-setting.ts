import { numberFromText, valueText } from '../ui/number-text.ts';

/** The text that the file has for a number as it is typed. What is no clear number stays one that the rule of the setting refuses. */
export function writtenNumber(typed: string, locale?: string): string {
  const text = typed.trim();
  const value = numberFromText(text, locale);
  if (value === undefined) return text.replaceAll('.', ',');
  return String(value);
}

/** A number of the file as people of the browser's language write it. */
export const shownNumber = (written: string): string =>
  /^-?\d+(\.\d+)?$/.test(written) ? valueText(Number(written)) : written;
