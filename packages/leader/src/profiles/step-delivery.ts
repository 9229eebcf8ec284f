import { createHash } from 'node:crypto';
import { hasShape, type LogLevel, ownValue, profileJobName, StopJobs, type UnitOutcome } from '@lcs/contract';
import type { BasicAction, ItemOutcome, ProfileItem } from '@lcs/domain';
import { actingAccount, compiledOnce, queryBuilder } from '@lcs/platform';
import type { Fleet, LeaderContext, LeaderSchema, UnitCommand } from '../core/leader-context.ts';
import { orderMissedStops } from '../fleet/missed-stops.ts';
import type { StartTarget } from '../jobs/job-targets.ts';
import type { StoredRun } from './run-store.ts';
import {
  plannedEndCommand,
  type SentCommand,
  type StepOrder,
  type StepSender,
  stepOrder,
  stepText,
  stopSourceCommand,
} from './step-commands.ts';

/** What became of an item, and why. */
export interface Settled {
  readonly outcome: ItemOutcome;
  readonly reason?: string;
}

type Basic = ProfileItem<BasicAction>;
export type UnitTarget = StartTarget & { readonly isActive: boolean };

export interface StepDeliveryOptions {
  readonly context: Pick<LeaderContext, 'database' | 'desired' | 'log' | 'wire'> & {
    readonly fleet: Pick<Fleet, 'command'>;
  };
  readonly run: Pick<StoredRun, 'uid' | 'experiment' | 'firstJobId'>;
  /** Called for each command that was sent; must not throw. */
  readonly onCommand: (sent: SentCommand) => void;
  readonly log: (unit: string, level: LogLevel, message: string) => void;
}

/** Delays between attempts of a command that did not reach its unit, in milliseconds. */
const attempts = 3;
const attemptPauseMs = 500;

/** Codes of the unit: the job does not run; another start of it was requested a moment ago. */
const notFound = 404;
const tooSoon = 429;

const mayTryAgain = (outcome: UnitOutcome): boolean =>
  !outcome.ok && (outcome.error.kind === 'connection_error' || outcome.status_code === tooSoon);

/** Identifies an item in the keys of its commands, which have limited characters. */
const shortKey = ({ path, iteration }: ProfileItem): string =>
  `${createHash('sha256').update(path).digest('hex').slice(0, 16)}-${iteration}`;

/** The job of a stop command. */
const bodyJob = ({ body }: UnitCommand): string | null => (hasShape(StopJobs, body) ? (body.job_name ?? null) : null);

/** The assignment of a unit to an experiment; each evaluation of a condition asks for it. */
const assignmentTo = (experimentId: number) =>
  compiledOnce((unit) =>
    queryBuilder<LeaderSchema>()
      .selectFrom('assignments as a')
      .innerJoin('workers as w', 'w.reactor_unit', 'a.reactor_unit')
      .where('a.reactor_unit', '=', unit)
      .where('a.experiment_id', '=', experimentId)
      .select(['w.is_active', 'w.model_name', 'w.model_version']),
  );

/** Sends the commands of a run to its units, and stops the jobs that it has started. */
export class StepDelivery {
  readonly #options: StepDeliveryOptions;
  readonly #sender: StepSender;
  readonly #assignmentOf: ReturnType<typeof assignmentTo>;
  /** The units on which the run may have started each job. */
  readonly #started = new Map<string, Set<string>>();

  constructor(options: StepDeliveryOptions) {
    const { experiment, firstJobId } = options.run;
    this.#options = options;
    this.#assignmentOf = assignmentTo(experiment.id);
    this.#sender = { experiment: experiment.name, source: `${profileJobName}/${firstJobId}` };
  }

  mayHaveStarted(unit: string, job: string): void {
    this.#started.set(job, (this.#started.get(job) ?? new Set()).add(unit));
  }

