import { GuardLost, GuardRefused, type OutputId, type OutputLease } from '@lcs/hardware';
import type { Clock } from '@lcs/platform';

export interface HeldLeaseOptions {
  readonly outputs: readonly OutputId[];
  /** Takes the outputs anew. @throws GuardRefused, GuardLost */
  readonly acquire: () => Promise<OutputLease>;
  readonly wire: Clock;
  /** Called with each level that the guard has taken. */
  readonly onSet: (output: OutputId, percent: number) => void;
}

/** A level that was asked for, in percent; the object tells it from an equal one that was asked for before or after. */
interface Level {
  readonly percent: number;
}

/** How often a guard that is away, or an output that does not obey, is tried; after some time more seldom. */
const lookEveryMs = 100;
const lookSeldomEveryMs = 1_000;
/** How long a command waits for that before it fails. The outputs are tried on. */
const commandWaitsMs = 5_000;

/** Whether the guard has forgotten the lease: it is new, or took this node for dead. */
const isLoss = (error: unknown): boolean =>
  error instanceof GuardLost || (error instanceof GuardRefused && error.code === 'no_lease');

/**
 * What passes: a new guard refuses it before it has been told the limits and has read a temperature, and any guard while the
 * chip of the output does not answer.
 */
const isPassing = (error: unknown): boolean =>
  error instanceof GuardRefused && ['no_limits', 'no_temperature', 'output_failed'].includes(error.code);

/** What a guard that has seen too much heat refuses a heater for: it is off, and whoever sets it anew is told why. */
const isHeat = (error: unknown): boolean =>
  error instanceof GuardRefused && ['too_hot', 'shut_down', 'sensor_detached'].includes(error.code);

/**
 * Outputs that a job holds through a guard that may be replaced. What was lost is taken again at the levels it had, for as
 * long as the job lives: the outputs were off meanwhile, and the job goes on.
 */
export class HeldLease {
  readonly #options: HeldLeaseOptions;
  readonly #levels = new Map<OutputId, Level>();
  /** Outputs that run for a time. */
  readonly #timed = new Set<OutputId>();
  /** Undefined from a loss until it is taken again. */
  #lease: OutputLease | undefined;
  #recovery: Promise<void> | undefined;
  /** Why what is being recovered could not be had the last time. */
  #obstacle: unknown;
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
    const wanted: Level = { percent: level };
    this.#levels.set(output, wanted);
    try {
      // What was given back meanwhile may be an older level of this output.
      await this.#recovered();
      await this.#giveOrRecover(output, wanted);
    } catch (error) {
      // What the job was refused is not what a new guard may be told for it.
      if (this.#levels.get(output) === wanted) this.#keep(output, before);
      throw error;
    }
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

  /** The job has ended: nothing is taken again. */
  end(): void {
    this.#isOver = true;
  }

  /** Takes the outputs again, at the levels the job wants. @throws GuardRefused when they are not to be had any more */
  recover(): Promise<void> {
    this.#recovery ??= this.#recover().finally(() => {
      this.#recovery = undefined;
    });
    return this.#recovery;
  }

  /** Once: what ran for a time and was cut is not begun again, for nobody knows how long it has run. */
  async #setFor(output: OutputId, level: number, forMs: number): Promise<void> {
    await this.#recovered();
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
    // The end of the run before this one may have been told while this one was asked for.
    this.#timed.add(output);
    if (!this.#isOver) this.#options.onSet(output, level);
  }

  #keep(output: OutputId, level: Level | undefined): void {
    if (level === undefined) this.#levels.delete(output);
    else this.#levels.set(output, level);
  }

  async #giveOrRecover(output: OutputId, wanted: Level): Promise<void> {
    try {
      await this.#give(output, (this.#levels.get(output) ?? wanted).percent);
    } catch (error) {
      if (!isLoss(error) || this.#isOver) throw error;
      // Whoever waits for it no longer is told by its next command.
      this.recover().catch(() => {});
      await this.#recovered();
      // Once more, for whoever asks is to be told when it is refused.
      if (!this.#isOver) await this.#give(output, (this.#levels.get(output) ?? wanted).percent);
    }
  }

  /** Waits for a recovery under way, though not for as long as a guard or a board may be away. @throws what it fails with */
  async #recovered(): Promise<void> {
    const recovery = this.#recovery;
    if (recovery === undefined) return;
    const over = new AbortController();
    const late = this.#options.wire.sleep(commandWaitsMs, over.signal).catch((error: unknown) => {
      if (!over.signal.aborted) throw error;
    });
    await Promise.race([recovery, late]).finally(() => over.abort());
  }

  /** @throws GuardLost, and what keeps the outputs from being taken again */
  #held(): OutputLease {
    if (this.#lease !== undefined) return this.#lease;
    throw this.#obstacle ?? new GuardLost('it has not come back yet');
  }

  async #give(output: OutputId, level: number): Promise<void> {
    await this.#held().set(output, level);
    if (!this.#isOver) this.#options.onSet(output, level);
  }

  /** A heater that has become too hot meanwhile stays off, as it does without a loss. */
  async #giveBack(output: OutputId, percent: number): Promise<void> {
    try {
      await this.#give(output, percent);
    } catch (error) {
      if (!isHeat(error)) throw error;
    }
  }

  async #recover(): Promise<void> {
    if (this.#timed.size > 0) throw new Error('A run was cut short when the guard was lost.');
    const { wire } = this.#options;
    const sinceMs = wire.monotonic();
    this.#lease = undefined;
    this.#obstacle = undefined;
    while (!this.#isOver) {
      try {
        await this.#takeAgain();
        return;
      } catch (error) {
        if (isLoss(error)) this.#lease = undefined;
        else if (!isPassing(error)) throw error;
        this.#obstacle = error;
        await wire.sleep(wire.monotonic() - sinceMs < commandWaitsMs ? lookEveryMs : lookSeldomEveryMs);
      }
    }
  }

  /** @throws GuardRefused, GuardLost; all outputs that obey have their levels then */
  async #takeAgain(): Promise<void> {
    this.#lease ??= await this.#options.acquire();
    if (this.#isOver) return this.#lease.release();
    const given = [...this.#levels].map(([output, { percent }]) => this.#giveBack(output, percent));
    const failed = (await Promise.allSettled(given)).find((outcome) => outcome.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  }
}
