import { valueText } from '../ui/number-text.ts';
import { commonWords } from '../words/common.ts';
import { formsWords } from '../words/forms.ts';

/** Words of names that are not written in small letters. */
const spellings: ReadonlyMap<string, string> = new Map([
  ['ir', 'IR'],
  ['led', 'LED'],
  ['leds', 'LEDs'],
  ['ml', 'mL'],
  ['od', 'OD'],
  ['pid', 'PID'],
  ['rpm', 'RPM'],
]);

/** `ir_led_intensity` → `IR LED intensity` */
export const labelFromName = (name: string): string => {
  const words = name.split('_').map((word) => spellings.get(word) ?? word);
  const text = words.join(' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
};

/** A unit of measurement as text; `null`: none. */
export const unitText = (unit: string | null | undefined): string | null =>
  unit === undefined || unit === null || unit === '' ? null : unit.replace('℃', '°C');

const unitsInNames: readonly (readonly [RegExp, string])[] = [
  [/_ml$/, 'mL'],
  [/_minutes$/, 'min'],
];

/** The unit that a name contains; null: none. */
export const unitInName = (name: string): string | null =>
  unitsInNames.find(([pattern]) => pattern.test(name))?.[1] ?? null;

/** The tags in texts where a comma ends one, each once. */
export const tagsOf = (texts: readonly string[]): string[] => [
  ...new Set(texts.flatMap((text) => text.split(',')).flatMap((text) => text.trim() || [])),
];

export interface NumberLimits {
  readonly isRequired: boolean;
  readonly isInteger?: boolean;
  readonly unit: string | null;
  readonly min: number | null;
  readonly max: number | null;
}

/** Why a number cannot be used; `null`: it can. */
export function numberFault(limits: NumberLimits, value: number | string): string | null {
  if (value === '') return limits.isRequired ? commonWords.valueIsNeeded : null;
  const unit = limits.unit === null ? '' : ` ${unitText(limits.unit)}`;
  if (typeof value !== 'number' || !Number.isFinite(value)) return formsWords.notNumber(valueText(1234.5));
  if (limits.isInteger && !Number.isInteger(value)) return formsWords.wholeNumberIsNeeded;
  if (limits.min !== null && value < limits.min) return formsWords.atLeast(valueText(limits.min), unit);
  if (limits.max !== null && value > limits.max) return formsWords.atMost(valueText(limits.max), unit);
  return null;
}
