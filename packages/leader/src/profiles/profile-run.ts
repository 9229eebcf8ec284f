import { createHash } from 'node:crypto';
import { hasShape, type LogLevel, ownValue, StopJobs, type UnitOutcome } from '@lcs/contract';
import {
  actionsByPath,
  actionWithValues,
  type BasicAction,
  changedJobs,
  currentIteration,
  EvaluationError,
  type ExpressionScope,
  evaluatedAction,
  followingItems,
  hasExpressions,
  holds,
  type ItemOutcome,
  isBasicItem,
  isItemOf,
  isStillExecuted,
  itemKey,
  maxLatenessMs,
  numberedItems,
  type Profile,
  type ProfileCondition,
  type ProfileItem,
  type ProfileUnits,
  type PublishedOf,
  profileItems,
  type RepeatAction,
  readByAction,
  readByConditions,
  type SettledItem,
  valuesOf,
  type WhenAction,
  waitingItems,
  withItems,
} from '@lcs/domain';
import type { JobContext } from '@lcs/node';
import { actingAccount, toTimestamp } from '@lcs/platform';
import type { Fleet, LeaderContext, UnitCommand } from '../core/leader-context.ts';
import { orderMissedStops } from '../fleet/missed-stops.ts';
import type { StartTarget } from '../jobs/job-targets.ts';
import type { LeaderJobLog } from './profile-log.ts';
import { profileJobName } from './profile-request.ts';
import { publishedValues } from './published-values.ts';
import type { Progress } from './run-record.ts';
import type { RunStore, StoredItems, StoredRun } from './run-store.ts';
import { RunTime } from './run-time.ts';
import {
  type SentCommand,
  type StepOrder,
  type StepSender,
  stepOrder,
  stepText,
  stopSourceCommand,
} from './step-commands.ts';

export interface ProfileRunOptions {
  readonly context: Pick<LeaderContext, 'clock' | 'database' | 'desired' | 'log' | 'wire'> & {
    readonly fleet: Pick<Fleet, 'command' | 'passOn'>;
  };
  readonly store: RunStore;
  readonly log: Pick<LeaderJobLog, 'log'>;
  /** Numbers from 0 to below 1. */
  readonly random: () => number;
  /** Called for each command that was sent; must not throw. */
  readonly onCommand: (sent: SentCommand) => void;
}

/** What became of an item, and why. */
interface Settled {
  readonly outcome: ItemOutcome;
  readonly reason?: string;
}

/** What a run needs of the job that carries it out. */
type JobOfRun = Pick<JobContext, 'signal' | 'publish'>;

type Basic = ProfileItem<BasicAction>;
type Target = StartTarget & { readonly isActive: boolean };

/** Delays between attempts of a command that did not reach its unit, in milliseconds. */
const attempts = 3;
const attemptPauseMs = 500;

/** A condition is evaluated again after 15 to 25 s, so that units are not asked all at once. */
const pollMs = 15_000;
const pollSpreadMs = 10_000;
/** A condition that cannot be evaluated is reported at the first of so many attempts. */
const reportEvery = 45;

/** Codes of the unit: the job does not run; another start of it was requested a moment ago. */
const notFound = 404;
const tooSoon = 429;

const mayTryAgain = (outcome: UnitOutcome): boolean =>
  !outcome.ok && (outcome.error.kind === 'connection_error' || outcome.status_code === tooSoon);

/** Identifies an item in the keys of its commands, which have limited characters. */
const shortKey = ({ path, iteration }: ProfileItem): string =>
  `${createHash('sha256').update(path).digest('hex').slice(0, 16)}-${iteration}`;

const conditionOf = ({ wait_until, condition }: WhenAction): ProfileCondition => wait_until ?? condition ?? false;

const shownCondition = (condition: ProfileCondition): string => String(condition).trim();

/** One run of a profile: does what is due on each unit, one after the other, independently of other units. */
export class ProfileRun {
  readonly run: StoredRun;
  readonly #options: ProfileRunOptions;
  readonly #profile: Profile;
  readonly #sender: StepSender;
  readonly #time: RunTime;
  /** By unit, in the order of execution. */
  readonly #waiting: Map<string, readonly ProfileItem[]>;
  /** Values of the expressions of actions that were about to take effect before a restart, by unit and item. */
  readonly #evaluated: ReadonlyMap<string, StoredItems['evaluated'][number]>;
  /** The units on which this run may have started each job. */
  readonly #started = new Map<string, Set<string>>();
  /** Attempts to evaluate a condition that failed in a row, by unit and item. */
  readonly #failures = new Map<string, number>();
  #settledActions: number;
  /** Commands that have not been answered yet, by unit. */
  readonly #pending = new Map<string, Promise<void>>();

