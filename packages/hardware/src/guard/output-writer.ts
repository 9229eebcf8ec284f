import type { Clock } from '@lcs/platform';
import type { OutputId } from './guard-types.ts';
import type { OutputDriver } from './output-drivers.ts';

export interface OutputWriterOptions {
  /** In the order in which they are switched off. */
  readonly drivers: ReadonlyMap<OutputId, OutputDriver>;
  readonly clock: Clock;
  /** Required level of an output, %. */
  readonly level: (output: OutputId) => number;
  /** An output could not be set to a new level. */
  readonly onFailed: (output: OutputId) => void;
  /** An output that could not be set again has gone off by itself, at this time. */
  readonly onWentOff: (output: OutputId, atMs: number) => void;
  /** The same for people, once until the output works again. */
  readonly report: (output: OutputId, error: unknown) => void;
  /** Whether levels are written again, as their drivers ask for. Not on a board that forgets nothing. */
  readonly rewrites: boolean;
}

/** An output that could not be switched is tried again this often. */
const retryMs = 100;

/** An output that has not responded for some time after the start is missing: it is retried at this interval. */
const absentRetryMs = 5000;
const absentFromMs = 2000;

/**
 * Sets the outputs of one bus to their levels, one at a time, those that must be off first. Each bus has its own writer: one that hangs
 * (a write to I2C may take a second) does not delay the others.
 */
export class OutputWriter {
  readonly #options: OutputWriterOptions;
  readonly #drivers: Map<OutputId, OutputDriver>;
  /** Outputs whose driver must be opened before the next write. */
  readonly #unopened = new Set<OutputId>();
  /** The level last written; missing when unknown, after a failure. */
  readonly #written = new Map<OutputId, number>();
  /** Levels above 0 that were written, and when, where they are written again. */
  readonly #kept = new Map<OutputId, { readonly percent: number; readonly atMs: number }>();
  #writing: Promise<void> | undefined;
  #startedMs = Number.NEGATIVE_INFINITY;
  /** Outputs of the last round that failed. */
  readonly #failed = new Set<OutputId>();
  /** Outputs that have not responded since the start, and the time of the next attempt for each. */
  readonly #absent = new Map<OutputId, number>();
  /** Outputs whose failure was reported and that still fail. */
  readonly #reported = new Set<OutputId>();

  constructor(options: OutputWriterOptions) {
    this.#options = options;
    this.#drivers = new Map(options.drivers);
  }

  /** Switches everything off; each output is tried, even when another one fails. */
  async open(): Promise<void> {
    this.#startedMs = this.#now();
    for (const [output, driver] of this.#drivers) {
      try {
        await driver.open();
        this.#written.set(output, 0);
      } catch (error) {
        this.#unopened.add(output);
        this.#absent.set(output, this.#now() + retryMs);
        this.#reportFailure(output, error);
      }
    }
  }

  /** The output has another driver, which is opened with the next write. It is off. */
  replace(output: OutputId, driver: OutputDriver): void {
    this.#drivers.set(output, driver);
    this.#unopened.add(output);
    this.#written.delete(output);
  }

