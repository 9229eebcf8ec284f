import type { LogLevel } from '@lcs/contract';
import {
  actionWithValues,
  type BasicAction,
  EvaluationError,
  type ExpressionScope,
  evaluatedAction,
  hasExpressions,
  holds,
  itemKey,
  type Profile,
  type ProfileCondition,
  type ProfileItem,
  type PublishedOf,
  type RepeatAction,
  readByAction,
  readByConditions,
  valuesOf,
  type WhenAction,
} from '@lcs/domain';
import type { Fleet, LeaderContext } from '../core/leader-context.ts';
import { publishedValues } from './published-values.ts';
import type { RunStore, StoredItems, StoredRun } from './run-store.ts';
import { stepText } from './step-commands.ts';
import type { Settled, StepDelivery } from './step-delivery.ts';

type Basic = ProfileItem<BasicAction>;

export interface ItemExecutionOptions {
  readonly context: Pick<LeaderContext, 'clock' | 'database'> & { readonly fleet: Pick<Fleet, 'passOn'> };
  readonly store: Pick<RunStore, 'begun'>;
  readonly run: StoredRun;
  readonly inputs: Profile['inputs'];
  /** Values of the expressions of actions that were about to take effect before a restart. */
  readonly evaluated: StoredItems['evaluated'];
  readonly delivery: StepDelivery;
  /** Numbers from 0 to below 1. */
  readonly random: () => number;
  readonly progress: () => { readonly elapsedMs: number; readonly settledActions: number };
  /** When a started job will certainly be stopped, as ISO-8601; undefined: that is not known. */
  readonly endOf: (start: Basic) => string | undefined;
  readonly log: (unit: string, level: LogLevel, message: string) => void;
}

const conditionOf = ({ wait_until, condition }: WhenAction): ProfileCondition => wait_until ?? condition ?? false;

const shownCondition = (condition: ProfileCondition): string => String(condition).trim();

export const reasonOf = (error: unknown): string => (error instanceof EvaluationError ? error.message : String(error));

const levelOf = (name: string): LogLevel => {
  const upper = name.toUpperCase();
  return upper === 'DEBUG' || upper === 'INFO' || upper === 'WARNING' || upper === 'ERROR' ? upper : 'NOTICE';
};

/** Evaluates the conditions and values of the items of a run, and carries out its actions. */
export class ItemExecution {
  readonly #options: ItemExecutionOptions;
  /** By unit and item. */
  readonly #evaluated: ReadonlyMap<string, StoredItems['evaluated'][number]>;

  constructor(options: ItemExecutionOptions) {
    this.#options = options;
    this.#evaluated = new Map(options.evaluated.map((each) => [`${each.unit} ${itemKey(each)}`, each]));
  }