  /** @param stored what an earlier part of this run has done */
  constructor(run: StoredRun, profile: Profile, stored: StoredItems, options: ProfileRunOptions) {
    this.run = run;
    this.#options = options;
    this.#profile = profile;
    this.#sender = { experiment: run.experiment.name, source: `${profileJobName}/${run.firstJobId}` };
    this.#time = new RunTime(options.context.clock, run);
    const units = { common: run.commonUnits, own: run.ownUnits };
    const settled = settledOf(stored, profile, units);
    this.#waiting = new Map(
      [...profileItems(profile, units)].map(([unit, items]) => [
        unit,
        waitingItems(
          items,
          settled.filter((each) => each.unit === unit),
        ),
      ]),
    );
    this.#evaluated = new Map(stored.evaluated.map((each) => [`${each.unit} ${itemKey(each)}`, each]));
    const actions = actionsByPath(profile);
    for (const { unit, path } of [...settled, ...stored.evaluated]) {
      const found = actions.get(path);
      if (found?.action.type === 'start') this.#mayHaveStarted(unit, found.job);
    }
    this.#settledActions = settled.filter(({ outcome }) => !isOfBranch(outcome)).length;
  }

  /** Actions done, failed or skipped so far, and how many there are at least: loops and waits may add more. */
  get counts(): { readonly settled: number; readonly all: number } {
    const waiting = [...this.#waiting.values()].reduce((sum, items) => sum + items.length, 0);
    return { settled: this.#settledActions, all: this.#settledActions + waiting };
  }

  /** What is next, by time. */
  get progress(): Progress {
    const waiting = [...this.#waiting.values()].flat().sort((a, b) => a.atMs - b.atMs);
    return {
      isPaused: this.#time.isPaused,
      waiting: waiting.map((item) => [item, this.#time.dueAt(item.atMs)]),
    };
  }

  /** The jobs that this run and a profile on these units would both change, as `job on unit`. */
  changedAlsoBy(profile: Profile, units: ProfileUnits): readonly string[] {
    const { commonUnits: common, ownUnits: own } = this.run;
    const mine = changedJobs(this.#profile, { common, own });
    return [...changedJobs(profile, units)].flatMap(([unit, jobs]) =>
      [...jobs].filter((job) => mine.get(unit)?.has(job)).map((job) => `${job} on ${unit}`),
    );
  }

  /** Does what is due; resolves after the last action, or when `job` ends. */
  async perform(job: JobOfRun): Promise<void> {
    job.publish('action_count', this.#settledActions);
    await Promise.all([...this.#waiting.keys()].map((unit) => this.#performOn(unit, job)));
  }

  /** Delays what is left; jobs that it has started continue. */
  async pause(): Promise<void> {
    const { pausedForMs, pausedAfterMs } = this.#time.pause();
    await this.#options.store.paused(this.run.id, pausedForMs, pausedAfterMs);
  }

  /** Continues; what is left is delayed by the pause. */
  async resume(): Promise<void> {
    const { pausedForMs, pausedAfterMs } = this.#time.resume();
    await this.#options.store.paused(this.run.id, pausedForMs, pausedAfterMs);
  }

  /**
   * Stops all jobs that this run has started. A stop that does not reach its unit is queued for its return; a start that was on its way
   * to a unit is stopped after its arrival. Never rejects.
   */
  async stopJobs(): Promise<void> {
    if (this.run.isDryRun) return;
    const underWay = [...this.#pending];
    await this.#stopOn([...this.#waiting.keys()]);
    if (underWay.length === 0) return;
    await Promise.all(underWay.map(([, settled]) => settled));
    await this.#stopOn(underWay.map(([unit]) => unit));
  }

  /** Resolves when no command is pending. */
  async settled(): Promise<void> {
    await Promise.all(this.#pending.values());
  }

  async #performOn(unit: string, job: JobOfRun): Promise<void> {
    for (;;) {
      const [item] = this.#waiting.get(unit) ?? [];
      if (item === undefined || !(await this.#time.reached(item.atMs, job.signal))) return;
      const release = this.#options.context.clock.hold(`an action of ${this.run.filename}`);
      const settled = Promise.withResolvers<void>();
      this.#pending.set(unit, settled.promise);
      try {
        if (isItemOf(item, 'repeat')) await this.#enter(item, job);
        else if (isItemOf(item, 'when')) await this.#poll(item, job);
        else if (isBasicItem(item)) await this.#act(item, job);
        // Interrupted by the end of the job: the next run sends the command again with the same key.
        if (job.signal.aborted) return;
      } finally {
        this.#pending.delete(unit);
        settled.resolve();
        release();
      }
    }
  }

  async #act(item: Basic, job: JobOfRun): Promise<void> {
    const [, ...others] = this.#waiting.get(item.unit) ?? [];
    const settled = isStillExecuted(item, others, this.#time.elapsedMs)
      ? await this.#attempt(item, job)
      : this.#miss(item);
    if (!job.signal.aborted) this.#settle(item, settled, job);
  }

  /** An iteration of a loop; those before it that were missed are not made up for. */
  async #enter(due: ProfileItem<RepeatAction>, job: JobOfRun): Promise<void> {
    const { elapsedMs } = this.#time;
    const item = elapsedMs - due.atMs > maxLatenessMs ? currentIteration(due, elapsedMs) : due;
    const missed = item.iteration - due.iteration;
    if (missed > 0) this.#log(item.unit, 'WARNING', `Missed: ${missed} iterations of the loop at ${item.path}.`);
    const settled = await this.#iteration(item, due.iteration === 0).catch((error: unknown): Settled => {
      const reason = reasonOf(error);
      this.#log(item.unit, 'WARNING', `An iteration of the loop at ${item.path} is left out: ${reason}`);
      return { outcome: 'failed', reason };
    });
    if (!job.signal.aborted) this.#settle(item, settled, job, due);
  }

  /** @throws EvaluationError */
  async #iteration(item: ProfileItem<RepeatAction>, isFirst: boolean): Promise<Settled> {
    const { action, unit, path } = item;
    if ((await this.#target(unit)) === undefined) return this.#left(item);
    const conditions = [...(isFirst ? [action.if] : []), action.while];
    const scope = await this.#scope(item, readByConditions(conditions, item));
    if (isFirst && !holds(action.if, scope)) return this.#conditionFails(item, 'if', action.if);
    if (holds(action.while, scope)) return { outcome: 'entered' };
    const reason = `'while' does not hold: ${shownCondition(action.while)}`;
    this.#log(unit, 'INFO', `The loop at ${path} has ended. ${reason}.`);
    return { outcome: 'ended', reason };
  }

  async #poll(item: ProfileItem<WhenAction>, job: JobOfRun): Promise<void> {
    const key = `${item.unit} ${itemKey(item)}`;
    const { unit, path } = item;
    try {
      const settled = await this.#wait(item);
      this.#failures.delete(key);
      if (settled !== undefined) {
        if (!job.signal.aborted) this.#settle(item, settled, job);
        return;
      }
    } catch (error) {
      const failures = this.#failures.get(key) ?? 0;
      this.#failures.set(key, failures + 1);
      if (failures % reportEvery === 0 && !job.signal.aborted)
        this.#log(unit, 'WARNING', `The condition at ${path} counts as false: ${reasonOf(error)}`);
    }
    const atMs = this.#time.elapsedMs + pollMs + pollSpreadMs * this.#options.random();
    const others = (this.#waiting.get(unit) ?? []).slice(1);
    this.#waiting.set(unit, withItems(others, [{ ...item, atMs }]));
  }

  /** Undefined: the condition does not hold yet. @throws EvaluationError */
  async #wait(item: ProfileItem<WhenAction>): Promise<Settled | undefined> {
    const { action, unit } = item;
    if ((await this.#target(unit)) === undefined) return this.#left(item);
    const condition = conditionOf(action);
    const scope = await this.#scope(item, readByConditions([action.if, condition], item));
    if (!holds(action.if, scope)) return this.#conditionFails(item, 'if', action.if);
    if (!holds(condition, scope)) return undefined;
    const reason = `the condition holds: ${shownCondition(condition)}`;
    this.#log(unit, 'INFO', `The wait at ${item.path} is over: ${reason}.`);
    return { outcome: 'held', reason };
  }

  #conditionFails({ unit, path }: ProfileItem, name: string, condition: ProfileCondition): Settled {
    const reason = `'${name}' does not hold: ${shownCondition(condition)}`;
    if (condition !== false) this.#log(unit, 'INFO', `Skipped: ${path}. ${reason}.`);
    return { outcome: 'skipped', reason };
  }

  #left({ unit, path }: ProfileItem): Settled {
    const reason = 'The unit is no longer in this experiment.';
    this.#log(unit, 'DEBUG', `Skipped: ${path}. ${reason}`);
    return { outcome: 'skipped', reason };
  }

  #miss(item: Basic): Settled {
    const due = toTimestamp(this.#time.dueAt(item.atMs));
    const message = `Missed: ${stepText(item)}, due at ${due}. Missed starts and changes are not repeated.`;
    this.#log(item.unit, 'WARNING', message);
    return { outcome: 'missed', reason: 'It was due while the leader was off.' };
  }

  /** A failed action is logged, and the profile continues. */
  async #attempt(item: Basic, job: JobOfRun): Promise<Settled> {
    try {
      return await this.#perform(item, job);
    } catch (error) {
      const reason = reasonOf(error);
      if (!job.signal.aborted) this.#log(item.unit, 'ERROR', `Error in ${stepText(item)}: ${reason}`);
      return { outcome: 'failed', reason };
    }
  }

  async #perform(written: Basic, job: JobOfRun): Promise<Settled> {
    const { unit } = written;
    const target = await this.#target(unit);
    if (target === undefined) return this.#left(written);
    const action = await this.#evaluate(written);
    if (action === null) return this.#conditionFails(written, 'if', written.action.if);
    const item = { ...written, action };
    if (action.type === 'start' && !target.isActive) {
      this.#log(unit, 'WARNING', `Skipped: ${stepText(item)}. The unit is not active.`);
      return { outcome: 'skipped', reason: 'The unit is not active.' };
    }
    if (this.run.isDryRun) {
      const what = action.type === 'log' ? `"${action.options.message}"` : stepText(item);
      this.#log(unit, 'INFO', `Dry run, not done: ${what}.`);
      return { outcome: 'done' };
    }
    if (action.type === 'log') {
      const { message, level } = action.options;
      this.#log(unit, levelOf(level), message);
      return { outcome: 'done' };
    }
    if (action.type === 'start') this.#mayHaveStarted(unit, item.job);
    return this.#send(item, stepOrder(item, this.#sender, target), job);
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
    const { context, store } = this.#options;
    const isEffective = evaluated !== null && evaluated.type !== 'log' && !this.run.isDryRun;
    if (isEffective) await store.begun(this.run.id, item, valuesOf(evaluated), context.clock.now());
    return evaluated;
  }

  async #scope({ unit, job }: ProfileItem, reads: readonly PublishedOf[]): Promise<ExpressionScope> {
    const { context, random } = this.#options;
    return {
      unit,
      job,
      random,
      experiment: this.run.experiment.name,
      hoursElapsed: this.#time.elapsedMs / 3_600_000,
      actionCount: this.#settledActions,
      inputs: this.#profile.inputs,
      published: await publishedValues(context, reads),
    };
  }

  async #send(item: Basic, order: StepOrder, job: JobOfRun): Promise<Settled> {
    const { desired } = this.#options.context;
    const { unit } = item;
    const { experiment } = this.#sender;
    if (order.starts !== undefined) await desired.beforeStart([unit], { experiment, jobName: order.starts });
    for (const [index, command] of order.commands.entries()) {
      const outcome = await this.#command(command, `${this.run.uid}-${shortKey(item)}-${index}`, order, job);
      this.#report(command, item.job, outcome);
      if (job.signal.aborted) return { outcome: 'failed' };
      if (outcome?.ok) continue;
      if (item.action.type !== 'start' && outcome?.status_code === notFound) {
        const reason = `${item.job} does not run on ${unit}: nothing to ${item.action.type}.`;
        this.#log(unit, 'DEBUG', reason);
        return { outcome: 'skipped', reason };
      }
      const { message, cause } = outcome?.error ?? { message: 'No answer.', cause: undefined };
      const reason = cause === undefined || cause === message ? message : `${message} ${cause}`;
      this.#log(unit, 'ERROR', `Failed: ${stepText(item)}. ${reason}`);
      return { outcome: 'failed', reason };
    }
    this.#log(unit, 'INFO', `Done: ${stepText(item)}.`);
    return { outcome: 'done' };
  }

  /** The key is the same after a restart: a unit executes a command once. */
  async #command(
    command: UnitCommand,
    idempotencyKey: string,
    { isStop, starts }: StepOrder,
    job: JobOfRun,
  ): Promise<UnitOutcome | undefined> {
    const { fleet, wire } = this.#options.context;
    const stops = { experiment: this.#sender.experiment, jobName: isStop ? bodyJob(command) : null };
    for (let attempt = 1; ; attempt += 1) {
      const answers = await fleet.command([command], {
        lane: isStop ? 'stop' : 'command',
        idempotencyKey,
        ...(starts !== undefined && { requiresChanges: true }),
      });
      const outcomes = isStop ? await orderMissedStops(this.#options.context, answers, stops) : answers;
      const outcome = ownValue(outcomes, command.unit);
      if (isStop || outcome === undefined || !mayTryAgain(outcome) || attempt === attempts) return outcome;
      await wire.sleep(attemptPauseMs, job.signal).catch(() => undefined);
      if (job.signal.aborted) return outcome;
    }
  }

  #report(command: UnitCommand, job: string | null, outcome: UnitOutcome | undefined): void {
    const { experiment } = this.#sender;
    this.#options.onCommand({ command, experiment, job, account: actingAccount(), outcome });
  }

  /** What follows does not wait for the disk: the key prevents a repeated command. `due`: as it waited, if it differs. */
  #settle(item: ProfileItem, { outcome, reason }: Settled, job: JobOfRun, due = item): void {
    const { context, store } = this.#options;
    const settledMs = Math.round(this.#time.elapsedMs);
    const others = (this.#waiting.get(item.unit) ?? []).filter((each) => each !== due);
    this.#waiting.set(item.unit, withItems(others, followingItems(item, outcome, settledMs)));
    if (isBasicItem(item)) this.#settledActions += 1;
    job.publish('action_count', this.#settledActions);
    const release = context.clock.hold(`the record of an action of ${this.run.filename}`);
    const at = context.clock.now();
    void store.settle(this.run.id, item, { outcome, reason, settledMs, at }).finally(release);
  }

  #mayHaveStarted(unit: string, job: string): void {
    this.#started.set(job, (this.#started.get(job) ?? new Set()).add(unit));
  }

  async #stopOn(units: readonly string[]): Promise<void> {
    const { fleet } = this.#options.context;
    const { experiment } = this.#sender;
    const commands = units.map((unit) => stopSourceCommand(unit, this.#sender));
    let outcomes = await fleet.command(commands, { lane: 'stop' });
    try {
      for (const [jobName, startedOn] of this.#started) {
        const those = Object.fromEntries(Object.entries(outcomes).filter(([unit]) => startedOn.has(unit)));
        outcomes = { ...outcomes, ...(await orderMissedStops(this.#options.context, those, { experiment, jobName })) };
      }
    } catch (error) {
      this.#options.context.log.error('Stops could not be queued', { run: this.run.uid, error: String(error) });
    }
    for (const command of commands) this.#report(command, null, ownValue(outcomes, command.unit));
    for (const outcome of Object.values(outcomes)) {
      if (!outcome.ok) this.#log(outcome.unit, 'ERROR', `Its jobs could not be stopped: ${outcome.error.message}`);
    }
  }

  /** The assignment of a unit to this experiment; undefined: none. */
  async #target(unit: string): Promise<Target | undefined> {
    const row = await this.#options.context.database.read
      .selectFrom('assignments as a')
      .innerJoin('workers as w', 'w.reactor_unit', 'a.reactor_unit')
      .where('a.reactor_unit', '=', unit)
      .where('a.experiment_id', '=', this.run.experiment.id)
      .select(['w.is_active', 'w.model_name', 'w.model_version'])
      .executeTakeFirst();
    if (row === undefined) return undefined;
    const { model_name: name, model_version: version } = row;
    return { unit, isActive: row.is_active === 1, model: name && version ? { name, version } : null };
  }

  #log(unit: string, level: LogLevel, message: string): void {
    this.#options.log.log({ experiment: this.run.experiment.name, unit, level, message, task: profileJobName });
  }
}

const isOfBranch = (outcome: ItemOutcome): boolean =>
  outcome === 'entered' || outcome === 'ended' || outcome === 'held';

const reasonOf = (error: unknown): string => (error instanceof EvaluationError ? error.message : String(error));

/** What was settled before, also by a version that numbered its steps. */
function settledOf(
  { settled, numbered }: StoredItems,
  profile: Profile,
  units: Parameters<typeof numberedItems>[1],
): readonly SettledItem[] {
  if (numbered.length === 0) return settled;
  const items = numberedItems(profile, units);
  const former = numbered.flatMap((position): readonly SettledItem[] => {
    const item = items[position];
    return item === undefined ? [] : [{ ...item, outcome: 'done', settledMs: item.atMs }];
  });
  return [...former, ...settled];
}

const levelOf = (name: string): LogLevel => {
  const upper = name.toUpperCase();
  return upper === 'DEBUG' || upper === 'INFO' || upper === 'WARNING' || upper === 'ERROR' ? upper : 'NOTICE';
};

/** The job of a stop command. */
const bodyJob = ({ body }: UnitCommand): string | null => (hasShape(StopJobs, body) ? (body.job_name ?? null) : null);
