import { randomUUID } from 'node:crypto';
import type { Kysely, Transaction } from 'kysely';
import type { Clock } from '../../clock/clock.ts';
import type { Log } from '../../log/log.ts';
import { toSqlValues } from '../bindings.ts';
import type { BulkOptions, BulkStatement, Probe, StoredDatabase } from '../database.ts';
import { kyselyOver } from '../dialect.ts';
import type { Migration } from '../migrations.ts';
import { notRunning, StoreError } from '../store-error.ts';
import { withinTimeLimit } from '../time-limit.ts';
import { type ActiveState, locked, processSchema } from './active-lock.ts';
import { BulkRows } from './bulk-rows.ts';
import { CommandTransaction } from './command-transaction.ts';
import { ConnectionKeeper } from './connection-keeper.ts';
import { identifier, literal } from './identifier.ts';
import { markIngest } from './ingest-register.ts';
import { migratePostgres } from './migrate-postgres.ts';
import type { PostgresConnection } from './postgres-connection.ts';
import { connectionLost, outcomeUnknown, toPostgresError } from './postgres-errors.ts';
import type { PublicViews } from './public-views.ts';
import { ReadPool } from './read-pool.ts';
import { useStore } from './store-use.ts';
import { StatementTranslator } from './translated-statement.ts';
import { WriteLane } from './write-lane.ts';

export interface PostgresDatabaseOptions {
  /** `postgres://user:password@host:port/database`. */
  readonly url: string;
  /** The schema of the tables in that database; it is made when it is missing. */
  readonly schema: string;
  readonly migrations: readonly Migration[];
  /** Views for SQL that people write, in the schema `<schema>_views`. */
  readonly views?: PublicViews;
  /** The wire clock: it measures time limits and pauses. */
  readonly clock: Clock;
  readonly log: Log;
  /** The clock that store calls hold: the node's clock, if that is virtual. */
  readonly holds?: Pick<Clock, 'hold'>;
  readonly probe?: Probe;
  /** Reading connections. Default 4. */
  readonly readers?: number;
  /** Time limit of a command. Default 5,000. */
  readonly writeTimeLimitMs?: number;
  /** Of the only process that may write: then no other one can. Default: several processes may. */
  readonly active?: ActiveState;
  /** Of a process that stores feeds beside the active one, and is registered for that (`registerIngest`): the store must be migrated. */
  readonly ingest?: string;
}

/** How long a transaction waits for the lock of another process. */
const lockWaitMs = 1_500;
/** How long the end of another process's connection may take. */
const writerLockWaitMs = 5_000;

interface Running {
  readonly is: 'up';
  readonly writer: ConnectionKeeper;
  readonly readers: ReadPool;
  readonly lane: WriteLane;
}

type State = { readonly is: 'down' } | Running | (Omit<Running, 'is'> & { readonly is: 'stopping' });

/**
 * The store on PostgreSQL. One connection writes, command after command, and between them the samples; others read. An advisory lock keeps
 * the transactions of several processes apart.
 */
export class PostgresDatabase<Schema> implements StoredDatabase<Schema> {
  readonly name = 'store';
  readonly engine = 'postgres';
  readonly read: Kysely<Schema>;
  readonly #options: PostgresDatabaseOptions;
  readonly #timeLimitMs: number;
  readonly #translator = new StatementTranslator();
  /** Distinguishes the notifications of this store from those of other processes. */
  readonly #origin = randomUUID();
  #state: State = { is: 'down' };
  #version = 0;

