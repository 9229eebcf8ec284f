import { type LogLevel, profileJobName } from '@lcs/contract';
import {
  actionsByPath,
  type BasicAction,
  changedJobs,
  currentIteration,
  followingItems,
  type ItemOutcome,
  isBasicItem,
  isItemOf,
  itemKey,
  lateDecision,
  makesSafer,
  maxLatenessMs,
  numberedItems,
  type Profile,
  type ProfileItem,
  type ProfileUnits,
  profileItems,
  type RepeatAction,
  type SettledItem,
  type WhenAction,
  waitingItems,
  withItems,
} from '@lcs/domain';
import type { JobContext } from '@lcs/node';
import { toTimestamp } from '@lcs/platform';
import type { Fleet, LeaderContext } from '../core/leader-context.ts';
import { ItemExecution, reasonOf } from './item-execution.ts';
import { type KnownClocks, PlannedStops } from './planned-stops.ts';
import type { LeaderJobLog } from './profile-log.ts';
import type { Progress } from './run-record.ts';
import type { RunChange, RunState, RunStore, StoredItems, StoredKey, StoredRun, StoredSkip } from './run-store.ts';
import { RunTime } from './run-time.ts';
import { type SentCommand, stepText } from './step-commands.ts';
import { type Settled, StepDelivery } from './step-delivery.ts';

export interface ProfileRunOptions {
  readonly context: Pick<LeaderContext, 'clock' | 'database' | 'desired' | 'log' | 'wire'> & {
    readonly fleet: Pick<Fleet, 'command' | 'passOn'>;
    readonly units: KnownClocks;
  };
  readonly store: RunStore;
  readonly log: Pick<LeaderJobLog, 'log'>;
  /** Numbers from 0 to below 1. */
  readonly random: () => number;
  /** Called for each command that was sent; must not throw. */
  readonly onCommand: (sent: SentCommand) => void;
  /** Called for each action that failed, also of a loop; must not throw. */
  readonly onFailure: (failed: FailedAction) => void;
}

/** An action of a run that failed; the run continues. */
interface FailedAction {
  readonly unit: string;
  readonly experimentUid: string;
  readonly job: string;
  /** A sentence: which action of which profile failed, and why. */
  readonly message: string;
}

/** What a run needs of the job that carries it out. */
type JobOfRun = Pick<JobContext, 'signal' | 'publish' | 'rest'>;

type Basic = ProfileItem<BasicAction>;

/** A condition is evaluated again after 15 to 25 s, so that units are not asked all at once. */
const pollMs = 15_000;
const pollSpreadMs = 10_000;
/** A condition that cannot be evaluated is reported at the first of so many attempts. */
const reportEvery = 45;

/** One run of a profile: does what is due on each unit, one after the other, independently of other units. */
export class ProfileRun {
  readonly run: StoredRun;
  readonly #options: ProfileRunOptions;
  readonly #profile: Profile;
  readonly #delivery: StepDelivery;
  readonly #execution: ItemExecution;
  readonly #time: RunTime;
  /** By unit, in the order of execution. */
  readonly #waiting: Map<string, readonly ProfileItem[]>;
  /** Attempts to evaluate a condition that failed in a row, by unit and item. */
  readonly #failures = new Map<string, number>();
  #settledActions: number;
  #failedActions: number;
  /** Commands that have not been answered yet, by unit. */
  readonly #pending = new Map<string, Promise<void>>();
  /** The missed action about which it asks. */
  #asksAbout: ProfileItem | undefined;
  /** Actions that were due until this time of the run are carried out: a person has confirmed it. */
  #confirmedMs = Number.NEGATIVE_INFINITY;
  #skipped: StoredSkip | undefined;
  /** When waits that are evaluated began, by unit and item. */
  readonly #waitsSince = new Map<string, number>();
  readonly #startedJobs = new Set<string>();
  #job: JobOfRun | undefined;
  readonly #stops: PlannedStops;
  /** Changes by persons, one after the other. Never rejects. */
  #changes: Promise<unknown> = Promise.resolve();

