import type { Cancel, Clock } from '../clock/clock.ts';
import type { Log } from '../log/log.ts';
import type { FinishedTaskRecord } from './task-record.ts';
import type { TaskStore } from './task-store.ts';

const retryMs = 5_000;

/** Brings the ends of tasks to disk, and keeps trying while the disk does not take them. */
export class TaskEnds {
  readonly #store: TaskStore;
  readonly #wire: Clock;
  readonly #log: Log;
  readonly #unrecorded = new Map<string, FinishedTaskRecord>();
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

  /** Resolves when the end is on disk, or can be found here until it is. */
  async record(ended: FinishedTaskRecord): Promise<void> {
    try {
      await this.#store.saveEnds([ended]);
    } catch (error) {
      this.#log.error('The end of a task could not be written; trying again', {
        taskId: ended.taskId,
        error: String(error),
      });
      this.#unrecorded.set(ended.taskId, ended);
      this.#retryLater();
    }
  }

  /** Tries a last time. */
  async stop(): Promise<void> {
    this.#stopTimer();
    await this.#retrying;
    if (this.#unrecorded.size > 0) await this.#retry();
    this.#stopTimer();
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

  async #retry(): Promise<void> {
    const records = [...this.#unrecorded.values()];
    try {
      await this.#store.saveEnds(records);
      for (const { taskId } of records) this.#unrecorded.delete(taskId);
    } catch (error) {
      const tasks = records.map(({ taskId }) => taskId);
      this.#log.error('The ends of tasks could still not be written', { tasks, error: String(error) });
      this.#retryLater();
    }
  }
}
