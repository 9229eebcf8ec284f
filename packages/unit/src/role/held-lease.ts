import { GuardLost, GuardRefused, type OutputId, type OutputLease } from '@lcs/hardware';
import type { Clock } from '@lcs/platform';

export interface HeldLeaseOptions {
  readonly outputs: readonly OutputId[];
  /** Acquires the outputs again. @throws GuardRefused, GuardLost */
  readonly acquire: () => Promise<OutputLease>;
  readonly wire: Clock;
  /** Called with each level that the guard has taken. */
  readonly onSet: (output: OutputId, percent: number) => void;
  /** Called with each level that the guard has set by itself, and with the requested one when the output has that again. */
  readonly onOverridden: (output: OutputId, percent: number) => void;
}

/** A requested level, in percent. Each request has an object of its own: two equal levels are two requests. */
interface Level {
  readonly percent: number;
}

/** How often an absent guard, or an output that fails, is tried again; less often after some time. */
const retryEveryMs = 100;
const retrySlowlyEveryMs = 1_000;
/** How long a command waits for it before it fails. The outputs are tried further. */
const commandWaitsMs = 5_000;

/** Whether the guard no longer has the lease: it is new, or it lost contact with this node. */
const isLoss = (error: unknown): boolean =>
  error instanceof GuardLost || (error instanceof GuardRefused && error.code === 'no_lease');

/** A temporary refusal: a new guard has no limits or no temperature yet, or the chip of the output does not respond. */
const isPassing = (error: unknown): boolean =>
  error instanceof GuardRefused && ['no_limits', 'no_temperature', 'output_failed'].includes(error.code);

/** The guard refuses a heater because of overheating: it is off, and the next command to it fails with the reason. */
const isHeat = (error: unknown): boolean =>
  error instanceof GuardRefused && ['too_hot', 'shut_down', 'sensor_detached'].includes(error.code);

/**
 * The outputs that a job holds through a guard that may be replaced. After a loss it acquires them again at the levels they had,
 * as long as the job runs: the outputs were off in between, and the job continues.
 */
export class HeldLease {
  readonly #options: HeldLeaseOptions;
  readonly #levels = new Map<OutputId, Level>();
  /** Outputs that run for a time. */
  readonly #timed = new Set<OutputId>();
  /** Undefined from a loss until it is taken again. */
  #lease: OutputLease | undefined;
  #recovery: Promise<void> | undefined;
  /** Why the last attempt to recover failed. */
  #lastFailure: unknown;
  #isOver = false;

  constructor(options: HeldLeaseOptions, lease: OutputLease) {
    this.#options = options;
    this.#lease = lease;
  }

  get outputs(): readonly OutputId[] {
    return this.#options.outputs;
  }