  /** @param stored what an earlier part of this run has done */
  constructor(run: StoredRun, profile: Profile, stored: StoredItems, options: ProfileRunOptions) {
    this.run = run;
    this.#options = options;
    this.#profile = profile;
    const { context, store, random, onCommand } = options;
    const log = (unit: string, level: LogLevel, message: string) => this.#log(unit, level, message);
    this.#delivery = new StepDelivery({ context, run, onCommand, log });
    this.#execution = new ItemExecution({
      context,
      store,
      run,
      random,
      log,
      inputs: profile.inputs,
      evaluated: stored.evaluated,
      delivery: this.#delivery,
      endOf: (start) => this.#stops.endOf(start, this.#waiting.get(start.unit) ?? []),
      progress: () => ({ elapsedMs: this.#time.elapsedMs, settledActions: this.#settledActions }),
    });
    this.#skipped = run.skipped;
    this.#time = new RunTime(options.context.clock, run);
    this.#stops = new PlannedStops({ run, time: this.#time, delivery: this.#delivery, context });
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
    const actions = actionsByPath(profile);
    for (const { unit, path } of [...settled, ...stored.evaluated]) {
      const found = actions.get(path);
      if (found?.action.type === 'start') this.#delivery.mayHaveStarted(unit, found.job);
    }
    for (const each of [...settled].sort((a, b) => a.settledMs - b.settledMs))
      this.#noteStop(each, actions.get(each.path), each.outcome);
    this.#settledActions = settled.filter(({ outcome }) => !isOfBranch(outcome)).length;
    this.#failedActions = settled.filter(({ outcome }) => outcome === 'failed').length;
    this.#asksAbout = run.asksAbout && this.#item(run.asksAbout);
  }

