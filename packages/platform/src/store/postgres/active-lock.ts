import type { Clock } from '../../clock/clock.ts';
import type { Log } from '../../log/log.ts';
import type { PublicKeyText } from '../../tls/public-key.ts';
import { answersWithin } from './answers-within.ts';
import { identifier, literal } from './identifier.ts';
import { PostgresConnection } from './postgres-connection.ts';
import { connectionLost, toPostgresError } from './postgres-errors.ts';

/** The active process of a database, as its row there names it. */
export interface ActiveProcess {
  /** The process: at each start another one. */
  readonly process: string;
  /** The node, by its data folder. */
  readonly nodeId: string;
  /** The number of its starts. */
  readonly boot: number;
  /** Of the certificate that it shows other nodes. */
  readonly publicKey: PublicKeyText;
  /** Of its program. */
  readonly version: string;
  /** Where it answers; null while it starts. */
  readonly url: string | null;
}

export interface ActiveLockOptions {
  /** `postgres://user:password@host:port/database`. */
  readonly url: string;
  /** The wire clock. */
  readonly clock: Clock;
  readonly log: Log;
}

/** Whether this process is the active one of its database. */
export interface ActiveState {
  /** As the server knows it: a process that was suspended may not know yet that it has lost the lock. @throws StoreError */
  isConfirmed(connection: PostgresConnection): Promise<boolean>;
}

export const processSchema = 'lcs_process';
const schema = processSchema;
/** How often the lock is requested, and after how long without the server the next connection is tried. */
const requestEveryMs = 500;
/** How often the connection is tested while the lock is held. */
const testEveryMs = 1_000;
/** A server that does not answer for so long has lost this process: before it gives the lock to another one (see `keepAlive`). */
const answerLimitMs = 3_000;
/** The server finds a machine that is gone after 4 s + 2 × 1 s. Local sockets need none of it. */
const keepAlive = `set tcp_keepalives_idle = 4; set tcp_keepalives_interval = 1; set tcp_keepalives_count = 2;
  set tcp_user_timeout = 6000; set synchronous_commit = off`;

/** The processes that read feeds of units for the active one. What is not in the table may store nothing. */
const ingestTable = `create table if not exists ${schema}.ingest (
    process text primary key,
    version text not null
  );
  create or replace function ${schema}.require_ingest(text) returns void language plpgsql as $f$ begin
    perform 1 from ${schema}.ingest where process = $1 for key share;
    if not found then raise exception 'Another process reads the units of this one.' using errcode = 'LCS01'; end if;
  end $f$`;

const makeTable = `create schema if not exists ${schema};
  create table if not exists ${schema}.active (
    only_row integer primary key default 1 check (only_row = 1),
    process text not null,
    node_id text not null,
    boot bigint not null,
    public_key text not null,
    version text not null,
    url text
  );
  ${ingestTable}`;

/** The rows of `pg_locks` with an advisory lock of two keys. */
export const locked = (first: string, second: string): string => {
  const key = (text: string) => `hashtext(${literal(text)})::bigint & 4294967295`;
  return `locktype = 'advisory' and granted and database = (select oid from pg_database where datname = current_database())
    and classid::bigint = ${key(first)} and objid::bigint = ${key(second)} and objsubid = 2`;
};

/** @param row of the table */
export const toActiveProcess = (row: Readonly<Record<string, unknown>>): ActiveProcess => ({
  process: String(row.process),
  nodeId: String(row.node_id),
  boot: Number(row.boot),
  publicKey: String(row.public_key),
  version: String(row.version),
  url: row.url === null ? null : String(row.url),
});

type State =
  | { readonly is: 'without' }
  | { readonly is: 'waiting'; readonly connection: PostgresConnection }
  | { readonly is: 'held'; readonly connection: PostgresConnection }
  | { readonly is: 'lost' };

/**
 * The lock of the active process of a database: one process at most has it. It belongs to a connection of its own; when that ends, or does
 * not answer in time, the lock is lost for good, and its owner must neither write nor send commands.
 */
export class ActiveLock implements ActiveState {
  readonly #options: ActiveLockOptions;
  readonly #lost = Promise.withResolvers<void>();
  readonly #ending = new AbortController();
  readonly #listeners = new Map<string, (payload: string) => void>();
  #state: State = { is: 'without' };
  #testing: Promise<void> = Promise.resolve();

  constructor(options: ActiveLockOptions) {
    this.#options = options;
  }

  /** As far as this process knows. */
  get isHeld(): boolean {
    return this.#state.is === 'held' && this.#state.connection.isOpen;
  }

