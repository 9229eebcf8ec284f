import type { DescribedSetting, PlannedAction } from '@lcs/contract';
import {
  biomassScale,
  biomassScales,
  biomassSignalSetting,
  builtInAutomations,
  builtInJobDescriptors,
  dosingAutomations,
} from '@lcs/domain';
import { plainWords } from '../api/plain-words.ts';
import { labelFromName, unitText } from '../forms/field-rules.ts';
import { commonWords } from '../words/common.ts';
import { protocolsWords } from '../words/protocols.ts';

type Step = Pick<
  PlannedAction,
  | 'job_name'
  | 'action'
  | 'options'
  | 'planned_options'
  | 'biomass_signal'
  | 'condition'
  | 'planned_condition'
  | 'iteration'
>;

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
    ? protocolsWords.stateOf(plainWords(job))
    : within(describedSetting(job, key)?.label ?? labelFromName(plainWords(key)));

const operators: readonly (readonly [RegExp, string])[] = [
  [/ ?<= ?/g, ' ≤ '],
  [/ ?>= ?/g, ' ≥ '],
  [/ ?!= ?/g, ' ≠ '],
  [/ ?== ?/g, ' = '],
  [/ ?(?<!\*)\*(?!\*) ?/g, ' × '],
];
const functions: readonly (readonly [RegExp, string])[] = [
  [/\bunit\(\)/g, protocolsWords.nameOfUnit],
  [/\bhours_elapsed\(\)/g, protocolsWords.hoursSinceStart],
];
/** `::job:setting.key` of the own unit, or `unit:job:setting.key`. */
const lookup = /(?:::|\b([\w-]+):)([a-z]\w*):([$\w]+)((?:\.[$\w]+)*)/g;

/** An expression of a profile in words. */
export function expressionWords(expression: string): string {
  const read = expression.replace(lookup, (_, unit: string | undefined, job: string, setting: string, keys: string) => {
    const part = keys.slice(1);
    const words = settingWords(job, part === '' || part === setting ? setting : `${setting}_${part}`);
    return unit === undefined ? words : commonWords.partOfWhole(words, unit);
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

/** What the targets of densities are numbers of: a named signal, or the one that the start chooses. */
const signalOfDensity = new Map(
  dosingAutomations.flatMap(({ density }) => (density ? [[density.setting, density.signal]] : [])),
);

/** The unit of a density, by its signal; empty where it depends on the unit: its OD may be calibrated. */
function densityUnit(key: string, signal: unknown): string | undefined {
  const own = signalOfDensity.get(key);
  if (own === undefined) return undefined;
  const chosen = own === 'biomass' ? signal : own;
  const scale = chosen === 'normalized_od' || chosen === 'od_fused' ? biomassScale(chosen, true) : undefined;
  return scale === undefined ? '' : biomassScales[scale].unit;
}

/** The unit after a value of a setting, with its space. */
function unitAfter(job: string, key: string, signal: unknown): string {
  const unit = densityUnit(key, signal) ?? unitText(describedSetting(job, key)?.unit) ?? '';
  return unit === '' || settingWords(job, key).includes(unit) ? '' : ` ${unit}`;
}

function optionWords(job: string, key: string, value: unknown, signal: unknown): string {
  const words = settingWords(job, key);
  const [, computed] = typeof value === 'string' ? (formula.exec(value.trim()) ?? []) : [];
  if (computed !== undefined) return protocolsWords.byFormula(words, expressionWords(computed));
  return protocolsWords.settingIs(words, `${valueWords(value)}${unitAfter(job, key, signal)}`);
}

const signalOf = ({ options, planned_options, biomass_signal }: Step): unknown =>
  planned_options?.[biomassSignalSetting] ?? options[biomassSignalSetting] ?? biomass_signal;

const isKnownAction = (action: string): action is keyof typeof protocolsWords.stepActions =>
  Object.hasOwn(protocolsWords.stepActions, action);

function doingText(action: string, what: string, values: string): string {
  if (!isKnownAction(action)) return protocolsWords.otherStep(labelFromName(action), what, values);
  const [alone, withValues] = protocolsWords.stepActions[action];
  return values === '' ? alone(what) : withValues(what, values);
}

/** What is done to a job, without its options: `Start stirring`. */
export const actionOnJob = (action: string, job: string): string => doingText(action, plainWords(job), '');

function doing(step: Step): string {
  const { job_name: job, action, options, planned_options = {} } = step;
  const { [variantOption]: variant, ...others } = { ...options, ...planned_options };
  const name = plainWords(job);
  const display = automationsOf(job).find(({ automation_name }) => automation_name === variant)?.display_name;
  const what = variant === undefined ? name : protocolsWords.jobInMode(name, within(display ?? valueWords(variant)));
  const values = Object.entries(others).map(([key, value]) => optionWords(job, key, value, signalOf(step)));
  return doingText(action, what, values.join(', '));
}

/** A setting of the own unit that is compared with a number. */
const comparison = /^::([a-z]\w*):([a-z]\w*)(?:\.\2)? *(<=|>=|<|>) *(-?\d+(?:\.\d+)?)$/;

/** What ends a loop that goes on while a value is so. */
const endings: ReadonlyMap<string, (setting: string, value: string) => string> = new Map([
  ['<', protocolsWords.settingReaches],
  ['<=', protocolsWords.settingExceeds],
  ['>', protocolsWords.settingFallsTo],
  ['>=', protocolsWords.settingFallsBelow],
]);

/** When a loop ends; null: its condition is a formula. */
function endOfLoop(step: Step): string | null {
  const [, job = '', key = '', operator = '', number = ''] =
    comparison.exec((step.planned_condition ?? step.condition ?? '').trim()) ?? [];
  const ending = endings.get(operator);
  if (ending === undefined) return null;
  const signal = job === step.job_name ? signalOf(step) : undefined;
  return ending(settingWords(job, key), `${number}${unitAfter(job, key, signal)}`);
}

const conditionWords = ({ planned_condition, condition }: Step): string =>
  condition === null ? '' : expressionWords(planned_condition ?? condition);

/** A step of a profile as a sentence without its end. */
export function stepSentence(step: Step): string {
  const { action, options, iteration } = step;
  const read = conditionWords(step);
  if (action === 'when') return protocolsWords.waitUntil(read || 'true');
  if (action === 'repeat') {
    const end = endOfLoop(step);
    if (end !== null) return protocolsWords.beginIterationUntil(iteration + 1, end);
    return read === ''
      ? protocolsWords.beginIteration(iteration + 1)
      : protocolsWords.beginIterationWhile(iteration + 1, read);
  }
  const text = action === 'log' ? protocolsWords.writeToEventLog(valueWords(options.message ?? '')) : doing(step);
  return read === '' ? text : protocolsWords.ifCondition(text, read);
}

/** What a run has decided at a wait or a loop: its condition holds, or its loop has ended. */
export function decisionSentence(step: Step): string {
  const read = conditionWords(step);
  if (step.action !== 'repeat') return protocolsWords.waitUntilEnds(read || 'true');
  const end = endOfLoop(step);
  return end === null ? protocolsWords.loopEndsFormula(read) : protocolsWords.loopEnds(end);
}