  /** Actions done, failed or skipped so far, how many of them failed, and how many there are at least: loops and waits may add more. */
  get counts(): { readonly settled: number; readonly failed: number; readonly all: number } {
    const waiting = [...this.#waiting.values()].reduce((sum, items) => sum + items.length, 0);
    return { settled: this.#settledActions, failed: this.#failedActions, all: this.#settledActions + waiting };
  }

  /** What is next, by time. */
  get isPaused(): boolean {
    return this.#time.isPaused;
  }

  /** The missed action about which the run asks. */
  get asksAbout(): ProfileItem | undefined {
    return this.#asksAbout;
  }

  get progress(): Progress {
    const waiting = [...this.#waiting.values()].flat().sort((a, b) => a.atMs - b.atMs);
    return {
      isPaused: this.#time.isPaused,
      asksAbout: this.#asksAbout,
      waiting: waiting.map((item) => [item, this.#time.dueAt(item.atMs), this.#isEvaluated(item)]),
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
    this.#job = job;
    job.publish('action_count', this.#settledActions);
    const units = [...this.#waiting.keys()];
    await Promise.all(units.map((unit) => this.#makeSafe(unit, job)));
    await Promise.all(units.map((unit) => this.#performOn(unit, job)));
  }

  /** Delays what is left; jobs that it has started continue. `account`: who requested it. */
  pause(account: string | null): Promise<void> {
    return this.#inTurn(async () => {
      if (this.#time.isPaused) return;
      this.#time.pause();
      this.#stops.moved(this.#waiting.values());
      await this.#record({ kind: 'paused', account });
    });
  }

  /** Continues; what is left is delayed by the pause. What was missed before the question of the run is carried out. */
  resume(account: string | null): Promise<void> {
    return this.#inTurn(async () => {
      if (!this.#time.isPaused) return;
      if (this.#asksAbout !== undefined) this.#confirmedMs = this.#time.elapsedMs;
      this.#asksAbout = undefined;
      this.#time.resume();
      this.#stops.moved(this.#waiting.values());
      await this.#record({ kind: 'resumed', account });
    });
  }

  /**
   * Ends a wait that is evaluated as if its condition held; leaves out the missed action about which the run asks; else continues at the
   * time of the item: what was due before is skipped, except for stops and pauses. Resolves with false when the item does not wait.
   */
  skip(key: StoredKey, account: string | null): Promise<boolean> {
    return this.#inTurn(async () => {
      const item = this.#item(key);
      if (item === undefined) return false;
      const change = { kind: 'skipped', account, item: keyOf(item) } as const;
      if (item === this.#asksAbout) await this.#leaveOut(item, change);
      else if (this.#isEvaluated(item)) await this.#endWait(item, change);
      else await this.#jump(item.atMs, change);
      return true;
    });
  }

  /**
   * Stops all jobs that this run has started. A stop that does not reach its unit is queued for its return; a start that was on its way
   * to a unit is stopped after its arrival. Never rejects.
   */
  async stopJobs(): Promise<void> {
    if (this.run.isDryRun) return;
    const underWay = [...this.#pending];
    await this.#delivery.stopAll([...this.#waiting.keys()]);
    if (underWay.length === 0) return;
    await Promise.all(underWay.map(([, settled]) => settled));
    await this.#delivery.stopAll(underWay.map(([unit]) => unit));
  }

  /** Resolves when no command is pending. */
  async settled(): Promise<void> {
    await Promise.all([...this.#pending.values(), this.#stops.sent]);
  }

  /** After a restart, before it asks: carries out what makes safer, and leaves out the starts before a missed stop. */
  async #makeSafe(unit: string, job: JobOfRun): Promise<void> {
    if (this.#profile.late_actions !== 'ask' || this.#time.isPaused) return;
    for (const item of this.#waiting.get(unit) ?? []) {
      if (job.signal.aborted) return;
      const waiting = this.#waiting.get(unit) ?? [];
      if (!isBasicItem(item) || this.#time.elapsedMs - item.atMs <= maxLatenessMs) continue;
      const isDue = makesSafer(item, waiting, this.#time.elapsedMs) || this.#decision(item) === 'miss';
      if (isDue) await this.#carryOut(item, job);
    }
  }

  async #performOn(unit: string, job: JobOfRun): Promise<void> {
    while (!job.signal.aborted) {
      const [item] = this.#waiting.get(unit) ?? [];
      if (item === undefined) return;
      const came = await this.#time.reached(item.atMs, job.signal);
      // After a change another item may be the next one.
      if (came === 'reached') await this.#carryOut(item, job);
    }
  }

  /** Interrupted by the end of the job, it is not settled: the next run sends the command again with the same key. */
  async #carryOut(item: ProfileItem, job: JobOfRun): Promise<void> {
    const release = this.#options.context.clock.hold(`an action of ${this.run.filename}`);
    const settled = Promise.withResolvers<void>();
    this.#pending.set(item.unit, settled.promise);
    try {
      if (this.#isSkipped(item)) this.#settle(item, { outcome: 'skipped', reason: skipReason(this.#skipped) });
      else if (isItemOf(item, 'repeat')) await this.#enter(item, job);
      else if (isItemOf(item, 'when')) await this.#poll(item, job);
      else if (isBasicItem(item)) await this.#act(item, job);
    } finally {
      this.#pending.delete(item.unit);
      settled.resolve();
      release();
    }
  }

  async #act(item: Basic, job: JobOfRun): Promise<void> {
    const decision = this.#decision(item);
    if (decision === 'ask') return this.#ask(item, job);
    const settled = decision === 'execute' ? await this.#execution.attempt(item, job.signal) : this.#miss(item);
    if (!job.signal.aborted) this.#settle(item, settled);
  }

  #decision(item: Basic): ReturnType<typeof lateDecision> {
    const { elapsedMs } = this.#time;
    // A stop or a pause before a skip is carried out, whatever was skipped after it.
    if (item.atMs <= this.#confirmedMs || this.#isBeforeSkip(item)) return 'execute';
    return lateDecision(item, this.#waiting.get(item.unit) ?? [], elapsedMs, this.#profile.late_actions);
  }

  /** Pauses until a person resumes the run, or skips the action. */
  async #ask(item: Basic, job: JobOfRun): Promise<void> {
    if (this.#time.isPaused) return;
    this.#time.pause();
    this.#stops.moved(this.#waiting.values());
    this.#asksAbout = item;
    const due = toTimestamp(this.#time.dueAt(item.atMs));
    const message = `Missed: ${stepText(item)}, due at ${due}. The run is paused: resume it to carry this out, or skip this action.`;
    this.#log(item.unit, 'WARNING', message);
    await this.#inTurn(() => this.#record({ kind: 'asked', account: null, item: keyOf(item) }));
    job.rest();
  }

  /** An iteration of a loop; those before it that were missed or skipped are not made up for. */
  async #enter(due: ProfileItem<RepeatAction>, job: JobOfRun): Promise<void> {
    const { elapsedMs } = this.#time;
    const isBeforeSkip = this.#isBeforeSkip(due);
    const isLate = isBeforeSkip || elapsedMs - due.atMs > maxLatenessMs;
    const item = isLate ? currentIteration(due, elapsedMs) : due;
    const left = item.iteration - due.iteration;
    const how = isBeforeSkip ? 'Skipped' : 'Missed';
    if (left > 0) this.#log(item.unit, 'WARNING', `${how}: ${left} iterations of the loop at ${item.path}.`);
    const settled = await this.#execution.iteration(item, due.iteration === 0).catch((error: unknown): Settled => {
      const reason = reasonOf(error);
      this.#log(item.unit, 'WARNING', `An iteration of the loop at ${item.path} is left out: ${reason}`);
      return { outcome: 'failed', reason };
    });
    if (!job.signal.aborted) this.#settle(item, settled, due);
  }

  async #poll(item: ProfileItem<WhenAction>, job: JobOfRun): Promise<void> {
    const key = `${item.unit} ${itemKey(item)}`;
    const { unit, path } = item;
    if (!this.#waitsSince.has(key) && this.#time.elapsedMs - item.atMs > maxLatenessMs)
      this.#log(unit, 'WARNING', `The condition at ${path} was not evaluated while the leader was off.`);
    try {
      const settled = await this.#execution.wait(item);
      if (settled !== undefined) {
        if (!job.signal.aborted) this.#settle(item, withFailures(settled, this.#failures.get(key) ?? 0));
        return;
      }
      this.#failures.delete(key);
    } catch (error) {
      const failures = this.#failures.get(key) ?? 0;
      this.#failures.set(key, failures + 1);
      if (failures % reportEvery === 0 && !job.signal.aborted)
        this.#log(unit, 'WARNING', `The condition at ${path} counts as false: ${reasonOf(error)}`);
    }
    const waiting = this.#waiting.get(unit) ?? [];
    if (!waiting.includes(item)) return;
    const atMs = this.#time.elapsedMs + pollMs + pollSpreadMs * this.#options.random();
    this.#waitsSince.set(key, this.#since(item));
    this.#waiting.set(
      unit,
      withItems(
        waiting.filter((each) => each !== item),
        [{ ...item, atMs }],
      ),
    );
  }

  #miss(item: Basic): Settled {
    const due = toTimestamp(this.#time.dueAt(item.atMs));
    const message = `Missed: ${stepText(item)}, due at ${due}. Missed starts and changes are not repeated.`;
    this.#log(item.unit, 'WARNING', message);
    return { outcome: 'missed', reason: 'It was due while the leader was off.' };
  }

  /**
   * What follows does not wait for the disk: the key prevents a repeated command. Does nothing when the item has been settled meanwhile.
   * `due`: as it waited, if it differs.
   */
  #settle(item: ProfileItem, { outcome, reason }: Settled, due = item): void {
    const { context, store } = this.#options;
    const waiting = this.#waiting.get(item.unit) ?? [];
    if (!waiting.includes(due)) return;
    const settledMs = Math.round(this.#time.elapsedMs);
    const others = waiting.filter((each) => each !== due);
    this.#waiting.set(item.unit, withItems(others, followingItems(item, outcome, settledMs)));
    if (isBasicItem(item)) this.#settledActions += 1;
    if (outcome === 'failed') this.#noteFailure(item, reason);
    this.#noteStop(item, item, outcome);
    this.#job?.publish('action_count', this.#settledActions);
    const release = context.clock.hold(`the record of an action of ${this.run.filename}`);
    const at = context.clock.now();
    void store.settle(this.run.id, item, { outcome, reason, settledMs, at }).finally(release);
  }

  /** A dry run does nothing that could fail a culture. */
  #noteFailure(item: ProfileItem, reason: string | undefined): void {
    this.#failedActions += 1;
    const { isDryRun, experiment, profileName } = this.run;
    if (isDryRun) return;
    const { unit, job } = item;
    const what = isBasicItem(item) ? stepText(item) : `a loop at ${item.path}`;
    const message = `The profile ${profileName} continues without ${what}, which failed. ${reason ?? ''}`.trimEnd();
    this.#options.onFailure({ unit, experimentUid: experiment.uid, job, message });
  }

  #noteStop(
    key: StoredKey,
    found: { readonly job: string; readonly action: Pick<ProfileItem['action'], 'type'> } | undefined,
    outcome: ItemOutcome,
  ): void {
    const type = found?.action.type;
    if (found === undefined || (type !== 'start' && type !== 'stop')) return;
    this.#stops.settled(key, type, outcome === 'done');
    const started = `${found.job} on ${key.unit}`;
    if (type === 'start' && outcome === 'done') this.#startedJobs.add(started);
    // Skipped: it did not run any more.
    if (type === 'stop' && outcome !== 'failed') this.#startedJobs.delete(started);
  }

  /** The jobs that it has started and not stopped, as `job on unit`; a person may have stopped them. */
  get startedJobs(): readonly string[] {
    return [...this.#startedJobs];
  }

  /** What an item does, as part of a sentence. */
  itemText(key: StoredKey): string {
    const item = this.#item(key);
    if (item === undefined) return key.path;
    if (isBasicItem(item)) return stepText(item);
    return `the ${item.action.type} of ${item.job} on ${item.unit}`;
  }

  /** The item that waits. */
  #item({ unit, path, iteration }: StoredKey): ProfileItem | undefined {
    return this.#waiting.get(unit)?.find((item) => item.path === path && item.iteration === iteration);
  }

  /** Since when an item is due: a wait is evaluated again and again. */
  #since(item: ProfileItem): number {
    return this.#waitsSince.get(`${item.unit} ${itemKey(item)}`) ?? item.atMs;
  }

  /** Whether it is a wait whose time has come. */
  #isEvaluated(item: ProfileItem): item is ProfileItem<WhenAction> {
    return isItemOf(item, 'when') && this.#since(item) <= this.#time.elapsedMs;
  }

  #isBeforeSkip(item: ProfileItem): boolean {
    return this.#skipped !== undefined && this.#since(item) < this.#skipped.toMs;
  }

  #isSkipped(item: ProfileItem): boolean {
    const { type } = item.action;
    return this.#isBeforeSkip(item) && type !== 'stop' && type !== 'pause' && type !== 'repeat';
  }

  /** The answer to the question of the run: the action is not carried out. */
  async #leaveOut(item: ProfileItem, change: Omit<RunChange, 'at'>): Promise<void> {
    await this.#settleFirst(item, { outcome: 'skipped', reason: skipReason({ by: change.account }) }, change);
    this.#asksAbout = undefined;
    this.#time.resume();
    this.#stops.moved(this.#waiting.values());
    await this.#save();
  }

  async #endWait(item: ProfileItem<WhenAction>, change: Omit<RunChange, 'at'>): Promise<void> {
    const reason = `its wait was ended${byAccount(change.account)}`;
    this.#log(item.unit, 'NOTICE', `The wait at ${item.path} is over: ${reason}.`);
    await this.#settleFirst(item, { outcome: 'held', reason }, change);
    this.#time.wake();
  }

  /** The settlement is stored before it takes effect. */
  async #settleFirst(found: ProfileItem, settled: Settled, change: Omit<RunChange, 'at'>): Promise<void> {
    const { store, context } = this.#options;
    const about = { ...settled, settledMs: Math.round(this.#time.elapsedMs), at: context.clock.now() };
    await store.settle(this.run.id, found, about);
    await store.changed(this.run.id, this.#state(), this.#now(change));
    // It may wait for its next evaluation meanwhile, or have ended by itself.
    const item = this.#item(keyOf(found));
    if (item !== undefined) this.#settle(item, settled);
  }

  /** Continues at a later time; an item that is due already changes nothing. */
  async #jump(toMs: number, change: Omit<RunChange, 'at'>): Promise<void> {
    if (toMs <= this.#time.elapsedMs) return;
    const skipped = { toMs, by: change.account };
    const state = { ...this.#state(), ...this.#time.positionAt(toMs), skipped };
    await this.#options.store.changed(this.run.id, state, this.#now(change));
    this.#skipped = skipped;
    this.#time.jump(toMs);
    const wasAsked = this.#asksAbout !== undefined;
    this.#asksAbout = undefined;
    if (wasAsked) this.#time.resume();
    this.#stops.moved(this.#waiting.values());
    if (wasAsked) await this.#save();
  }

  #state(): RunState {
    return { ...this.#time.position, asksAbout: this.#asksAbout && keyOf(this.#asksAbout), skipped: this.#skipped };
  }

  #now(change: Omit<RunChange, 'at'>): RunChange {
    return { ...change, at: this.#options.context.clock.now() };
  }

  #record(change: Omit<RunChange, 'at'>): Promise<void> {
    return this.#options.store.changed(this.run.id, this.#state(), this.#now(change));
  }

  #save(): Promise<void> {
    return this.#options.store.save(this.run.id, this.#state());
  }

  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const turn = this.#changes.then(work);
    // The caller has the outcome.
    this.#changes = turn.catch(() => {});
    return turn;
  }

  #log(unit: string, level: LogLevel, message: string): void {
    this.#options.log.log({ experiment: this.run.experiment.name, unit, level, message, task: profileJobName });
  }
}

const isOfBranch = (outcome: ItemOutcome): boolean =>
  outcome === 'entered' || outcome === 'ended' || outcome === 'held';

const keyOf = ({ unit, path, iteration }: ProfileItem): StoredKey => ({ unit, path, iteration });

const byAccount = (account: string | null): string => (account === null ? '' : ` by ${account}`);

const skipReason = (skip: Pick<StoredSkip, 'by'> | undefined): string =>
  `The run was moved past it${byAccount(skip?.by ?? null)}.`;

/** A condition that could not be evaluated may have held earlier. */
const withFailures = ({ outcome, reason }: Settled, failures: number): Settled => {
  const before = failures === 0 ? '' : `; it could not be evaluated ${failures} times before`;
  return reason === undefined ? { outcome } : { outcome, reason: `${reason}${before}` };
};

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
