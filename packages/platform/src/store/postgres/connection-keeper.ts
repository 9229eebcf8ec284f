import type { Clock } from '../../clock/clock.ts';
import type { Log } from '../../log/log.ts';
import { answersWithin } from './answers-within.ts';
import { type ConnectionSettings, PostgresConnection } from './postgres-connection.ts';
import { connectionLost, toPostgresError } from './postgres-errors.ts';

const firstPauseMs = 100;
const longestPauseMs = 5_000;

/** How a connection is tested on which nothing else is sent. */
export interface ConnectionTest {
  readonly everyMs: number;
  /** The longest wait for an answer. */
  readonly limitMs: number;
}

export const usualTest: ConnectionTest = { everyMs: 5_000, limitMs: 5_000 };

export interface KeeperParts {
  readonly settings: ConnectionSettings;
  readonly clock: Clock;
  readonly log: Log;
  /** Prepares a new connection before it is used. */
  readonly prepare?: (connection: PostgresConnection) => Promise<void>;
  /** For connections that only listen: without it, nothing would show that the server is gone, or the way to it. */
  readonly test?: ConnectionTest;
}

/** Keeps one connection to the server: when it ends, connects again with growing pauses. Meanwhile calls fail at once. */
export class ConnectionKeeper {
  readonly #parts: KeeperParts;
  readonly #ending = new AbortController();
  #connection: PostgresConnection | undefined;
  #following: Promise<void> = Promise.resolve();
  #testing: Promise<void> = Promise.resolve();

  constructor(parts: KeeperParts) {
    this.#parts = parts;
  }

  /** Connects for the first time. @throws StoreError */
  async start(): Promise<void> {
    this.#connection = await this.#connect();
    this.#following = this.#follow();
    const { test } = this.#parts;
    if (test !== undefined) this.#testing = this.#test(test);
  }

  get isConnected(): boolean {
    return this.#connection?.isOpen === true;
  }

  /** @throws StoreError `connection_lost` */
  get connection(): PostgresConnection {
    if (this.#connection?.isOpen) return this.#connection;
    throw connectionLost();
  }

  async stop(): Promise<void> {
    this.#ending.abort();
    this.#connection?.close();
    await Promise.all([this.#following, this.#testing]);
  }

  /** Ends a connection that does not answer, so that another one is made. */
  async #test({ everyMs, limitMs }: ConnectionTest): Promise<void> {
    const { clock, log } = this.#parts;
    const { signal } = this.#ending;
    while (!signal.aborted) {
      // An end of the service ends the pause.
      await clock.sleep(everyMs, signal).catch(() => {});
      const connection = this.#connection;
      if (signal.aborted || !connection?.isOpen) continue;
      if ((await answersWithin(connection, limitMs, clock)) || !connection.isOpen) continue;
      log.warn('The database server does not answer: its connection is given up', { limitMs });
      connection.close();
    }
  }

  async #follow(): Promise<void> {
    const { signal } = this.#ending;
    while (!signal.aborted) {
      await this.#connection?.ended;
      if (signal.aborted) return;
      this.#parts.log.error('The connection to the database server has ended');
      await this.#reconnect();
    }
  }

  async #reconnect(): Promise<void> {
    const { clock, log } = this.#parts;
    const { signal } = this.#ending;
    let pauseMs = firstPauseMs;
    while (!signal.aborted) {
      try {
        const connection = await this.#connect();
        if (signal.aborted) return connection.close();
        this.#connection = connection;
        log.info('Connected to the database server again');
        return;
      } catch (error) {
        log.debug('Cannot connect to the database server', { error: toPostgresError(error).message });
      }
      // An end of the service ends the pause.
      await clock.sleep(pauseMs, signal).catch(() => {});
      pauseMs = Math.min(2 * pauseMs, longestPauseMs);
    }
  }

  async #connect(): Promise<PostgresConnection> {
    const connection = await PostgresConnection.open(this.#parts.settings);
    try {
      await this.#parts.prepare?.(connection);
      return connection;
    } catch (error) {
      connection.close();
      throw error;
    }
  }
}