  async isConfirmed(connection: PostgresConnection): Promise<boolean> {
    if (this.#state.is !== 'held' || this.#state.connection.processId === undefined) return false;
    const text = `select 1 from pg_locks where pid = $1 and ${locked('lcs', 'active')}`;
    return (await connection.run({ text, values: [this.#state.connection.processId] })).rows.length > 0;
  }

  /** Resolves when the lock was held and is lost; not after `release`. */
  get lost(): Promise<void> {
    return this.#lost.promise;
  }

  /** Requests the lock once. @throws StoreError */
  async request(): Promise<boolean> {
    const connection = await this.#connect();
    const text = `select pg_try_advisory_lock(hashtext('lcs'), hashtext('active')) as got`;
    if ((await connection.run({ text, values: [] })).rows[0]?.got !== 1) return false;
    await connection.script(`${keepAlive}; ${makeTable}`);
    this.#state = { is: 'held', connection };
    this.#testing = this.#test(connection);
    return true;
  }

  /**
   * Waits until this process is the active one; also for a server that is away.
   * @param onOther called after each request while another process has the lock
   */
  async wait(signal: AbortSignal, onOther: () => Promise<void> = async () => {}): Promise<void> {
    const { clock, log } = this.#options;
    for (;;) {
      signal.throwIfAborted();
      try {
        if (await this.request()) return;
        await onOther();
      } catch (error) {
        const reason = toPostgresError(error);
        if (reason.code !== 'connection_lost') throw error;
        log.debug('Cannot request the lock of the active process', { error: reason.message });
      }
      await clock.sleep(requestEveryMs, signal);
    }
  }

  /** Who is active, or was so last. @throws StoreError */
  async lastActive(): Promise<ActiveProcess | undefined> {
    const connection = await this.#connect();
    const known = await connection.run({ text: `select to_regclass('${schema}.active') as found`, values: [] });
    if (known.rows[0]?.found === null) return undefined;
    const { rows } = await connection.run({ text: `select * from ${schema}.active`, values: [] });
    const [row] = rows;
    if (row === undefined) return undefined;
    return toActiveProcess(row);
  }

  /** Writes who is active: this process. @throws StoreError */
  async announce({ process, nodeId, boot, publicKey, version, url }: ActiveProcess): Promise<void> {
    if (this.#state.is !== 'held') throw connectionLost();
    await this.#state.connection.run({
      text: `insert into ${schema}.active (process, node_id, boot, public_key, version, url) values ($1, $2, $3, $4, $5, $6)
        on conflict (only_row) do update set process = excluded.process, node_id = excluded.node_id,
          boot = excluded.boot, public_key = excluded.public_key, version = excluded.version, url = excluded.url`,
      values: [process, nodeId, BigInt(boot), publicKey, version, url],
    });
  }

  /** Calls `listener` with messages that other processes send to `channel`. At most one listener for each; it must not throw. */
  async listen(channel: string, listener: (payload: string) => void): Promise<void> {
    this.#listeners.set(channel, listener);
    await (await this.#connect()).script(`listen ${identifier(channel)}`);
  }

  /** Sends a message to the processes that listen to `channel`. @throws StoreError */
  async notify(channel: string, payload: string): Promise<void> {
    await (await this.#connect()).script(`notify ${identifier(channel)}, ${literal(payload)}`);
  }

  /** Gives up the lock, or the wait for it. */
  async release(): Promise<void> {
    const state = this.#state;
    this.#state = { is: 'lost' };
    this.#ending.abort();
    if (state.is === 'waiting' || state.is === 'held') state.connection.close();
    await this.#testing;
  }

  async #connect(): Promise<PostgresConnection> {
    const state = this.#state;
    if (state.is === 'lost') throw connectionLost();
    if (state.is !== 'without' && state.connection.isOpen) return state.connection;
    if (state.is === 'held') throw connectionLost();
    const connection = await PostgresConnection.open({ url: this.#options.url, schema, readOnly: false });
    if (this.#ending.signal.aborted) {
      connection.close();
      throw connectionLost();
    }
    connection.onNotification((channel, payload) => this.#listeners.get(channel)?.(payload));
    for (const channel of this.#listeners.keys()) await connection.script(`listen ${identifier(channel)}`);
    this.#state = { is: 'waiting', connection };
    return connection;
  }

  /** Until the connection has ended or does not answer. */
  async #test(connection: PostgresConnection): Promise<void> {
    const { signal } = this.#ending;
    const { clock } = this.#options;
    while (!signal.aborted && (await answersWithin(connection, answerLimitMs, clock)))
      // An end of the connection or of the lock ends the pause.
      await Promise.race([clock.sleep(testEveryMs, signal).catch(() => {}), connection.ended]);
    if (signal.aborted) return;
    this.#state = { is: 'lost' };
    connection.close();
    this.#lost.resolve();
  }
}
