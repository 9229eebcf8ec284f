import { hasShape, type LogLevel, ownValue, StopJobs, type UnitOutcome } from '@lcs/contract';
import { isStillExecuted, type Profile, type ProfileStep, planProfile } from '@lcs/domain';
import type { JobContext } from '@lcs/node';
import { actingAccount, toTimestamp } from '@lcs/platform';
import type { LeaderContext, UnitCommand } from '../core/leader-context.ts';
import { orderMissedStops } from '../fleet/missed-stops.ts';
import type { StartTarget } from '../jobs/job-targets.ts';
import type { LeaderJobLog } from './profile-log.ts';
import { profileJobName } from './profile-request.ts';
import type { RunStore, StepOutcome, StoredRun } from './run-store.ts';
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
  readonly context: Pick<LeaderContext, 'clock' | 'database' | 'desired' | 'fleet' | 'log' | 'wire'>;
  readonly store: RunStore;
  readonly log: LeaderJobLog;
  /** Called for each command that was sent; must not throw. */
  readonly onCommand: (sent: SentCommand) => void;
}

/** Delays between attempts of a command that did not reach its unit, in milliseconds. */
const attempts = 3;
const attemptPauseMs = 500;

/** Codes of the unit: the job does not run; another start of it was requested a moment ago. */
const notFound = 404;
const tooSoon = 429;

const mayTryAgain = (outcome: UnitOutcome): boolean =>
  !outcome.ok && (outcome.error.kind === 'connection_error' || outcome.status_code === tooSoon);

/** One run of a profile: executes its steps at their times, sequentially per unit, independently between units. */
export class ProfileRun {
  readonly run: StoredRun;
  readonly #options: ProfileRunOptions;
  readonly #steps: readonly ProfileStep[];
  readonly #sender: StepSender;
  readonly #time: RunTime;
  readonly #settled: Set<number>;
  /** Commands that have not been answered yet, by unit. */
  readonly #pending = new Map<string, Promise<void>>();

  /** @param settled positions of steps that an earlier part of this run has done. */
  constructor(run: StoredRun, profile: Profile, settled: ReadonlySet<number>, options: ProfileRunOptions) {
    this.run = run;
    this.#options = options;
    this.#steps = planProfile(profile, { common: run.commonUnits, own: run.ownUnits });
    this.#sender = { experiment: run.experiment.name, source: `${profileJobName}/${run.firstJobId}` };
    this.#time = new RunTime(options.context.clock, run);
    this.#settled = new Set(settled);
  }

