import { type Actuators, type GuardEvent, GuardLost, GuardRefused, type OutputId, outputIds } from '@lcs/hardware';
import type { ActuatorLease, ActuatorPort, JobOrigin, OverrideListener } from '@lcs/node';
import { type Cancel, type Clock, Listeners } from '@lcs/platform';
import type { OutputDisplay } from '../mirror/shown-outputs.ts';
import { HeldLease } from './held-lease.ts';

export interface GuardedOutputsOptions {
  readonly actuators: Pick<Actuators, 'acquire' | 'stopUpTo'>;
  readonly wire: Clock;
  /** Receives every level that the guard has set. */
  readonly display: OutputDisplay;
  /** The outputs of a job were off because of the guard; the job continues. */
  readonly onInterrupted: (job: JobOrigin) => void;
}

/** Records the timed runs of outputs that no dose accounts for; see `UnaccountedRuns`. */
export interface TimedRuns {
  begin(job: JobOrigin, output: OutputId, percent: number, forMs: number): Promise<() => Promise<void>>;
  end(job: JobOrigin, output: OutputId): Promise<void>;
}

/** The outputs of a job are off, and it cannot have them again. */
export interface LostOutputs {
  readonly jobId: number;
  readonly error: Error;
}

/** How long a stop waits for the guard that replaces a lost one, and how often it tries. */
const newGuardWithinMs = 5_000;
const retryEveryMs = 100;
/** A job ends when its guard is lost more often than this. It waits for a guard that stays away. */
const mostLosses = 3;
const lossesWithinMs = 600_000;

const outputOf = (name: string): OutputId => {
  const output = outputIds.find((id) => id === name);
  if (output === undefined) throw new Error(`${name} must be the name of an output.`);
  return output;
};

/** The outputs that the guard has switched off by itself. */
function outputsOff(event: GuardEvent): readonly OutputId[] {
  switch (event.what) {
    case 'lease_lost':
      return event.outputs;
    case 'guard_lost':
    case 'parent_lost':
    case 'all_off':
      return outputIds;
    case 'ended':
    case 'cut':
      return [event.output];
    case 'limit':
      return event.limit === 'reduce' ? [] : [event.output];
    case 'overridden':
    case 'guard_ready':
    case 'watchdog_lost':
    case 'output_failed':
      return [];
  }
}

/** The outputs that one running job has requested and holds. */
class OutputsOfJob {
  readonly job: JobOrigin;
  /** The outputs that it has requested and not released, by request. */
  readonly requested = new Set<readonly OutputId[]>();
  readonly held = new Set<HeldLease>();
  readonly #lossesMs: number[] = [];

  constructor(job: JobOrigin) {
    this.job = job;
  }

  /** Counts a loss; returns whether there are too many. */
  countLoss(nowMs: number): boolean {
    this.#lossesMs.push(nowMs);
    return this.#lossesMs.filter((lossMs) => nowMs - lossMs < lossesWithinMs).length > mostLosses;
  }
}

/**
 * The outputs that jobs drive through the guard. The ID of a job is the generation of its commands: IDs only grow. A stop refuses
 * the outputs of the job up to its own generation, so that older jobs on other outputs, or on released outputs, continue.
 */
export class GuardedOutputs implements ActuatorPort {
  readonly #options: GuardedOutputsOptions;
  readonly #jobs = new Map<number, OutputsOfJob>();
  readonly #losses = new Listeners<LostOutputs>();
  /** Undefined: timed runs are not recorded. */
  #runs: TimedRuns | undefined;

  constructor(options: GuardedOutputsOptions) {
    this.#options = options;
  }

  /** Calls `listener` when a job has lost its outputs for good; the returned function ends that. */
  onLost(listener: (loss: LostOutputs) => void): Cancel {
    return this.#losses.add(listener);
  }

  /** From now on the timed runs of jobs are recorded, each before it begins. */
  recordRuns(runs: TimedRuns): void {
    this.#runs = runs;
  }

  /** @throws GuardRefused, GuardLost */
  async acquire(
    job: JobOrigin,
    names: readonly string[],
    onOverridden: OverrideListener = () => {},
  ): Promise<ActuatorLease> {
    const { actuators, wire, display } = this.#options;
    const outputs = names.map(outputOf);
    const own = this.#jobs.get(job.jobId) ?? new OutputsOfJob(job);
    // Before the request to the guard: a stop that arrives in between must include them.
    own.requested.add(outputs);
    this.#jobs.set(job.jobId, own);
    const acquire = () => actuators.acquire(job.jobId, outputs);
    const onSet = (output: OutputId, percent: number) => display.level(job, output, percent);
    const first = await acquire().catch((error: unknown) => {
      // Another job may hold them: a stop of this job must not stop that one.
      if (error instanceof GuardRefused) own.requested.delete(outputs);
      throw error;
    });
    const lease = new HeldLease({ outputs, acquire, wire, onSet, onOverridden }, first);
    own.held.add(lease);
    return {
      set: (output, level, forMs) => this.#set(job, lease, outputOf(output), level, forMs),
      release: async () => {
        own.held.delete(lease);
        await lease.release();
        await this.#ended(job, outputs);
        // An older job may hold them again: a stop of this job must not refuse that.
        own.requested.delete(outputs);
        display.off(outputs, job.jobId);
      },
    };
  }

