import type { Cancel, Clock } from '../clock/clock.ts';
import type { Log } from '../log/log.ts';
import type { TaskRecord } from './task-record.ts';
import type { TaskStore } from './task-store.ts';

/** The shortest time between two writes of progress. */
const intervalMs = 1_000;

/** Writes start and progress of running tasks to disk, all together and at most once a second. */
export class TaskProgress {
  readonly #store: TaskStore;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #changed = new Map<string, TaskRecord>();
  #cancelTimer: Cancel | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(parts: { readonly store: TaskStore; readonly clock: Clock; readonly log: Log }) {
    this.#store = parts.store;
    this.#clock = parts.clock;
    this.#log = parts.log;
  }

  changed(record: TaskRecord): void {
    this.#changed.set(record.taskId, record);
    this.#cancelTimer ??= this.#clock.after(intervalMs, () => {
      this.#cancelTimer = undefined;
      this.#writing = this.#write();
    });
  }

  /** The task has ended; its end has all facts. */
  forget(taskId: string): void {
    this.#changed.delete(taskId);
  }

  /** Writes the pending records. */
  async stop(): Promise<void> {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    await this.#writing;
    await this.#write();
  }

  async #write(): Promise<void> {
    if (this.#changed.size === 0) return;
    const records = [...this.#changed.values()];
    this.#changed.clear();
    try {
      await this.#store.saveProgress(records);
    } catch (error) {
      // Only the display after a restart is lost; the ends of tasks are written on their own.
      this.#log.warn('The progress of tasks could not be written', { error: String(error) });
    }
  }
}
