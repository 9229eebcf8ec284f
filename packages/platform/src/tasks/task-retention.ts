import { hourMs } from '@lcs/contract';
import type { Cancel, Clock } from '../clock/clock.ts';
import type { Log } from '../log/log.ts';
import type { TaskStore } from './task-store.ts';

export interface TaskRetention {
  /** How long the result of a finished task can be read. Default 24 hours. */
  readonly keepMs?: number;
  /** How many finished tasks are kept at most. Default 10,000. */
  readonly maxTasks?: number;
  /** Interval of the deletion. Default 10 minutes. */
  readonly intervalMs?: number;
}

/** Deletes expired results of tasks. */
export class TaskPruning {
  readonly #store: TaskStore;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #keepMs: number;
  readonly #most: number;
  readonly #everyMs: number;
  #cancelTimer: Cancel | undefined;
  #pruning: Promise<void> | undefined;
  #isStopping = false;

  constructor(parts: {
    readonly store: TaskStore;
    readonly clock: Clock;
    readonly log: Log;
    readonly retention: TaskRetention;
  }) {
    this.#store = parts.store;
    this.#clock = parts.clock;
    this.#log = parts.log;
    this.#keepMs = parts.retention.keepMs ?? 24 * hourMs;
    this.#most = parts.retention.maxTasks ?? 10_000;
    this.#everyMs = parts.retention.intervalMs ?? hourMs / 6;
  }

  /** Tasks that ended at this time or before have expired, whether or not their rows are deleted yet. */
  get expiryMs(): number {
    return this.#clock.now() - this.#keepMs;
  }

  start(): void {
    this.#isStopping = false;
    this.#cancelTimer = this.#clock.every(this.#everyMs, () => this.#begin());
    this.#begin();
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#cancelTimer?.();
    await this.#pruning;
  }

  #begin(): void {
    this.#pruning ??= this.#prune().finally(() => {
      this.#pruning = undefined;
    });
  }

  async #prune(): Promise<void> {
    try {
      while (!this.#isStopping && (await this.#store.prune(this.expiryMs, this.#most)));
    } catch (error) {
      this.#log.warn('Old tasks could not be deleted; the node retries', { error: String(error) });
    }
  }
}