  constructor(options: PostgresDatabaseOptions) {
    this.#options = options;
    this.#timeLimitMs = options.writeTimeLimitMs ?? 5_000;
    this.read = kyselyOver<Schema>(async ({ sql, parameters }) => {
      if (this.#state.is === 'down') throw notRunning();
      const statement = this.#translator.translate(sql).bind(toSqlValues(parameters));
      const release = this.#hold();
      try {
        return await this.#state.readers.run(statement);
      } finally {
        release();
      }
    });
  }

  get version(): number {
    return this.#version;
  }

  /** @throws StoreError with one sentence for the operator */
  async start(_signal: AbortSignal): Promise<void> {
    const { url, schema, clock, log } = this.#options;
    if (this.#options.ingest === undefined) await migratePostgres({ ...this.#options, nowMs: clock.now() });
    const writer = new ConnectionKeeper({
      settings: { url, schema, readOnly: false },
      clock,
      log,
      prepare: (connection) => this.#prepareWriter(connection),
    });
    const readers = new ReadPool({ settings: { url, schema, readOnly: true }, clock, log }, this.#options.readers ?? 4);
    const lane = new WriteLane({
      clock,
      rows: new BulkRows(this.#translator),
      connection: () => writer.connection,
      begin: (connection, isDurable) => this.#begin(connection, isDurable, this.#options.ingest !== undefined),
      commit: (connection) => this.#commit(connection),
    });
    try {
      await writer.start();
      await readers.start();
    } catch (error) {
      await Promise.all([writer.stop(), readers.stop()]);
      throw error;
    }
    this.#state = { is: 'up', writer, readers, lane };
  }

  /** Completes earlier calls, then closes the connections. */
  async stop(): Promise<void> {
    if (this.#state.is !== 'up') return;
    const { writer, readers, lane } = this.#state;
    this.#state = { is: 'stopping', writer, readers, lane };
    await lane.idle();
    this.#state = { is: 'down' };
    await Promise.all([writer.stop(), readers.stop()]);
  }

  async write<Result>(work: (transaction: Transaction<Schema>) => Promise<Result>): Promise<Result> {
    const { lane } = this.#up();
    const release = this.#hold();
    const outcome = Promise.withResolvers<Result>();
    lane.addCommand(() => this.#command(work).then(outcome.resolve, outcome.reject));
    try {
      const result = await outcome.promise;
      this.#options.probe?.('write.answered');
      return result;
    } finally {
      release();
    }
  }

  async bulk(
    statements: readonly BulkStatement[],
    { isDivisible = false, durable = false, isRealTime = false }: BulkOptions = {},
  ): Promise<void> {
    const { lane } = this.#up();
    const release = isRealTime ? () => {} : this.#hold();
    try {
      await lane.addCall({ statements, isDivisible, durable });
      this.#options.probe?.('bulk.answered');
    } finally {
      release();
    }
  }

  /** Reads each row: the server reports pages that do not have their checksum. `pg_amcheck` checks indexes too. */
  async integrityCheck(): Promise<string[]> {
    const { readers } = this.#up();
    const { rows } = await readers.run({
      text: `select relname as name from pg_class where relkind = 'r' and relnamespace = to_regnamespace($1)`,
      values: [identifier(this.#options.schema)],
    });
    const faults: string[] = [];
    for (const { name } of rows) {
      try {
        await readers.run({ text: `select count(t) from ${identifier(String(name))} t`, values: [] });
      } catch (error) {
        const { code, message } = toPostgresError(error);
        if (code !== 'damaged' && code !== 'disk_failed') throw error;
        faults.push(`${name}: ${message}`);
      }
    }
    return faults;
  }

  async #command<Result>(work: (transaction: Transaction<Schema>) => Promise<Result>): Promise<Result> {
    if (this.#state.is === 'down') throw notRunning();
    const { connection } = this.#state.writer;
    const transaction = new CommandTransaction<Schema>(connection, this.#translator);
    try {
      await this.#begin(connection, true);
      const result = await withinTimeLimit(() => work(transaction.kysely()), {
        clock: this.#options.clock,
        limitMs: this.#timeLimitMs,
        onExceeded: (error) => {
          transaction.refuse(error);
          this.#cancelQuery(connection);
        },
      });
      transaction.end();
      await this.#commit(connection);
      return result;
    } catch (error) {
      transaction.refuse(new StoreError('transaction_ended', 'The transaction has ended.'));
      await this.#undo(connection);
      throw error;
    }
  }

  /** Rolls back. A server that cannot do even that in time is left: its transaction ends with the connection. */
  async #undo(connection: PostgresConnection): Promise<void> {
    const cancel = this.#options.clock.after(this.#timeLimitMs, () => connection.close());
    try {
      await connection.script('rollback');
    } catch (error) {
      // The failure of the command itself is more informative.
      this.#options.log.warn('The database server could not roll back a change', {
        error: error instanceof Error ? error.message : String(error),
      });
    } finally {
      cancel();
    }
  }

  #cancelQuery(connection: PostgresConnection): void {
    if (this.#state.is === 'down' || connection.processId === undefined) return;
    const text = 'select pg_cancel_backend($1::integer)';
    this.#state.readers.run({ text, values: [connection.processId] }).catch((error: unknown) =>
      // The rollback that follows waits for the query, and has its own time limit.
      this.#options.log.warn('A query that takes too long could not be cancelled', {
        error: toPostgresError(error).message,
      }),
    );
  }

  /** @param isShared beside the samples of other processes, which belong to other units */
  async #begin(connection: PostgresConnection, isDurable: boolean, isShared = false): Promise<void> {
    const { schema, ingest } = this.#options;
    const lock = isShared ? 'pg_advisory_xact_lock_shared' : 'pg_advisory_xact_lock';
    await connection.script(
      `begin; set local lock_timeout = ${lockWaitMs};${isDurable ? '' : ' set local synchronous_commit = off;'}
      select ${lock}(hashtext('lcs'), hashtext(${literal(schema)}))
      ${ingest === undefined ? '' : `; select ${processSchema}.require_ingest(${literal(ingest)})`}`,
    );
  }

  async #commit(connection: PostgresConnection): Promise<void> {
    if (!connection.isOpen) throw connectionLost();
    try {
      await connection.script(`notify ${identifier(channelOf(this.#options.schema))}, '${this.#origin}'; commit`);
    } catch (error) {
      throw toPostgresError(error).code === 'connection_lost' ? outcomeUnknown(error) : error;
    }
    this.#version += 1;
  }

  async #prepareWriter(connection: PostgresConnection): Promise<void> {
    const { active, ingest } = this.#options;
    if (active !== undefined) await this.#takeWriterLock(connection, active);
    if (ingest !== undefined) await markIngest(connection, ingest);
    await this.#listen(connection);
  }

