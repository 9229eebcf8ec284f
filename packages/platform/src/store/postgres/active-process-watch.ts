import type { Clock } from '../../clock/clock.ts';
import type { Service } from '../../lifecycle/in-order.ts';
import type { Log } from '../../log/log.ts';
import { type ActiveProcess, locked, processSchema, toActiveProcess } from './active-lock.ts';
import type { PreparedStatement } from './postgres-connection.ts';
import { toPostgresError } from './postgres-errors.ts';
import { ReadPool } from './read-pool.ts';

export interface ActiveProcessWatchOptions {
  /** `postgres://user:password@host:port/database`. */
  readonly url: string;
  /** The wire clock. */
  readonly clock: Clock;
  readonly log: Log;
  /** Another process is active, or the same at another address, or none. */
  readonly onChange?: () => void;
}

const readEveryMs = 500;

const isKnown: PreparedStatement = { text: `select to_regclass('${processSchema}.active') as found`, values: [] };
/** The row of a process that has ended is still there; its lock is not. */
const current: PreparedStatement = {
  text: `select * from ${processSchema}.active where exists (select 1 from pg_locks where ${locked('lcs', 'active')})`,
  values: [],
};

/** Knows which process is active on a database, half a second late at most. */
export class ActiveProcessWatch implements Service {
  readonly name = 'active process';
  readonly #options: ActiveProcessWatchOptions;
  readonly #pool: ReadPool;
  readonly #ending = new AbortController();
  #active: ActiveProcess | undefined;
  #following: Promise<void> = Promise.resolve();

  constructor(options: ActiveProcessWatchOptions) {
    this.#options = options;
    const { url, clock, log } = options;
    this.#pool = new ReadPool({ settings: { url, schema: processSchema, readOnly: true }, clock, log }, 1);
  }

  /** Undefined: none, or the database server is away. */
  get active(): ActiveProcess | undefined {
    return this.#active;
  }

  /** @throws StoreError */
  async start(_signal: AbortSignal): Promise<void> {
    await this.#pool.start();
    try {
      await this.#read();
    } catch (error) {
      await this.#pool.stop();
      throw error;
    }
    this.#following = this.#follow();
  }

  async stop(): Promise<void> {
    this.#ending.abort();
    await this.#pool.stop();
    await this.#following;
  }

  async #follow(): Promise<void> {
    const { clock, log } = this.#options;
    const { signal } = this.#ending;
    while (!signal.aborted) {
      // An end of the service ends the pause.
      await clock.sleep(readEveryMs, signal).catch(() => {});
      try {
        if (!signal.aborted) await this.#read();
      } catch (error) {
        this.#active = undefined;
        log.debug('Cannot read which process is active', { error: toPostgresError(error).message });
      }
    }
  }

  async #read(): Promise<void> {
    const { log, onChange } = this.#options;
    const before = this.#active;
    // Before the first start of a leader there is no table.
    const [known] = (await this.#pool.run(isKnown)).rows;
    const row = known?.found === null ? undefined : (await this.#pool.run(current)).rows[0];
    this.#active = row === undefined ? undefined : toActiveProcess(row);
    if (this.#active?.process === before?.process && this.#active?.url === before?.url) return;
    log.info('The active process has changed', { url: this.#active?.url ?? null });
    onChange?.();
  }
}