  /** Steps done, failed or skipped so far, and how many there are. */
  get counts(): { readonly settled: number; readonly all: number } {
    return { settled: this.#settled.size, all: this.#steps.length };
  }

  /** Executes the steps; resolves after the last one, or when `job` ends. */
  async perform(job: JobContext): Promise<void> {
    job.publish('action_count', this.#settled.size);
    const units = [...new Set(this.#steps.map(({ unit }) => unit))];
    await Promise.all(units.map((unit) => this.#performOn(unit, job)));
  }

  /** Pauses the remaining steps; jobs that it has started continue. */
  async pause(): Promise<void> {
    const { pausedForMs, pausedAfterMs } = this.#time.pause();
    await this.#options.store.paused(this.run.id, pausedForMs, pausedAfterMs);
  }

  /** Continues; the remaining steps are delayed by the pause. */
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
    const units = [...new Set(this.#steps.map(({ unit }) => unit))];
    const underWay = [...this.#pending];
    await this.#stopOn(units);
    if (underWay.length === 0) return;
    await Promise.all(underWay.map(([, settled]) => settled));
    await this.#stopOn(underWay.map(([unit]) => unit));
  }

  /** Resolves when no command is pending. */
  async settled(): Promise<void> {
    await Promise.all(this.#pending.values());
  }

  async #performOn(unit: string, job: JobContext): Promise<void> {
    const steps = this.#steps.filter((step) => step.unit === unit);
    for (const step of steps) {
      if (this.#settled.has(step.position)) continue;
      if (!(await this.#time.reached(step.atMs, job.signal))) return;
      const release = this.#options.context.clock.hold(`a step of ${this.run.filename}`);
      const settled = Promise.withResolvers<void>();
      this.#pending.set(unit, settled.promise);
      try {
        const outcome = isStillExecuted(step, steps, this.#time.elapsedMs)
          ? await this.#attempt(step, job)
          : this.#miss(step);
        // Interrupted by the end of the job: the next run sends the command again with the same key.
        if (job.signal.aborted) return;
        this.#settle(step, outcome, job);
      } finally {
        this.#pending.delete(unit);
        settled.resolve();
        release();
      }
    }
  }

  #miss(step: ProfileStep): StepOutcome {
    const due = toTimestamp(this.#time.dueAt(step.atMs));
    const message = `Missed: ${stepText(step)}, due at ${due}. Missed starts and changes are not repeated.`;
    this.#log(step.unit, 'WARNING', message);
    return 'missed';
  }

  /** A failed step is logged, and the profile continues. */
  async #attempt(step: ProfileStep, job: JobContext): Promise<StepOutcome> {
    try {
      return await this.#perform(step, job);
    } catch (error) {
      if (!job.signal.aborted) this.#log(step.unit, 'ERROR', `Error in ${stepText(step)}: ${String(error)}`);
      return 'failed';
    }
  }

  async #perform(step: ProfileStep, job: JobContext): Promise<StepOutcome> {
    const { unit, action } = step;
    const target = await this.#target(unit);
    if (target === undefined) {
      this.#log(unit, 'DEBUG', `Skipped: ${stepText(step)}. The unit is no longer in this experiment.`);
      return 'skipped';
    }
    if (action.type === 'start' && !target.isActive) {
      this.#log(unit, 'WARNING', `Skipped: ${stepText(step)}. The unit is not active.`);
      return 'skipped';
    }
    if (this.run.isDryRun) {
      const what = action.type === 'log' ? `"${action.options.message}"` : stepText(step);
      this.#log(unit, 'INFO', `Dry run, not done: ${what}.`);
      return 'done';
    }
    if (action.type === 'log') {
      const { message, level } = action.options;
      this.#log(unit, levelOf(level), message);
      return 'done';
    }
    return this.#send(step, stepOrder(step, this.#sender, target), job);
  }

  async #send(step: ProfileStep, order: StepOrder, job: JobContext): Promise<StepOutcome> {
    const { desired } = this.#options.context;
    const { unit } = step;
    const { experiment } = this.#sender;
    if (order.starts !== undefined) await desired.beforeStart([unit], { experiment, jobName: order.starts });
    for (const [index, command] of order.commands.entries()) {
      const outcome = await this.#command(command, `${this.run.uid}-${step.position}-${index}`, order, job);
      this.#report(command, step.job, outcome);
      if (job.signal.aborted) return 'failed';
      if (outcome?.ok) continue;
      if (step.action.type !== 'start' && outcome?.status_code === notFound) {
        this.#log(unit, 'DEBUG', `${step.job} does not run on ${unit}: nothing to ${step.action.type}.`);
        return 'skipped';
      }
      const { message, cause } = outcome?.error ?? { message: 'No answer.', cause: undefined };
      const why = cause === undefined || cause === message ? message : `${message} ${cause}`;
      this.#log(unit, 'ERROR', `Failed: ${stepText(step)}. ${why}`);
      return 'failed';
    }
    this.#log(unit, 'INFO', `Done: ${stepText(step)}.`);
    return 'done';
  }

  /** The key is the same after a restart: a unit executes a command once. */
  async #command(
    command: UnitCommand,
    idempotencyKey: string,
    { isStop, starts }: StepOrder,
    job: JobContext,
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

  /** The next step does not wait for the disk: the key prevents a repeated command. */
  #settle({ position }: ProfileStep, outcome: StepOutcome, job: JobContext): void {
    const { context, store } = this.#options;
    this.#settled.add(position);
    job.publish('action_count', this.#settled.size);
    const release = context.clock.hold(`the record of a step of ${this.run.filename}`);
    void store.settle(this.run.id, position, outcome, context.clock.now()).finally(release);
  }

  async #stopOn(units: readonly string[]): Promise<void> {
    const { fleet } = this.#options.context;
    const { experiment } = this.#sender;
    const commands = units.map((unit) => stopSourceCommand(unit, this.#sender));
    let outcomes = await fleet.command(commands, { lane: 'stop' });
    try {
      for (const [jobName, startedOn] of this.#started()) {
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

  /** The units on which this run may have started each job. */
  #started(): ReadonlyMap<string, ReadonlySet<string>> {
    const started = new Map<string, Set<string>>();
    for (const { action, job, unit, position } of this.#steps) {
      if (action.type !== 'start' || !(this.#settled.has(position) || this.#pending.has(unit))) continue;
      started.set(job, (started.get(job) ?? new Set()).add(unit));
    }
    return started;
  }

  /** The assignment of a unit to this experiment; undefined: none. */
  async #target(unit: string): Promise<(StartTarget & { readonly isActive: boolean }) | undefined> {
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

const levelOf = (name: string): LogLevel => {
  const upper = name.toUpperCase();
  return upper === 'DEBUG' || upper === 'INFO' || upper === 'WARNING' || upper === 'ERROR' ? upper : 'NOTICE';
};

/** The job of a stop command. */
const bodyJob = ({ body }: UnitCommand): string | null => (hasShape(StopJobs, body) ? (body.job_name ?? null) : null);
