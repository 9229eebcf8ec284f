import type { Cancel, Clock, Living, Log } from '@lcs/platform';

export interface BackupScheduleOptions {
  /** When the newest backup was made, in milliseconds since 1970 UTC; undefined when there is none. */
  readonly newestAtMs: () => Promise<number | undefined>;
  /** Between two backups; 0: never. */
  readonly intervalMs: () => number;
  /** Lets one be made, and resolves when it is decided to. */
  readonly submit: () => Promise<unknown>;
  /** Ages of backups. */
  readonly clock: Clock;
  /** When to look: backups guard against what happens in real time. */
  readonly wire: Clock;
  readonly log: Log;
}

/** So often it looks whether a backup is due; the first time when the leader has been up for so long. */
export const lookEveryMs = 600_000;
/** One that failed is tried again after so long at most: each failure is said in the event log. */
const againAfterMs = 21_600_000;

/** Backs up when the newest backup is old enough, whatever was missed while the leader was off. */
export class BackupSchedule implements Living {
  readonly name = 'backup schedule';
  readonly #options: BackupScheduleOptions;
  #cancel: Cancel | undefined;
  #looking = Promise.resolve();
  #triedAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: BackupScheduleOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    this.#cancel = this.#options.wire.every(lookEveryMs, () => {
      this.#looking = this.#looking.then(() => this.#look());
    });
  }

  async stop(): Promise<void> {
    this.#cancel?.();
    await this.#looking;
  }

  async #look(): Promise<void> {
    const { intervalMs, newestAtMs, submit, clock, wire, log } = this.#options;
    const interval = intervalMs();
    if (interval === 0 || wire.monotonic() - this.#triedAtMs < Math.min(interval, againAfterMs)) return;
    try {
      const newest = await newestAtMs();
      // A clock that was set back must not put backups off for long.
      const age = newest === undefined ? Number.POSITIVE_INFINITY : Math.abs(clock.now() - newest);
      if (age < interval) return;
      this.#triedAtMs = wire.monotonic();
      await submit();
    } catch (error) {
      this.#triedAtMs = wire.monotonic();
      log.error('Whether a backup is due could not be found out', { error });
    }
  }
}