  /** Ends the writing connection that an earlier active process may still have, so that it can commit nothing any more. */
  async #takeWriterLock(connection: PostgresConnection, active: ActiveState): Promise<void> {
    const { schema } = this.#options;
    if (!(await active.isConfirmed(connection))) throw connectionLost();
    await connection.script(`select pg_terminate_backend(pid) from pg_locks
        where pid <> pg_backend_pid() and ${locked('lcs writer', schema)};
      set lock_timeout = ${writerLockWaitMs};
      select pg_advisory_lock(hashtext('lcs writer'), hashtext(${literal(schema)}));
      set lock_timeout = 0`);
  }

  /** Commits of other processes. What was committed while there was no connection counts as one. */
  async #listen(connection: PostgresConnection): Promise<void> {
    connection.onNotification((_channel, origin) => {
      if (origin !== this.#origin) this.#version += 1;
    });
    await useStore(connection, this.#options.schema);
    await connection.script(`listen ${identifier(channelOf(this.#options.schema))}`);
    this.#version += 1;
  }

  #up(): Running {
    if (this.#state.is !== 'up') throw notRunning();
    return this.#state;
  }

  #hold(): () => void {
    return this.#options.holds?.hold('a store call') ?? (() => {});
  }
}

/** On which each commit of a store is notified. */
export const channelOf = (schema: string): string => `lcs_${schema}`;
