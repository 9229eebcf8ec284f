import type { Cancel, Clock } from '../clock/clock.ts';
import { endsWithin } from '../clock/with-timeout.ts';
import type { Log } from '../log/log.ts';
import type { FinishedTaskRecord } from './task-record.ts';
import type { InsertLate, TaskStore } from './task-store.ts';

const retryMs = 5_000;

/**
 * Writes the ends of tasks to disk, and the records of tasks that began without one; retries while the disk rejects them.
 */
export class TaskEnds {
  readonly #store: TaskStore;
  readonly #wire: Clock;
  readonly #log: Log;
  readonly #unrecorded = new Map<string, FinishedTaskRecord>();
  /** By task: the insert of one that began without a record. */
  readonly #inserts = new Map<string, InsertLate>();
  #cancelTimer: Cancel | undefined;
  #retrying: Promise<void> = Promise.resolve();

  constructor(parts: { readonly store: TaskStore; readonly wire: Clock; readonly log: Log }) {
    this.#store = parts.store;
    this.#wire = parts.wire;
    this.#log = parts.log;
  }

  /** An end that is not on disk yet. */
  find(taskId: string): FinishedTaskRecord | undefined {
    return this.#unrecorded.get(taskId);
  }

  /** Records a task that has already begun. Resolves when it is on disk, or after `limitMs`; retries until it is. */
  async recordBegun(taskId: string, insert: InsertLate, limitMs: number): Promise<void> {
    this.#inserts.set(taskId, insert);
    await endsWithin(this.#attempt([taskId], 'The record of a task'), this.#wire, limitMs);
  }

  /** Resolves when the end is on disk, or after `limitMs`; until then the end is available here. */
  async record(ended: FinishedTaskRecord, limitMs?: number): Promise<void> {
    this.#unrecorded.set(ended.taskId, ended);
    const attempt = this.#attempt([ended.taskId], 'The end of a task');
    if (limitMs === undefined) await attempt;
    else await endsWithin(attempt, this.#wire, limitMs);
  }

  /** Tries a last time. */
  async stop(): Promise<void> {
    this.#stopTimer();
    await this.#retrying;
    if (this.#waiting.length > 0) await this.#retry();
    this.#stopTimer();
  }

  get #waiting(): readonly string[] {
    return [...new Set([...this.#inserts.keys(), ...this.#unrecorded.keys()])];
  }

  #stopTimer(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
  }

  #retryLater(): void {
    this.#cancelTimer ??= this.#wire.after(retryMs, () => {
      this.#cancelTimer = undefined;
      this.#retrying = this.#retry();
    });
  }

  #retry(): Promise<void> {
    return this.#attempt(this.#waiting, 'The records of tasks');
  }

  /** Writes the unrecorded ends of these tasks. Never rejects. */
  async #attempt(tasks: readonly string[], what: string): Promise<void> {
    const inserts = tasks.flatMap((taskId) => this.#inserts.get(taskId) ?? []);
    const ends = tasks.flatMap((taskId) => this.#unrecorded.get(taskId) ?? []);
    try {
      await this.#store.saveEnds(ends, inserts);
      for (const taskId of tasks) this.#inserts.delete(taskId);
      for (const { taskId } of ends) this.#unrecorded.delete(taskId);
    } catch (error) {
      this.#log.error(`${what} could not be written; the node retries`, { tasks, error: String(error) });
      this.#retryLater();
    }
  }
}