  #set(job: JobOrigin, lease: HeldLease, output: OutputId, level: number, forMs?: number): Promise<void> {
    return this.#runs === undefined
      ? lease.set(output, level, forMs)
      : this.#setRecorded(this.#runs, job, lease, output, level, forMs);
  }

  async #setRecorded(
    runs: TimedRuns,
    job: JobOrigin,
    lease: HeldLease,
    output: OutputId,
    level: number,
    forMs?: number,
  ): Promise<void> {
    if (forMs === undefined || level <= 0) {
      await lease.set(output, level, forMs);
      return runs.end(job, output);
    }
    const takeBack = await runs.begin(job, output, level, forMs);
    try {
      await lease.set(output, level, forMs);
    } catch (error) {
      await takeBack();
      throw error;
    }
  }

  async #ended(job: JobOrigin, outputs: readonly OutputId[]): Promise<void> {
    for (const output of outputs) await this.#runs?.end(job, output);
  }

  /** Resolves when the guard, or its replacement, has the outputs of this job off and refuses it. */
  async revoke(jobId: number): Promise<void> {
    const own = this.#jobs.get(jobId);
    if (own === undefined) return;
    this.#jobs.delete(jobId);
    for (const lease of own.held) lease.end();
    const outputs = [...new Set([...own.requested].flat())];
    await this.#stop(jobId, outputs);
    this.#options.display.off(outputs, jobId);
    await this.#ended(own.job, outputs);
  }

  /** Call it with each event of the guard. */
  take(event: GuardEvent): void {
    const off = outputsOff(event);
    if (off.length > 0) this.#options.display.off(off);
    if (event.what === 'lease_lost') this.#lost(event.outputs);
    if (event.what === 'cut') this.#cut(event.output);
    if (event.what === 'overridden')
      for (const lease of this.#leasesOf(event.output)) lease.overridden(event.output, event.percent, event.requested);
    if (event.what === 'ended') for (const lease of this.#leasesOf(event.output)) lease.ended(event.output);
    if (event.what === 'guard_lost' || event.what === 'parent_lost') this.#lost(outputIds);
  }

  /** A job must not treat an interrupted run as complete. */
  #cut(output: OutputId): void {
    const error = new Error(`${output} was off before its time: its limits have changed, or it could not be driven.`);
    for (const own of this.#jobs.values())
      if ([...own.held].some((lease) => lease.outputs.includes(output)))
        this.#losses.publish({ jobId: own.job.jobId, error });
  }

  #leasesOf(output: OutputId): readonly HeldLease[] {
    return [...this.#jobs.values()].flatMap(({ held }) => [...held].filter(({ outputs }) => outputs.includes(output)));
  }

  #lost(outputs: readonly OutputId[]): void {
    const { wire, onInterrupted } = this.#options;
    const lose = (jobId: number, error: Error) => this.#losses.publish({ jobId, error });
    for (const own of this.#jobs.values()) {
      const lost = [...own.held].filter((lease) => lease.outputs.some((output) => outputs.includes(output)));
      if (lost.length === 0) continue;
      const { jobId } = own.job;
      if (own.countLoss(wire.monotonic())) {
        lose(jobId, new Error('The guard of the outputs was lost again and again; they are off.'));
        continue;
      }
      onInterrupted(own.job);
      Promise.all(lost.map((lease) => lease.recover())).catch((error: unknown) =>
        lose(jobId, new Error('The guard took its outputs, and does not give them back.', { cause: error })),
      );
    }
  }

  async #stop(jobId: number, outputs: readonly OutputId[]): Promise<void> {
    const { actuators, wire } = this.#options;
    const deadlineMs = wire.monotonic() + newGuardWithinMs;
    for (;;) {
      try {
        await actuators.stopUpTo(jobId, outputs);
        return;
      } catch (error) {
        if (!(error instanceof GuardLost) || wire.monotonic() > deadlineMs) throw error;
        await wire.sleep(retryEveryMs);
      }
    }
  }
}