  /** Whether an iteration of a loop begins. @throws EvaluationError */
  async iteration(item: ProfileItem<RepeatAction>, isFirst: boolean): Promise<Settled> {
    const { action, unit, path } = item;
    if ((await this.#options.delivery.target(unit)) === undefined) return this.#left(item);
    const conditions = [...(isFirst ? [action.if] : []), action.while];
    const scope = await this.#scope(item, readByConditions(conditions, item));
    if (isFirst && !holds(action.if, scope)) return this.#conditionFails(item, action.if);
    if (holds(action.while, scope)) return { outcome: 'entered' };
    const reason = `'while' does not hold: ${shownCondition(action.while)}`;
    this.#options.log(unit, 'INFO', `The loop at ${path} has ended. ${reason}.`);
    return { outcome: 'ended', reason };
  }

  /** Whether a wait is over; undefined: the condition does not hold yet. @throws EvaluationError */
  async wait(item: ProfileItem<WhenAction>): Promise<Settled | undefined> {
    const { action, unit } = item;
    if ((await this.#options.delivery.target(unit)) === undefined) return this.#left(item);
    const condition = conditionOf(action);
    const scope = await this.#scope(item, readByConditions([action.if, condition], item));
    if (!holds(action.if, scope)) return this.#conditionFails(item, action.if);
    if (!holds(condition, scope)) return undefined;
    const reason = `the condition holds: ${shownCondition(condition)}`;
    this.#options.log(unit, 'INFO', `The wait at ${item.path} is over: ${reason}.`);
    return { outcome: 'held', reason };
  }

  /** Carries out an action; a failed one is logged, and the profile continues. */
  async attempt(item: Basic, signal: AbortSignal): Promise<Settled> {
    try {
      return await this.#perform(item, signal);
    } catch (error) {
      const reason = reasonOf(error);
      if (!signal.aborted) this.#options.log(item.unit, 'ERROR', `Error in ${stepText(item)}: ${reason}`);
      return { outcome: 'failed', reason };
    }
  }

  async #perform(written: Basic, signal: AbortSignal): Promise<Settled> {
    const { delivery, log, run } = this.#options;
    const { unit } = written;
    const target = await delivery.target(unit);
    if (target === undefined) return this.#left(written);
    const action = await this.#evaluate(written);
    if (action === null) return this.#conditionFails(written, written.action.if);
    const item = { ...written, action };
    if (action.type === 'start' && !target.isActive) {
      log(unit, 'WARNING', `Skipped: ${stepText(item)}. The unit is not active.`);
      return { outcome: 'skipped', reason: 'The unit is not active.' };
    }
    if (run.isDryRun) {
      const what = action.type === 'log' ? `"${action.options.message}"` : stepText(item);
      log(unit, 'INFO', `Dry run, not done: ${what}.`);
      return { outcome: 'done' };
    }
    if (action.type === 'log') {
      const { message, level } = action.options;
      log(unit, levelOf(level), message);
      return { outcome: 'done' };
    }
    const endsAt = action.type === 'start' ? this.#options.endOf(written) : undefined;
    return delivery.deliver(item, target, signal, endsAt);
  }

  /**
   * The action with the values of its expressions; null: its condition does not hold. The values are stored before they take effect, so
   * that a restart sends the same command again. @throws EvaluationError
   */
  async #evaluate(item: Basic): Promise<BasicAction | null> {
    const { action, unit } = item;
    if (!hasExpressions(action)) return action.if === true ? action : null;
    const stored = this.#evaluated.get(`${unit} ${itemKey(item)}`);
    if (stored !== undefined) return actionWithValues(action, stored.values);
    const evaluated = evaluatedAction(action, await this.#scope(item, readByAction(action, item)));
    const { context, store, run } = this.#options;
    const isEffective = evaluated !== null && evaluated.type !== 'log' && !run.isDryRun;
    if (isEffective) await store.begun(run.id, item, valuesOf(evaluated), context.clock.now());
    return evaluated;
  }

  async #scope({ unit, job }: ProfileItem, reads: readonly PublishedOf[]): Promise<ExpressionScope> {
    const { context, random, run, inputs, progress } = this.#options;
    const { elapsedMs, settledActions } = progress();
    return {
      unit,
      job,
      random,
      inputs,
      experiment: run.experiment.name,
      hoursElapsed: elapsedMs / 3_600_000,
      actionCount: settledActions,
      published: await publishedValues(context, reads),
    };
  }

  #conditionFails({ unit, path }: ProfileItem, condition: ProfileCondition): Settled {
    const reason = `'if' does not hold: ${shownCondition(condition)}`;
    if (condition !== false) this.#options.log(unit, 'INFO', `Skipped: ${path}. ${reason}.`);
    return { outcome: 'skipped', reason };
  }

  #left({ unit, path }: ProfileItem): Settled {
    const reason = 'The unit is no longer in this experiment.';
    this.#options.log(unit, 'DEBUG', `Skipped: ${path}. ${reason}`);
    return { outcome: 'skipped', reason };
  }
}
