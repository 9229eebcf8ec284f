import type { SQLInputValue } from 'node:sqlite';
import type { Client, QueryConfig } from 'pg';
import type { StatementResult } from '../statement-cache.ts';
import { identifier } from './identifier.ts';
import { connectionLost, toPostgresError } from './postgres-errors.ts';
import { bigIntResultTypes, resultTypes } from './result-values.ts';

export interface ConnectionSettings {
  /** `postgres://user:password@host:port/database`; never part of an error or a log line. */
  readonly url: string;
  /** The schema of the tables. */
  readonly schema: string;
  /** The schema of the public views: it precedes `schema`, which then is not on the search path. */
  readonly views?: string;
  /** Refuses everything that writes. */
  readonly readOnly: boolean;
  /** The server ends a statement that runs longer, or whose client has gone. */
  readonly statementLimitMs?: number;
}

/** A statement with its values; arrays are the columns of `unnest`. */
export interface PreparedStatement {
  readonly text: string;
  readonly values: readonly (SQLInputValue | readonly SQLInputValue[])[];
}

/** How rows are returned: by default as objects, with numbers. */
export interface RowShape {
  readonly asArrays: boolean;
  readonly bigInts: boolean;
}

/** Statements that a connection keeps prepared. */
const mostPrepared = 250;

/** The part of the client's API that is used; with its types, rows have none. */
type PgClient = Pick<Client, 'connect' | 'end' | 'on'> & {
  query(config: QueryConfig<unknown[]> | string): Promise<PgResult | PgResult[]>;
};

interface PgResult {
  readonly rows: readonly Record<string, unknown>[];
  readonly fields: readonly { readonly name: string }[];
  readonly rowCount: number | null;
}

interface Prepared {
  readonly name: string;
  /** Whether the server has accepted it once. */
  isKnown: boolean;
}

const noRows: StatementResult = { rows: [], changes: 0, lastInsertRowid: 0 };

/** One connection to the server, with its prepared statements. Statements are sent at once and answered in their order. */
export class PostgresConnection {
  readonly #client: PgClient;
  /** The prepared statements by their text, least recently used first. */
  readonly #prepared = new Map<string, Prepared>();
  readonly #lost = Promise.withResolvers<void>();
  #prepareCount = 0;
  #processId: number | undefined;
  #isOpen = true;

  private constructor(client: PgClient) {
    this.#client = client;
  }

  /** @throws StoreError */
  static async open(settings: ConnectionSettings): Promise<PostgresConnection> {
    const { url } = settings;
    // Most nodes use SQLite: they do not load this package.
    const { default: pg } = await import('pg');
    const client: PgClient = new pg.Client({
      connectionString: url,
      pipeline: true,
      keepAlive: true,
      connectionTimeoutMillis: 5_000,
      application_name: 'lcs',
    });
    const connection = new PostgresConnection(client);
    client.on('error', () => connection.#end());
    client.on('end', () => connection.#end());
    try {
      await client.connect();
      await client.query(sessionSql(settings));
      connection.#processId = await connection.#askProcessId();
    } catch (error) {
      connection.close();
      throw toPostgresError(error);
    }
    return connection;
  }

  /** The server's process of this connection. */
  get processId(): number | undefined {
    return this.#processId;
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Resolves when the connection has ended, whoever ended it. */
  get ended(): Promise<void> {
    return this.#lost.promise;
  }

  /** Calls `listener` with the channel and the payload of each notification. */
  onNotification(listener: (channel: string, payload: string) => void): void {
    this.#client.on('notification', ({ channel, payload }) => listener(channel, payload ?? ''));
  }

  /** @throws StoreError */
  async run({ text, values }: PreparedStatement, shape?: RowShape): Promise<StatementResult> {
    const prepared = this.#prepare(text);
    try {
      const result = await this.#query({
        name: prepared.name,
        text,
        values: [...values],
        types: shape?.bigInts ? bigIntResultTypes : resultTypes,
        ...(shape?.asArrays && { rowMode: 'array' }),
      });
      prepared.isKnown = true;
      return result;
    } catch (error) {
      // The server may not have it: the next run sends it again, with another name.
      if (!prepared.isKnown) this.#prepared.delete(text);
      throw error;
    }
  }

  /** The names of the columns of a query, in their order. It is not prepared. @throws StoreError */
  async columns({ text, values }: PreparedStatement): Promise<readonly string[]> {
    if (!this.#isOpen) throw connectionLost();
    try {
      const result = await this.#client.query({ text, values: [...values], types: resultTypes });
      return Array.isArray(result) ? [] : result.fields.map(({ name }) => name);
    } catch (error) {
      throw toPostgresError(error);
    }
  }

  /** Runs statements without values, separated by semicolons. @throws StoreError */
  async script(text: string): Promise<void> {
    await this.#query(text);
  }

  /** Ends the connection at once: what it has not answered fails. */
  close(): void {
    this.#end();
    // The answer does not matter: the connection is given up.
    this.#client.end().catch(() => {});
  }

  async #askProcessId(): Promise<number> {
    const { rows } = await this.#query({ text: 'select pg_backend_pid() as pid', values: [], types: resultTypes });
    return Number(rows[0]?.pid);
  }

  async #query(query: QueryConfig<unknown[]> | string): Promise<StatementResult> {
    if (!this.#isOpen) throw connectionLost();
    try {
      const result = await this.#client.query(query);
      if (Array.isArray(result)) return noRows;
      const { rows, fields, rowCount } = result;
      return fields.length > 0
        ? { rows, changes: 0, lastInsertRowid: 0 }
        : { rows: [], changes: rowCount ?? 0, lastInsertRowid: 0 };
    } catch (error) {
      throw toPostgresError(error);
    }
  }

  #prepare(text: string): Prepared {
    const known = this.#prepared.get(text);
    if (known !== undefined) {
      this.#prepared.delete(text);
      this.#prepared.set(text, known);
      return known;
    }
    this.#prepareCount += 1;
    const prepared = { name: `s${this.#prepareCount}`, isKnown: false };
    this.#prepared.set(text, prepared);
    if (this.#prepared.size > mostPrepared) this.#forgetOldest();
    return prepared;
  }

  #forgetOldest(): void {
    for (const [text, { name, isKnown }] of this.#prepared) {
      this.#prepared.delete(text);
      // In a transaction that has failed the server refuses it and keeps the statement, which costs only memory.
      if (isKnown) this.#client.query(`deallocate ${name}`).catch(() => {});
      return;
    }
  }

  #end(): void {
    this.#isOpen = false;
    this.#lost.resolve();
  }
}

/** The state of a new session. */
function sessionSql({ schema, views, readOnly, statementLimitMs }: ConnectionSettings): string {
  const path = [identifier(views ?? schema), 'sqlite'].join(', ');
  return [
    `set search_path = ${path}; set timezone = 'UTC'; set extra_float_digits = 1; set standard_conforming_strings = on`,
    ...(readOnly ? ['set default_transaction_read_only = on'] : []),
    ...(statementLimitMs === undefined
      ? []
      : [`set statement_timeout = ${Math.ceil(statementLimitMs)}; ${noticeOfEnd}`]),
  ].join('; ');
}

/** Servers on systems without such a notice refuse the setting; there the time limit alone ends a statement. */
const noticeOfEnd = `do $$ begin
  perform set_config('client_connection_check_interval', '1000', false);
exception when invalid_parameter_value then null; end $$`;