  /** Sets all outputs to their levels, or continues to do so. undefined: there is nothing to do. Never rejects. */
  write(): Promise<void> | undefined {
    if (this.#writing === undefined && (this.#failed.size > 0 || this.#mostUrgent() !== undefined))
      this.#writing = this.#round();
    return this.#writing;
  }

  has(output: OutputId): boolean {
    return this.#drivers.has(output);
  }

  /** Whether the output failed in the last round. */
  hasFailed(output: OutputId): boolean {
    return this.#failed.has(output);
  }

  /** When `write` has something to do, if no level changes. */
  nextDueMs(nowMs: number): number {
    let dueMs = Number.POSITIVE_INFINITY;
    // While a round runs, its end arms the timer.
    if (this.#writing !== undefined) return dueMs;
    for (const output of this.#failed) if (!this.#absent.has(output)) dueMs = Math.min(dueMs, nowMs + retryMs);
    for (const retriedMs of this.#absent.values()) dueMs = Math.min(dueMs, retriedMs);
    for (const [output, { atMs }] of this.#kept)
      if (!this.#failed.has(output)) dueMs = Math.min(dueMs, atMs + this.#rewriteMs(output));
    return dueMs;
  }

  /** Outputs that have never responded are tried with the next write. */
  retryAbsent(): void {
    for (const output of this.#absent.keys()) this.#absent.set(output, this.#now());
  }

  /** Whether every output is known to be off. */
  get isSafe(): boolean {
    return [...this.#drivers.keys()].every((output) => this.#written.get(output) === 0);
  }

  /** Whether all outputs are known to be off, except those that have never responded. */
  get onlyAbsentLeft(): boolean {
    return [...this.#drivers.keys()].every((output) => this.#written.get(output) === 0 || this.#absent.has(output));
  }

  #now(): number {
    return this.#options.clock.monotonic();
  }

  /** Writes until chips and levels agree; each failed output is left to the next round. */
  async #round(): Promise<void> {
    this.#failed.clear();
    let output = this.#mostUrgent();
    // A round without a write must not end before the caller has stored the promise.
    if (output === undefined) await Promise.resolve();
    try {
      while (output !== undefined) {
        await this.#writeOne(output, this.#options.level(output));
        output = this.#mostUrgent();
      }
    } finally {
      this.#writing = undefined;
    }
  }

  #mostUrgent(): OutputId | undefined {
    let wrong: OutputId | undefined;
    for (const output of this.#drivers.keys()) {
      const level = this.#options.level(output);
      if (this.#failed.has(output)) continue;
      if (this.#written.get(output) === level && !this.#isOld(output)) continue;
      // Not at each heartbeat: a bus that hangs would delay the others.
      if (level === 0 && (this.#absent.get(output) ?? 0) > this.#now()) continue;
      if (level === 0) return output;
      wrong ??= output;
    }
    return wrong;
  }

  /** Whether the level must be written again: the output forgets it, or goes off by itself. */
  #isOld(output: OutputId): boolean {
    const kept = this.#kept.get(output);
    return kept !== undefined && this.#now() - kept.atMs >= this.#rewriteMs(output);
  }

  #rewriteMs(output: OutputId): number {
    return this.#drivers.get(output)?.rewriteMs ?? Number.POSITIVE_INFINITY;
  }

  async #writeOne(output: OutputId, percent: number): Promise<void> {
    try {
      const driver = this.#drivers.get(output);
      if (this.#unopened.has(output)) await driver?.open();
      // Another wiring may have arrived in the meantime, with another driver to open.
      if (driver === this.#drivers.get(output)) this.#unopened.delete(output);
      await driver?.set(percent);
      this.#written.set(output, percent);
      this.#absent.delete(output);
      this.#reported.delete(output);
      this.#keep(output, percent);
    } catch (error) {
      // Any failure: the others must still be switched, "off" above all.
      this.#written.delete(output);
      this.#failed.add(output);
      if (this.#absent.has(output)) this.#absent.set(output, this.#now() + this.#absentWaitMs());
      this.#failedAt(output, percent);
      this.#reportFailure(output, error);
    }
  }

  /** A level that was there already is tried until the output has it again; it may be off in the meantime. */
  #failedAt(output: OutputId, percent: number): void {
    const kept = this.#kept.get(output);
    if (kept?.percent !== percent) {
      this.#options.onFailed(output);
      return;
    }
    const offMs = kept.atMs + (this.#drivers.get(output)?.heldMs ?? Number.POSITIVE_INFINITY);
    if (this.#now() >= offMs) this.#options.onWentOff(output, offMs);
  }

  #keep(output: OutputId, percent: number): void {
    if (!this.#options.rewrites) return;
    if (percent === 0) this.#kept.delete(output);
    else this.#kept.set(output, { percent, atMs: this.#now() });
  }

  #absentWaitMs(): number {
    return this.#now() - this.#startedMs < absentFromMs ? retryMs : absentRetryMs;
  }

  #reportFailure(output: OutputId, error: unknown): void {
    if (!this.#reported.has(output)) this.#options.report(output, error);
    this.#reported.add(output);
  }
}
