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

/** One output: most passes only compare its level, so that everything about it is in one object. */
interface DrivenOutput {
  readonly id: OutputId;
  driver: OutputDriver;
  /** Its driver must be opened before the next write. */
  isUnopened: boolean;
  /** The level last written; undefined when unknown, after a failure. */
  written: number | undefined;
  /** A level above 0 that was written, and when, where it is written again. */
  kept: { readonly percent: number; readonly atMs: number } | undefined;
  /** In the last round. */
  hasFailed: boolean;
  /** It has not responded since the start: the time of the next attempt. */
  retriedMs: number | undefined;
  /** Its failure was reported, and it still fails. */
  isReported: boolean;
}

/**
 * Sets the outputs of one bus to their levels, one at a time, those that must be off first. Each bus has its own writer: one that hangs
 * (a write to I2C may take a second) does not delay the others.
 */
export class OutputWriter {
  readonly #options: OutputWriterOptions;
  readonly #outputs: ReadonlyMap<OutputId, DrivenOutput>;
  /** The same, in the order in which they are switched off. */
  readonly #inOrder: readonly DrivenOutput[];
  #writing: Promise<void> | undefined;
  #startedMs = Number.NEGATIVE_INFINITY;

  constructor(options: OutputWriterOptions) {
    this.#options = options;
    this.#inOrder = [...options.drivers].map(([id, driver]) => ({
      id,
      driver,
      isUnopened: false,
      written: undefined,
      kept: undefined,
      hasFailed: false,
      retriedMs: undefined,
      isReported: false,
    }));
    this.#outputs = new Map(this.#inOrder.map((output) => [output.id, output]));
  }

  /** Switches everything off; each output is tried, even when another one fails. */
  async open(): Promise<void> {
    this.#startedMs = this.#now();
    for (const output of this.#inOrder) {
      try {
        await output.driver.open();
        output.written = 0;
      } catch (error) {
        output.isUnopened = true;
        output.retriedMs = this.#now() + retryMs;
        this.#reportFailure(output, error);
      }
    }
  }

  /** The output has another driver, which is opened with the next write. It is off. */
  replace(id: OutputId, driver: OutputDriver): void {
    const output = this.#outputs.get(id);
    if (output === undefined) return;
    output.driver = driver;
    output.isUnopened = true;
    output.written = undefined;
  }

  /** Sets all outputs to their levels, or continues to do so. undefined: there is nothing to do. Never rejects. */
  write(): Promise<void> | undefined {
    if (this.#writing !== undefined) return this.#writing;
    const isRetried = this.#inOrder.some(({ hasFailed }) => hasFailed);
    const first = isRetried ? undefined : this.#mostUrgent();
    if (isRetried || first !== undefined) this.#writing = this.#round(first);
    return this.#writing;
  }

  has(output: OutputId): boolean {
    return this.#outputs.has(output);
  }

  /** Whether the output failed in the last round. */
  hasFailed(output: OutputId): boolean {
    return this.#outputs.get(output)?.hasFailed === true;
  }

  /** When `write` has something to do, if no level changes. */
  nextDueMs(nowMs: number): number {
    let dueMs = Number.POSITIVE_INFINITY;
    // While a round runs, its end arms the timer.
    if (this.#writing !== undefined) return dueMs;
    for (const { hasFailed, retriedMs, kept, driver } of this.#inOrder) {
      if (retriedMs !== undefined) dueMs = Math.min(dueMs, retriedMs);
      else if (hasFailed) dueMs = Math.min(dueMs, nowMs + retryMs);
      if (kept !== undefined && !hasFailed) dueMs = Math.min(dueMs, kept.atMs + rewriteMs(driver));
    }
    return dueMs;
  }

  /** Outputs that have never responded are tried with the next write. */
  retryAbsent(): void {
    for (const output of this.#inOrder) if (output.retriedMs !== undefined) output.retriedMs = this.#now();
  }

  /** Whether every output is known to be off. */
  get isSafe(): boolean {
    return this.#inOrder.every(({ written }) => written === 0);
  }

  /** Whether all outputs are known to be off, except those that have never responded. */
  get onlyAbsentLeft(): boolean {
    return this.#inOrder.every(({ written, retriedMs }) => written === 0 || retriedMs !== undefined);
  }

  #now(): number {
    return this.#options.clock.monotonic();
  }

  /** Writes until chips and levels agree; each failed output is left to the next round. */
  async #round(first: DrivenOutput | undefined): Promise<void> {
    for (const output of this.#inOrder) output.hasFailed = false;
    let output = first ?? this.#mostUrgent();
    // A round without a write must not end before the caller has stored the promise.
    if (output === undefined) await Promise.resolve();
    try {
      while (output !== undefined) {
        await this.#writeOne(output, this.#options.level(output.id));
        output = this.#mostUrgent();
      }
    } finally {
      this.#writing = undefined;
    }
  }

  #mostUrgent(): DrivenOutput | undefined {
    let wrong: DrivenOutput | undefined;
    for (const output of this.#inOrder) {
      const level = this.#options.level(output.id);
      if (output.hasFailed || (output.written === level && !this.#isOld(output))) continue;
      // Not at each heartbeat: a bus that hangs would delay the others.
      if (level === 0 && (output.retriedMs ?? 0) > this.#now()) continue;
      if (level === 0) return output;
      wrong ??= output;
    }
    return wrong;
  }

  /** Whether the level must be written again: the output forgets it, or goes off by itself. */
  #isOld({ kept, driver }: DrivenOutput): boolean {
    return kept !== undefined && this.#now() - kept.atMs >= rewriteMs(driver);
  }

  async #writeOne(output: DrivenOutput, percent: number): Promise<void> {
    try {
      const { driver } = output;
      if (output.isUnopened) await driver.open();
      // Another wiring may have arrived in the meantime, with another driver to open.
      if (driver === output.driver) output.isUnopened = false;
      await driver.set(percent);
      output.written = percent;
      output.retriedMs = undefined;
      output.isReported = false;
      if (this.#options.rewrites) output.kept = percent === 0 ? undefined : { percent, atMs: this.#now() };
    } catch (error) {
      // Any failure: the others must still be switched, "off" above all.
      output.written = undefined;
      output.hasFailed = true;
      if (output.retriedMs !== undefined) output.retriedMs = this.#now() + this.#absentWaitMs();
      this.#failedAt(output, percent);
      this.#reportFailure(output, error);
    }
  }

  /** A level that was there already is tried until the output has it again; it may be off in the meantime. */
  #failedAt({ id, kept, driver }: DrivenOutput, percent: number): void {
    if (kept?.percent !== percent) {
      this.#options.onFailed(id);
      return;
    }
    const offMs = kept.atMs + (driver.heldMs ?? Number.POSITIVE_INFINITY);
    if (this.#now() >= offMs) this.#options.onWentOff(id, offMs);
  }

  #absentWaitMs(): number {
    return this.#now() - this.#startedMs < absentFromMs ? retryMs : absentRetryMs;
  }

  #reportFailure(output: DrivenOutput, error: unknown): void {
    if (!output.isReported) this.#options.report(output.id, error);
    output.isReported = true;
  }
}

const rewriteMs = (driver: OutputDriver): number => driver.rewriteMs ?? Number.POSITIVE_INFINITY;
