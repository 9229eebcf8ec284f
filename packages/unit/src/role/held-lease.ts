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

/** How long a new guard may take to come up, and how often it is asked. */
const newGuardWithinMs = 5_000;
const lookEveryMs = 100;

/** Whether the guard has forgotten the lease: it is new, or took this node for dead. */
const isLoss = (error: unknown): boolean =>
  error instanceof GuardLost || (error instanceof GuardRefused && error.code === 'no_lease');

/** What a new guard refuses before it has been told the limits and has read a temperature. */
const isTooEarly = (error: unknown): boolean =>
  error instanceof GuardRefused && ['no_limits', 'no_temperature', 'output_failed'].includes(error.code);

/** What a guard that has seen too much heat refuses a heater for: it is off, and whoever sets it anew is told why. */
const isHeat = (error: unknown): boolean =>
  error instanceof GuardRefused && ['too_hot', 'shut_down', 'sensor_detached'].includes(error.code);

/**
 * Outputs that a job holds through a guard that may be replaced. What was lost is taken again at the levels it had: the
 * outputs were off meanwhile, and the job goes on.
 */
export class HeldLease {
  readonly #options: HeldLeaseOptions;
  readonly #levels = new Map<OutputId, Level>();
  /** Outputs that run for a time. */
  readonly #timed = new Set<OutputId>();
  #lease: OutputLease;
  #recovery: Promise<void> | undefined;
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
      if (this.#recovery !== undefined) await this.#recovery;
      await this.#giveOrRecover(output, wanted);
    } catch (error) {
      // What the job was refused is not what a new guard may be told for it.
      if (this.#levels.get(output) === wanted) this.#keep(output, before);
      throw error;
    }
  }

  /** @throws GuardLost */
  async release(): Promise<void> {
    this.end();
    await this.#lease.release();
  }

  /** The job has ended: nothing is taken again. */
  end(): void {
    this.#isOver = true;
  }

  /** Takes the outputs again, at the levels the job wants. @throws GuardRefused, GuardLost when that cannot be done */
  recover(): Promise<void> {
    this.#recovery ??= this.#recover().finally(() => {
      this.#recovery = undefined;
    });
    return this.#recovery;
  }

  /** Once: what ran for a time and was cut is not begun again, for nobody knows how long it has run. */
  async #setFor(output: OutputId, level: number, forMs: number): Promise<void> {
    if (this.#recovery !== undefined) await this.#recovery;
    this.#levels.delete(output);
    this.#timed.add(output);
    await this.#lease.set(output, level, forMs);
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
      await this.recover();
      // Once more, for whoever asks is to be told when it is refused.
      if (!this.#isOver) await this.#give(output, (this.#levels.get(output) ?? wanted).percent);
    }
  }

  async #give(output: OutputId, level: number): Promise<void> {
    await this.#lease.set(output, level);
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
    const { wire, acquire } = this.#options;
    const giveUpMs = wire.monotonic() + newGuardWithinMs;
    while (!this.#isOver) {
      try {
        this.#lease = await acquire();
        if (this.#isOver) return await this.#lease.release();
        for (const [output, { percent }] of this.#levels) await this.#giveBack(output, percent);
        return;
      } catch (error) {
        if (!(isLoss(error) || isTooEarly(error)) || wire.monotonic() > giveUpMs) throw error;
        await wire.sleep(lookEveryMs);
      }
    }
  }
}
