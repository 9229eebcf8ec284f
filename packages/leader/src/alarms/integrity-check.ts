import { dayMs, minuteMs } from '@lcs/contract';
import type { Cancel, Service } from '@lcs/platform';
import type { LeaderContext } from '../core/leader-context.ts';
import type { AlarmReports } from './alarm-engine.ts';

export interface IntegrityCheckOptions {
  readonly context: Pick<LeaderContext, 'wire' | 'log'>;
  /** Reads the whole database; resolves to its faults. */
  readonly check: () => Promise<readonly string[]>;
  readonly reports: AlarmReports;
}

/** The start itself reads much from the disk: the first check is later. */
const firstMs = 10 * minuteMs;
const everyMs = dayMs;

/** Checks the database once a day, in a separate process, and reports its faults. */
export class IntegrityCheck implements Service {
  readonly name = 'check of the database';
  readonly #options: IntegrityCheckOptions;
  #cancels: readonly Cancel[] = [];
  #running: Promise<void> | undefined;
  #isStopping = false;

  constructor(options: IntegrityCheckOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    const { wire } = this.#options.context;
    this.#isStopping = false;
    const run = () => {
      this.#running ??= this.run().finally(() => {
        this.#running = undefined;
      });
    };
    this.#cancels = [wire.after(firstMs, run), wire.every(everyMs, run)];
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    for (const cancel of this.#cancels) cancel();
  }

  /** Never rejects. */
  async run(): Promise<void> {
    const { context, check, reports } = this.#options;
    try {
      const faults = await check();
      const [first] = faults;
      const more = faults.length > 1 ? ` (and ${faults.length - 1} more)` : '';
      reports.report('database_damaged', first === undefined ? null : `The database is damaged: ${first}${more}`);
    } catch (error) {
      // The end of the leader ends the check.
      if (!this.#isStopping) context.log.warn('The database could not be checked', { error: String(error) });
    }
  }
}
