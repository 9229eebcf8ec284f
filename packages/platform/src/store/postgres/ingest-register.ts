import type { Clock } from '../../clock/clock.ts';
import type { Service } from '../../lifecycle/in-order.ts';
import type { Log } from '../../log/log.ts';
import { locked, processSchema } from './active-lock.ts';
import { ConnectionKeeper } from './connection-keeper.ts';
import { literal } from './identifier.ts';
import { PostgresConnection } from './postgres-connection.ts';

/** A process that is suspended within a transaction must not keep others from writing. */
const longestPauseMs = 2_000;

/** Marks a writing connection as one of the process, so that it can be ended. */
export const markIngest = (connection: PostgresConnection, process: string): Promise<void> =>
  connection.script(`set idle_in_transaction_session_timeout = ${longestPauseMs};
    select pg_advisory_lock_shared(hashtext('lcs ingest'), hashtext(${literal(process)}))`);

async function once(url: string, run: (connection: PostgresConnection) => Promise<unknown>): Promise<void> {
  const connection = await PostgresConnection.open({ url, schema: processSchema, readOnly: false });
  try {
    await run(connection);
  } finally {
    connection.close();
  }
}

/** The process may store feeds from now on. @throws StoreError */
export const registerIngest = (url: string, process: string, version: string): Promise<void> =>
  once(url, (connection) =>
    connection.run({
      text: `insert into ${processSchema}.ingest (process, version) values ($1, $2)`,
      values: [process, version],
    }),
  );

/** The process stores nothing any more. @throws StoreError */
export const leaveIngest = (url: string, process: string): Promise<void> =>
  once(url, (connection) =>
    connection.run({ text: `delete from ${processSchema}.ingest where process = $1`, values: [process] }),
  );

export interface IngestRegisterOptions {
  /** `postgres://user:password@host:port/database`. */
  readonly url: string;
  /** The wire clock. */
  readonly clock: Clock;
  readonly log: Log;
}

/** The processes that may store feeds, for the active process. */
export class IngestRegister implements Service {
  readonly name = 'register of ingest processes';
  readonly #keeper: ConnectionKeeper;

  constructor({ url, clock, log }: IngestRegisterOptions) {
    this.#keeper = new ConnectionKeeper({ settings: { url, schema: processSchema, readOnly: false }, clock, log });
  }

  /** @throws StoreError */
  start(_signal: AbortSignal): Promise<void> {
    return this.#keeper.start();
  }

  stop(): Promise<void> {
    return this.#keeper.stop();
  }

  /** @throws StoreError */
  async processes(): Promise<readonly string[]> {
    const text = `select process from ${processSchema}.ingest order by 1`;
    const { rows } = await this.#keeper.connection.run({ text, values: [] });
    return rows.map(({ process }) => String(process));
  }

  /** Once it resolves, the process can store nothing any more, whatever it does: its connections are ended first. @throws StoreError */
  async fence(process: string): Promise<void> {
    const { connection } = this.#keeper;
    await connection.script(`select pg_terminate_backend(pid) from pg_locks where ${locked('lcs ingest', process)}`);
    await connection.run({ text: `delete from ${processSchema}.ingest where process = $1`, values: [process] });
  }
}
