import type { DescribedSetting, PlannedAction } from '@lcs/contract';
import { builtInAutomations, builtInJobDescriptors } from '@lcs/domain';
import { labelFromName, unitText } from '../forms/field-rules.ts';
import { plainWords } from '../ui/plain-words.ts';

type Step = Pick<PlannedAction, 'job_name' | 'action' | 'options' | 'planned_options' | 'condition' | 'iteration'>;

/** Selects the variant of a job at its start. */
const variantOption = 'automation_name';

const automationsOf = (job: string) =>
  Object.entries(builtInAutomations).find(([kind]) => job === `${kind}_automation`)?.[1] ?? [];

/** What people know of an option or a setting of a job; those of a plugin have only their name. */
function describedSetting(job: string, key: string): Pick<DescribedSetting, 'label' | 'unit'> | undefined {
  const settings = builtInJobDescriptors.find(({ job_name }) => job_name === job)?.published_settings ?? [];
  const fields = automationsOf(job).flatMap(({ fields: all }) => all);
  return [...settings, ...fields].find((each) => each.key === key && each.label !== null);
}

/** As a word within a sentence; `OD`, `pH` and `LED` keep their letters. */
const within = (label: string): string =>
  /^[A-Z](?![A-Z])/.test(label) ? label.charAt(0).toLowerCase() + label.slice(1) : label;

const settingWords = (job: string, key: string): string =>
  key === '$state'
    ? `state of ${plainWords(job)}`
    : within(describedSetting(job, key)?.label ?? labelFromName(plainWords(key)));

const operators: readonly (readonly [RegExp, string])[] = [
  [/ ?<= ?/g, ' ≤ '],
  [/ ?>= ?/g, ' ≥ '],
  [/ ?!= ?/g, ' ≠ '],
  [/ ?== ?/g, ' = '],
  [/ ?(?<!\*)\*(?!\*) ?/g, ' × '],
];
const functions: readonly (readonly [RegExp, string])[] = [
  [/\bunit\(\)/g, 'name of the unit'],
  [/\bhours_elapsed\(\)/g, 'hours since the start'],
];
/** `::job:setting.key` of the own unit, or `unit:job:setting.key`. */
const lookup = /(?:::|\b([\w-]+):)([a-z]\w*):([$\w]+)((?:\.[$\w]+)*)/g;

/** An expression of a profile in words. */
export function expressionWords(expression: string): string {
  const read = expression.replace(lookup, (_, unit: string | undefined, job: string, setting: string, keys: string) => {
    const part = keys.slice(1);
    const words = settingWords(job, part === '' || part === setting ? setting : `${setting}_${part}`);
    return unit === undefined ? words : `${words} of ${unit}`;
  });
  return plainWords([...functions, ...operators].reduce((text, [from, to]) => text.replace(from, to), read)).trim();
}

/** A text with `${{ expressions }}` as a profile has it. */
const templateWords = (text: string): string =>
  text.replace(/\$\{\{(.*?)\}\}/gs, (_, expression: string) => `‹${expressionWords(expression)}›`);

const valueWords = (value: unknown): string => {
  if (typeof value === 'string') return plainWords(templateWords(value));
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
};

/** The profile computes the value when the step is due: its formula is quoted. */
const formula = /^\$\{\{((?:(?!\}\}).)*)\}\}$/s;

/** A scale that depends on the signal; the signal stands beside it. */
const scaleOfSignal = 'OD/AU';

function optionWords(job: string, key: string, value: unknown): string {
  const words = settingWords(job, key);
  const [, computed] = typeof value === 'string' ? (formula.exec(value.trim()) ?? []) : [];
  if (computed !== undefined) return `${words} “${expressionWords(computed)}”`;
  const unit = unitText(describedSetting(job, key)?.unit);
  const isNamed = unit === null || unit === scaleOfSignal || words.includes(unit);
  return `${words} ${valueWords(value)}${isNamed ? '' : ` ${unit}`}`;
}

function doing({ job_name: job, action, options, planned_options = {} }: Step): string {
  const { [variantOption]: variant, ...others } = { ...options, ...planned_options };
  const name = plainWords(job);
  const display = automationsOf(job).find(({ automation_name }) => automation_name === variant)?.display_name;
  const mode = variant === undefined ? '' : ` (${within(display ?? valueWords(variant))})`;
  const values = Object.entries(others).map(([key, value]) => optionWords(job, key, value));
  const verb = action === 'update' ? 'Change' : labelFromName(action);
  return `${verb} ${name}${mode}${values.length === 0 ? '' : `: ${values.join(', ')}`}`;
}

/** A step of a profile as a sentence without its end. */
export function stepSentence(step: Step): string {
  const { action, options, condition, iteration } = step;
  const read = condition === null ? '' : expressionWords(condition);
  if (action === 'when') return `Wait until ${read || 'true'}`;
  if (action === 'repeat') return `Begin iteration ${iteration + 1} of the loop${read && `, while ${read}`}`;
  const text = action === 'log' ? `Write to the event log: “${valueWords(options.message ?? '')}”` : doing(step);
  return read === '' ? text : `${text}, if ${read}`;
}
