import type { Json } from '@lcs/contract';
import { ownValue } from '@lcs/contract/own-value';
import { biomassSignalSetting } from '../automations/biomass.ts';
import { bracketedExpression, conditionText } from './expressions/brackets.ts';
import { EvaluationError, evaluate, isTruthy } from './expressions/evaluate.ts';
import { parseExpression } from './expressions/parse-expression.ts';
import { tokenize } from './expressions/tokens.ts';
import type { ProfileAction, ProfileCondition, ProfileValues } from './profile.ts';
import { isBasicAction, type ProfileItem } from './timeline.ts';

/** Known during the run only. */
const ofTheRun = /\b(?:hours_elapsed|action_count|unit|experiment|job_name|random)\b/;

const notKnown = (): never => {
  throw new EvaluationError('It is not known before the run.');
};

/** A condition with the values of the inputs in the place of their names. */
export function withInputs(expression: string, inputs: ProfileValues): string {
  const tokens = tokenize(expression);
  let text = '';
  let from = 0;
  for (const [index, token] of tokens.entries()) {
    const next = tokens[index + 1];
    const isCall = next?.kind === 'symbol' && next.symbol === '(';
    const value = token.kind === 'word' && !isCall ? ownValue(inputs, token.word) : undefined;
    if (token.kind !== 'word' || typeof value !== 'number') continue;
    text += `${expression.slice(from, token.offset)}${value}`;
    from = token.offset + token.word.length;
  }
  return text + expression.slice(from);
}

/** What is known of one step of a plan before the run. */
export interface PlannedStep {
  /** Values of options that are written as expressions. */
  readonly options: ProfileValues;
  /** What the targets of a dosing automation are numbers of. */
  readonly signal: string | undefined;
  /** False: its condition does not hold then. */
  readonly holds: boolean;
}

const changing: ReadonlySet<ProfileAction['type']> = new Set(['start', 'update', 'stop']);

const optionsOf = (action: ProfileAction): ProfileValues => ('options' in action ? action.options : {});

/** The name of an option, which may be written with `-`. */
const settingName = (key: string): string => key.replaceAll('-', '_');

/**
 * The settings of the jobs of one unit in the course of a plan, as far as the profile alone decides them: `target + step` in a loop has
 * a value before the run then. People may change settings during the run; what a wait decides about is not known.
 */
export class PlannedSettings {
  readonly #inputs: ProfileValues;
  readonly #settings = new Map<string, Map<string, Json>>();
  /** Jobs on which a wait, or a condition of the run, decides about an action. */
  readonly #undecidedJobs = new Set<string>();
  /** Waits and loops of which it is not known whether or when their actions are carried out. */
  readonly #undecidedPaths = new Set<string>();

  constructor(inputs: ProfileValues) {
    this.#inputs = inputs;
  }

  /** Plans the next step in the order of execution. */
  take({ job, path, action, iteration }: ProfileItem): PlannedStep {
    // `if` of a loop is evaluated before its first iteration only.
    const conditions =
      action.type !== 'repeat' ? [action.if] : iteration === 0 ? [action.if, action.while] : [action.while];
    const outcomes = conditions.map((condition) => this.#holds(condition, job));
    const isDecided =
      action.type !== 'when' && !outcomes.includes(undefined) && !this.#undecidedPaths.has(enclosing(path));
    const options = this.#options(optionsOf(action), job);
    const holds = !outcomes.includes(false);
    if (!isBasicAction(action)) {
      if (!isDecided) this.#undecidedPaths.add(path);
    } else if (changing.has(action.type)) {
      if (!isDecided) this.#undecidedJobs.add(job);
      else if (holds) this.#apply(job, action, { ...optionsOf(action), ...options });
    }
    const signal = this.#known(job).get(biomassSignalSetting);
    return { options, holds, signal: typeof signal === 'string' ? signal : undefined };
  }

  #apply(job: string, { type }: ProfileAction, options: ProfileValues): void {
    if (type === 'stop') {
      this.#settings.delete(job);
      return;
    }
    const before = type === 'update' ? this.#settings.get(job) : undefined;
    const settings = before ?? new Map<string, Json>();
    this.#settings.set(job, settings);
    for (const [key, value] of Object.entries(options)) {
      const isKnown = typeof value !== 'string' || bracketedExpression(value) === undefined;
      if (isKnown) settings.set(settingName(key), value);
      else settings.delete(settingName(key));
    }
  }

  #known(job: string): ReadonlyMap<string, Json> {
    return (this.#undecidedJobs.has(job) ? undefined : this.#settings.get(job)) ?? new Map();
  }

  /** Undefined: it is known during the run only. */
  #value(expression: string, job: string): Json | undefined {
    if (ofTheRun.test(expression)) return undefined;
    try {
      return evaluate(parseExpression(expression), {
        unit: '',
        experiment: '',
        job,
        actionCount: 0,
        hoursElapsed: Number.NaN,
        inputs: this.#inputs,
        random: notKnown,
        published: (unit, of) => (unit === '' ? Object.fromEntries(this.#known(of)) : notKnown()),
      });
    } catch (error) {
      if (error instanceof EvaluationError) return undefined;
      throw error;
    }
  }

  #holds(condition: ProfileCondition, job: string): boolean | undefined {
    if (typeof condition === 'boolean') return condition;
    const value = this.#value(conditionText(condition), job);
    return value === undefined ? undefined : isTruthy(value);
  }

  #options(options: ProfileValues, job: string): ProfileValues {
    const planned = Object.entries(options).flatMap(([name, value]) => {
      const expression = typeof value === 'string' ? bracketedExpression(value) : undefined;
      const known = expression === undefined ? undefined : this.#value(expression, job);
      return known === undefined ? [] : [[name, known] as const];
    });
    return Object.fromEntries(planned);
  }
}

const enclosing = (path: string): string => /^(.*)\.actions\[\d+\]$/.exec(path)?.[1] ?? '';