  /** The assignment of a unit to the experiment; undefined: none. */
  async target(unit: string): Promise<UnitTarget | undefined> {
    const [row] = (await this.#assignmentOf(this.#options.context.database.read, unit)).rows;
    if (row === undefined) return undefined;
    const { model_name: name, model_version: version } = row;
    return { unit, isActive: row.is_active === 1, model: name && version ? { name, version } : null };
  }

  /** Sends the commands of an action one after the other. The outcome has no meaning when `signal` has aborted. */
  async deliver(item: Basic, target: UnitTarget, signal: AbortSignal, endsAt?: string): Promise<Settled> {
    const { context, run, log } = this.#options;
    const { unit } = item;
    const { experiment } = this.#sender;
    const order = stepOrder(item, this.#sender, target, endsAt);
    if (item.action.type === 'start') this.mayHaveStarted(unit, item.job);
    if (order.starts !== undefined) await context.desired.beforeStart([unit], { experiment, jobName: order.starts });
    for (const [index, command] of order.commands.entries()) {
      const outcome = await this.#command(command, `${run.uid}-${shortKey(item)}-${index}`, order, signal);
      this.#report(command, item.job, outcome);
      if (signal.aborted) return { outcome: 'failed' };
      if (outcome?.ok) continue;
      if (item.action.type !== 'start' && outcome?.status_code === notFound) {
        const reason = `${item.job} does not run on ${unit}: nothing to ${item.action.type}.`;
        log(unit, 'DEBUG', reason);
        return { outcome: 'skipped', reason };
      }
      const { message, cause } = outcome?.error ?? { message: 'No answer.', cause: undefined };
      const reason = cause === undefined || cause === message ? message : `${message} ${cause}`;
      log(unit, 'ERROR', `Failed: ${stepText(item)}. ${reason}`);
      return { outcome: 'failed', reason };
    }
    log(unit, 'INFO', `Done: ${stepText(item)}.`);
    return { outcome: 'done' };
  }

  /** Changes when a unit ends a job by itself; null: it does not. Never rejects. */
  async changeEnd(unit: string, job: string, endsAt: string | null): Promise<void> {
    const { context, log } = this.#options;
    const { experiment } = this.#sender;
    const command = plannedEndCommand(unit, job, experiment, endsAt);
    const outcome = ownValue(await context.fleet.command([command], { lane: 'command' }), unit);
    if (outcome === undefined || outcome.ok || outcome.status_code === notFound) return;
    const until = endsAt === null ? 'although the run is paused' : `not at ${endsAt}`;
    const message = `${unit} ends ${job} at the time that was planned before, ${until}: ${outcome.error.message}`;
    log(unit, 'WARNING', message);
  }

  /** Stops all jobs that the run has started on these units. A stop that does not reach its unit is queued for its return. Never rejects. */
  async stopAll(units: readonly string[]): Promise<void> {
    const { context, run, log } = this.#options;
    const { experiment } = this.#sender;
    const commands = units.map((unit) => stopSourceCommand(unit, this.#sender));
    let outcomes = await context.fleet.command(commands, { lane: 'stop' });
    try {
      for (const [jobName, startedOn] of this.#started) {
        const those = Object.fromEntries(Object.entries(outcomes).filter(([unit]) => startedOn.has(unit)));
        outcomes = { ...outcomes, ...(await orderMissedStops(context, those, { experiment, jobName })) };
      }
    } catch (error) {
      context.log.error('Stops could not be queued', { run: run.uid, error: String(error) });
    }
    for (const command of commands) this.#report(command, null, ownValue(outcomes, command.unit));
    for (const outcome of Object.values(outcomes)) {
      if (!outcome.ok) log(outcome.unit, 'ERROR', `Its jobs could not be stopped: ${outcome.error.message}`);
    }
  }

  /** The key is the same after a restart: a unit executes a command once. */
  async #command(
    command: UnitCommand,
    idempotencyKey: string,
    { isStop, starts }: StepOrder,
    signal: AbortSignal,
  ): Promise<UnitOutcome | undefined> {
    const { context } = this.#options;
    const stops = { experiment: this.#sender.experiment, jobName: isStop ? bodyJob(command) : null };
    for (let attempt = 1; ; attempt += 1) {
      const answers = await context.fleet.command([command], {
        lane: isStop ? 'stop' : 'command',
        idempotencyKey,
        ...(starts !== undefined && { requiresChanges: true }),
      });
      const outcomes = isStop ? await orderMissedStops(context, answers, stops) : answers;
      const outcome = ownValue(outcomes, command.unit);
      if (isStop || outcome === undefined || !mayTryAgain(outcome) || attempt === attempts) return outcome;
      await context.wire.sleep(attemptPauseMs, signal).catch(() => undefined);
      if (signal.aborted) return outcome;
    }
  }

  #report(command: UnitCommand, job: string | null, outcome: UnitOutcome | undefined): void {
    const { experiment } = this.#sender;
    this.#options.onCommand({ command, experiment, job, account: actingAccount(), outcome });
  }
}
