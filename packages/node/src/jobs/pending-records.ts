import { type Cancel, type Clock, endsWithin, type Log } from '@lcs/platform';
import type { EndedJobs } from './ended-jobs.ts';

export interface PendingRecordsOptions {
  readonly wire: Clock;
  readonly log: Log;
  readonly endedJobs: EndedJobs;
}

/** An effective change of the record of jobs. */
export interface PendingRecord {
  /** A newer change with the same key replaces one that is not written yet. */
  readonly key: string;
  /** Jobs that end with it: a restart must not resume them, whether or not it is written. */
  readonly ends?: readonly number[];
  /** Keys of pending changes that it makes obsolete. */
  readonly outdates?: (key: string) => boolean;
  write(): Promise<void>;
}

const retryMs = 2_000;
/** After this time a write may have failed: ended jobs are then recorded in their own file. */
const journalAfterMs = 100;
/** How long a caller waits for a write, which continues. */
const recordLimitMs = 1_000;

/**
 * Writes effective changes to disk, and retries while the disk rejects them. Jobs that have ended meanwhile are recorded in a file of
 * their own.
 */
export class PendingRecords {
  readonly #options: PendingRecordsOptions;
  /** In the order of their arrival. */
  readonly #waiting = new Map<string, PendingRecord>();
  /** Keys of changes with a failed write. */
  readonly #failed = new Set<string>();
  /** Never reject. */
  readonly #attempts = new Set<Promise<void>>();
  #cancelTimer: Cancel | undefined;
  /** Never rejects. */
  #retrying: Promise<void> = Promise.resolve();

  constructor(options: PendingRecordsOptions) {
    this.#options = options;
  }

  /** Whether the disk has rejected the write of an effective change. */
  get isBehind(): boolean {
    return this.#failed.size > 0;
  }

  /** Whether the end of one of these jobs is not on disk yet. */
  isBehindWith(jobIds: readonly number[]): boolean {
    return [...this.#waiting.values()].some(({ ends = [] }) => ends.some((id) => jobIds.includes(id)));
  }

  /** Resolves with true when it is on disk, or with false after a short time; then the write is retried. */
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

  /** Writes pending changes a last time. */
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
      log.error('An effective change of a job could not be recorded; the node retries', {
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

  /** Writes in order; a failed change and those after it wait for the next round. */
  async #retry(): Promise<void> {
    for (const record of [...this.#waiting.values()]) {
      if (this.#waiting.get(record.key) === record && !(await this.#attempt(record))) return;
    }
  }
}
