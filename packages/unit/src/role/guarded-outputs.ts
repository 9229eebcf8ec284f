import { type Actuators, GuardLost, type GuardNews, GuardRefused, type OutputId, outputIds } from '@lcs/hardware';
import {
  type ActuatorLease,
  type ActuatorPort,
  type Cancel,
  type Clock,
  type JobOrigin,
  Listeners,
} from '@lcs/platform';
import type { OutputDisplay } from '../mirror/shown-outputs.ts';
import { HeldLease } from './held-lease.ts';

export interface GuardedOutputsOptions {
  readonly actuators: Pick<Actuators, 'acquire' | 'stopUpTo'>;
  readonly wire: Clock;
  /** Told of every level that the guard has taken. */
  readonly display: OutputDisplay;
  /** Outputs of a job were off because of the guard; it goes on. */
  readonly onInterrupted: (job: JobOrigin) => void;
}

/** The outputs of a job are off, and it cannot have them again. */
export interface LostOutputs {
  readonly jobId: number;
  readonly error: Error;
}

/** How long a stop waits for a new guard to take the place of a lost one, and how often it looks. */
const newGuardWithinMs = 5_000;
const lookEveryMs = 100;
/** A guard that is lost more often than this is no guard: the job ends. One that stays away is waited for. */
const mostLosses = 3;
const lossesWithinMs = 600_000;

const outputOf = (name: string): OutputId => {
  const output = outputIds.find((id) => id === name);
  if (output === undefined) throw new Error(`There is no output ${name}.`);
  return output;
};

/** The outputs that the guard has switched off by itself. */
function outputsOff(news: GuardNews): readonly OutputId[] {
  switch (news.what) {
    case 'lease_lost':
      return news.outputs;
    case 'guard_lost':
    case 'parent_lost':
    case 'all_off':
      return outputIds;
    case 'ended':
    case 'cut':
      return [news.output];
    case 'limit':
      return news.limit === 'reduce' ? [] : [news.output];
    case 'guard_ready':
    case 'watchdog_lost':
    case 'output_failed':
      return [];
  }
}

/** What one running job has had and has. */
class OutputsOfJob {
  readonly job: JobOrigin;
  /** What it has asked for, request by request, and not given back. */
  readonly asked = new Set<readonly OutputId[]>();
  readonly held = new Set<HeldLease>();
  readonly #lossesMs: number[] = [];

  constructor(job: JobOrigin) {
    this.job = job;
  }

  /** Whether this loss is one too many. */
  countLoss(nowMs: number): boolean {
    this.#lossesMs.push(nowMs);
    return this.#lossesMs.filter((lossMs) => nowMs - lossMs < lossesWithinMs).length > mostLosses;
  }
}

/**
 * What jobs drive, by way of the guard. The id of a job is the generation of its commands: ids only grow. A stop refuses the
 * outputs the job has, up to its own generation, so that older jobs on other outputs, or on those that it has given back, go
 * on.
 */
export class GuardedOutputs implements ActuatorPort {
  readonly #options: GuardedOutputsOptions;
  readonly #jobs = new Map<number, OutputsOfJob>();
  readonly #losses = new Listeners<LostOutputs>();

  constructor(options: GuardedOutputsOptions) {
    this.#options = options;
  }

  /** Calls `listener` when a job has lost its outputs for good; the returned function ends that. */
  onLost(listener: (loss: LostOutputs) => void): Cancel {
    return this.#losses.add(listener);
  }

  /** @throws GuardRefused, GuardLost */
  async acquire(job: JobOrigin, names: readonly string[]): Promise<ActuatorLease> {
    const { actuators, wire, display } = this.#options;
    const outputs = names.map(outputOf);
    const own = this.#jobs.get(job.jobId) ?? new OutputsOfJob(job);
    // Noted before asking: a stop that comes meanwhile must reach them too.
    own.asked.add(outputs);
    this.#jobs.set(job.jobId, own);
    const acquire = () => actuators.acquire(job.jobId, outputs);
    const onSet = (output: OutputId, percent: number) => display.level(job, output, percent);
    const first = await acquire().catch((error: unknown) => {
      // Another job may have them: that one must not be stopped with this.
      if (error instanceof GuardRefused) own.asked.delete(outputs);
      throw error;
    });
    const lease = new HeldLease({ outputs, acquire, wire, onSet }, first);
    own.held.add(lease);
    return {
      set: (output, level, forMs) => lease.set(outputOf(output), level, forMs),
      release: async () => {
        own.held.delete(lease);
        await lease.release();
        // An older job may have them again: a stop of this one must not refuse that.
        own.asked.delete(outputs);
        display.off(outputs, job.jobId);
      },
    };
  }

  /** Resolves when the guard, or the one that takes its place, has the outputs of this job off and refuses it. */
  async revoke(jobId: number): Promise<void> {
    const own = this.#jobs.get(jobId);
    if (own === undefined) return;
    this.#jobs.delete(jobId);
    for (const lease of own.held) lease.end();
    const outputs = [...new Set([...own.asked].flat())];
    await this.#stop(jobId, outputs);
    this.#options.display.off(outputs, jobId);
  }

  /** To be called with all news of the guard. */
  take(news: GuardNews): void {
    const off = outputsOff(news);
    if (off.length > 0) this.#options.display.off(off);
    if (news.what === 'lease_lost') this.#lost(news.outputs);
    if (news.what === 'cut') this.#cut(news.output);
    if (news.what === 'ended') for (const lease of this.#leasesOf(news.output)) lease.ended(news.output);
    if (news.what === 'guard_lost' || news.what === 'parent_lost') this.#lost(outputIds);
  }

  /** Whoever counts on the whole of a run must not go on as if it had been one. */
  #cut(output: OutputId): void {
    const error = new Error(`${output} was switched off before its time: its limits have changed.`);
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
    const giveUpMs = wire.monotonic() + newGuardWithinMs;
    for (;;) {
      try {
        await actuators.stopUpTo(jobId, outputs);
        return;
      } catch (error) {
        if (!(error instanceof GuardLost) || wire.monotonic() > giveUpMs) throw error;
        await wire.sleep(lookEveryMs);
      }
    }
  }
}