  /** @throws GuardRefused, GuardLost */
  async set(output: OutputId, level: number, forMs?: number): Promise<void> {
    if (forMs !== undefined) return this.#setFor(output, level, forMs);
    this.#timed.delete(output);
    const before = this.#levels.get(output);
    const requested: Level = { percent: level };
    this.#levels.set(output, requested);
    try {
      // It may have set an older level of this output.
      if (this.#recovery !== undefined) await this.#recovered(this.#recovery);
      try {
        await this.#setLevel(output, this.#latest(output, requested));
      } catch (error) {
        await this.#setAfterLoss(error, output, requested);
      }
    } catch (error) {
      // A level that the guard refused must not be set on a new guard.
      if (this.#levels.get(output) === requested) this.#keep(output, before);
      throw error;
    }
  }

  /** The guard has set another level than the requested one by itself, or the requested one again. */
  overridden(output: OutputId, percent: number, requested: number): void {
    const own = this.#levels.get(output)?.percent ?? 0;
    // It crossed a newer command.
    if (this.#isOver || (requested !== own && requested !== 0)) return;
    this.#options.onSet(output, percent);
    this.#options.onOverridden(output, percent);
  }

  /** The guard has ended a timed run of this output when its time was over. */
  ended(output: OutputId): void {
    this.#timed.delete(output);
  }

  /** @throws GuardLost */
  async release(): Promise<void> {
    this.end();
    await this.#lease?.release();
  }

  /** The job has ended: nothing is acquired again. */
  end(): void {
    this.#isOver = true;
  }

  /** Acquires the outputs again, at the requested levels. @throws GuardRefused when that is no longer possible */
  recover(): Promise<void> {
    this.#recovery ??= this.#recover().finally(() => {
      this.#recovery = undefined;
    });
    return this.#recovery;
  }

  /** Once: a timed run that was cut does not begin again, because the time it ran is unknown. */
  async #setFor(output: OutputId, level: number, forMs: number): Promise<void> {
    if (this.#recovery !== undefined) await this.#recovered(this.#recovery);
    const lease = this.#held();
    const ranBefore = this.#timed.has(output);
    this.#levels.delete(output);
    this.#timed.add(output);
    try {
      await lease.set(output, level, forMs);
    } catch (error) {
      if (error instanceof GuardRefused && !ranBefore) this.#timed.delete(output);
      throw error;
    }
    // The guard may have reported the end of the previous run while it started this one.
    this.#timed.add(output);
    if (!this.#isOver) this.#options.onSet(output, level);
  }

  #keep(output: OutputId, level: Level | undefined): void {
    if (level === undefined) this.#levels.delete(output);
    else this.#levels.set(output, level);
  }

  /** @throws the error itself, unless the guard was lost */
  async #setAfterLoss(error: unknown, output: OutputId, requested: Level): Promise<void> {
    if (!isLoss(error) || this.#isOver) throw error;
    // Its failure is reported by the next command.
    const recovery = this.recover();
    recovery.catch(() => {});
    await this.#recovered(recovery);
    // Again, so that the caller receives a refusal.
    if (!this.#isOver) await this.#setLevel(output, this.#latest(output, requested));
  }

  /** Another command may have requested a newer level. */
  #latest(output: OutputId, requested: Level): number {
    return (this.#levels.get(output) ?? requested).percent;
  }

  /** Waits for a running recovery, but not longer than `commandWaitsMs`. @throws its failure */
  async #recovered(recovery: Promise<void>): Promise<void> {
    const over = new AbortController();
    const late = this.#options.wire.sleep(commandWaitsMs, over.signal).catch((error: unknown) => {
      if (!over.signal.aborted) throw error;
    });
    await Promise.race([recovery, late]).finally(() => over.abort());
  }

  /** @throws GuardLost, and the reason why the outputs cannot be acquired again */
  #held(): OutputLease {
    if (this.#lease !== undefined) return this.#lease;
    throw this.#lastFailure ?? new GuardLost('it has not come back yet');
  }

  async #setLevel(output: OutputId, level: number): Promise<void> {
    await this.#held().set(output, level);
    if (!this.#isOver) this.#options.onSet(output, level);
  }

  /** A heater that overheated in between stays off, as it does without a loss. */
  async #restore(output: OutputId, percent: number): Promise<void> {
    try {
      await this.#setLevel(output, percent);
      if (!this.#isOver) this.#options.onOverridden(output, percent);
    } catch (error) {
      if (!isHeat(error)) throw error;
    }
  }

  async #recover(): Promise<void> {
    if (this.#timed.size > 0) throw new Error('A run was cut short when the guard was lost.');
    const { wire, onOverridden } = this.#options;
    const sinceMs = wire.monotonic();
    for (const output of this.#levels.keys()) onOverridden(output, 0);
    this.#lease = undefined;
    this.#lastFailure = undefined;
    while (!this.#isOver) {
      try {
        await this.#reacquire();
        return;
      } catch (error) {
        if (isLoss(error)) this.#lease = undefined;
        else if (!isPassing(error)) throw error;
        this.#lastFailure = error;
        await wire.sleep(wire.monotonic() - sinceMs < commandWaitsMs ? retryEveryMs : retrySlowlyEveryMs);
      }
    }
  }

  /** @throws GuardRefused, GuardLost; the outputs that work have their levels then */
  async #reacquire(): Promise<void> {
    this.#lease ??= await this.#options.acquire();
    if (this.#isOver) return this.#lease.release();
    const given = [...this.#levels].map(([output, { percent }]) => this.#restore(output, percent));
    const failed = (await Promise.allSettled(given)).find((outcome) => outcome.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  }
}
