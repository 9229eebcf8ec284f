import type { Cancel, Clock, Log, Service } from '@lcs/platform';

export interface BackupScheduleOptions {
  /** When the newest backup was made, in milliseconds since 1970 UTC; undefined when there is none. */
  readonly newestAtMs: () => Promise<number | undefined>;
  /** The time between two backups; 0: no scheduled backups. */
  readonly intervalMs: () => number;
  /** Requests a backup; resolves when it is accepted. */
  readonly submit: () => Promise<unknown>;
  /** Ages of backups. */
  readonly clock: Clock;
  /** Clock of the checks: backups protect against events in real time. */
  readonly wire: Clock;
  readonly log: Log;
}

/** Interval of the checks whether a backup is due; the first check is this long after the start. */
export const checkIntervalMs = 600_000;
/** Longest delay before the retry of a failed one: each failure is in the event log. */
const againAfterMs = 21_600_000;

/** Makes a backup when the newest one is old enough, also after the leader was off. */
export class BackupSchedule implements Service {
  readonly name = 'backup schedule';
  readonly #options: BackupScheduleOptions;
  #cancel: Cancel | undefined;
  #looking = Promise.resolve();
  #triedAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: BackupScheduleOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    this.#cancel = this.#options.wire.every(checkIntervalMs, () => {
      this.#looking = this.#looking.then(() => this.#check());
    });
  }

  async stop(): Promise<void> {
    this.#cancel?.();
    await this.#looking;
  }

  async #check(): Promise<void> {
    const { intervalMs, newestAtMs, submit, clock, wire, log } = this.#options;
    const interval = intervalMs();
    if (interval === 0 || wire.monotonic() - this.#triedAtMs < Math.min(interval, againAfterMs)) return;
    try {
      const newest = await newestAtMs();
      // A clock that was set back must not delay backups for long.
      const age = newest === undefined ? Number.POSITIVE_INFINITY : Math.abs(clock.now() - newest);
      if (age < interval) return;
      this.#triedAtMs = wire.monotonic();
      await submit();
    } catch (error) {
      this.#triedAtMs = wire.monotonic();
      log.error('The check for a due backup failed', { error });
    }
  }
}
