import { type Cancel, type Clock, endsWithin, type Log } from '@lcs/platform';
import type { EndedJobs } from './ended-jobs.ts';

export interface PendingRecordsOptions {
  readonly wire: Clock;
  readonly log: Log;
  readonly endedJobs: EndedJobs;
}

/** A change of the record of jobs that is in force already. */
export interface PendingRecord {
  /** A newer change of the same thing takes the place of one that is not written yet. */
  readonly key: string;
  /** Jobs that end for good with it: a restart must not bring them back, whether or not it is written by then. */
  readonly ends?: readonly number[];
  /** Keys that mean nothing any more once it is written. */
  readonly outdates?: (key: string) => boolean;
  write(): Promise<void>;
}

const retryMs = 2_000;
/** A write that takes longer than this may never come: what must survive is written elsewhere. */
const journalAfterMs = 100;
/** So long a write is waited for; it goes on. */
const recordLimitMs = 1_000;

/**
 * Brings changes that are in force to disk, and keeps trying while the disk does not take them. Jobs that have ended
 * meanwhile stand in a file of their own.
 */
export class PendingRecords {
  readonly #options: PendingRecordsOptions;
  /** In the order in which they came. */
  readonly #waiting = new Map<string, PendingRecord>();
  /** Keys of those that a write has failed of. */
  readonly #failed = new Set<string>();
  /** Never reject. */
  readonly #attempts = new Set<Promise<void>>();
  #cancelTimer: Cancel | undefined;
  /** Never rejects. */
  #retrying: Promise<void> = Promise.resolve();

  constructor(options: PendingRecordsOptions) {
    this.#options = options;
  }

  /** Whether a change is in force that the disk has not taken when it was asked. */
  get isBehind(): boolean {
    return this.#failed.size > 0;
  }

  /** Whether the end of one of these jobs is not on disk yet. */
  isBehindWith(jobIds: readonly number[]): boolean {
    return [...this.#waiting.values()].some(({ ends = [] }) => ends.some((id) => jobIds.includes(id)));
  }

  /** Resolves with whether it is on disk: when it is, or soon. What is not is tried again. */
  async record(record: PendingRecord): Promise<boolean> {
    const { wire, endedJobs } = this.#options;
    this.#waiting.delete(record.key);
    this.#waiting.set(record.key, record);
    let isWritten = false;
    const attempt = this.#attempt(record).then((outcome) => {
      isWritten = outcome;
    });
    this.#attempts.add(attempt);
    void attempt.then(() => this.#attempts.delete(attempt));
    const { ends = [] } = record;
    if (ends.length > 0) {
      await endsWithin(attempt, wire, journalAfterMs);
      if (!isWritten) await endsWithin(endedJobs.add(ends), wire, recordLimitMs);
    }
    await endsWithin(attempt, wire, recordLimitMs);
    return isWritten;
  }

  /** Tries a last time what is not on disk. */
  async stop(): Promise<void> {
    this.#stopTimer();
    await this.#retrying;
    await Promise.all(this.#attempts);
    await this.#retry();
    this.#stopTimer();
  }

  #stopTimer(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
  }

  async #attempt(record: PendingRecord): Promise<boolean> {
    const { key, ends = [], outdates } = record;
    const { log, endedJobs } = this.#options;
    try {
      await record.write();
    } catch (error) {
      log.error('A change of a job is in force and could not be recorded; it is tried again', {
        change: key,
        error: String(error),
      });
      this.#failed.add(key);
      this.#retryLater();
      return false;
    }
    if (this.#waiting.get(key) === record) this.#forget(key);
    for (const other of this.#waiting.keys()) if (outdates?.(other)) this.#forget(other);
    if (ends.length > 0) await endedJobs.remove(ends);
    return true;
  }

  #forget(key: string): void {
    this.#waiting.delete(key);
    this.#failed.delete(key);
  }

  #retryLater(): void {
    this.#cancelTimer ??= this.#options.wire.after(retryMs, () => {
      this.#cancelTimer = undefined;
      this.#retrying = this.#retry();
    });
  }

  /** In order; what fails now waits for the next round, and what follows it too. */
  async #retry(): Promise<void> {
    for (const record of [...this.#waiting.values()]) {
      if (this.#waiting.get(record.key) === record && !(await this.#attempt(record))) return;
    }
  }
}
