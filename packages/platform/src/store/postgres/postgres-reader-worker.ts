import { isMainThread, workerData } from 'node:worker_threads';
import { storeErrorData } from '../store-error.ts';
import { PostgresConnection, type PreparedStatement } from './postgres-connection.ts';
import { connectionLost, toPostgresError } from './postgres-errors.ts';
import {
  type ReaderQuery,
  type ReaderThreadReply,
  type ReaderThreadRequest,
  type ReaderThreadSettings,
  sharedAt,
} from './reader-messages.ts';
import { StatementTranslator } from './translated-statement.ts';

type Row = Record<string, unknown>;

const snapshot = 'begin isolation level repeatable read read only';
const nothing: readonly Row[] = [];

/** The connection of a synchronous reader; a lost one is made again with the next query. */
class ReaderThread {
  readonly #settings: ReaderThreadSettings;
  readonly #translator: StatementTranslator;
  /** Queries of the open cursors. */
  readonly #cursors = new Map<number, ReaderQuery>();
  #connection: Promise<PostgresConnection> | undefined;
  #hasBegun = false;

  constructor(settings: ReaderThreadSettings) {
    this.#settings = settings;
    this.#translator = new StatementTranslator(settings.views === undefined ? undefined : settings.schema);
  }

  async perform(request: ReaderThreadRequest): Promise<readonly Row[]> {
    const connection = await this.#connected();
    switch (request.is) {
      case 'begin':
        await connection.script(snapshot);
        this.#hasBegun = true;
        return nothing;
      case 'script':
        await connection.script(request.text);
        return nothing;
      case 'all': {
        const { query, values } = request;
        const statement = this.#translator.translate(query.sql).bind(values);
        return this.#guarded(connection, query, async () => (await connection.run(statement, query)).rows);
      }
      case 'columns': {
        const { text, values } = this.#translator.translate(request.query.sql).bind([]);
        const described = { text: `select * from (${text}\n) described limit 0`, values };
        return this.#guarded(connection, request.query, async () =>
          (await connection.columns(described)).map((name) => ({ name })),
        );
      }
      case 'open':
        return this.#open(connection, request);
      case 'next': {
        const query = this.#cursors.get(request.cursor);
        const statement = { text: `fetch forward ${request.rows} from c${request.cursor}`, values: [] };
        // It was on a connection that has ended.
        if (query === undefined) throw connectionLost();
        return this.#guarded(connection, query, async () => (await connection.run(statement, query)).rows);
      }
      case 'close':
        return this.#closeCursor(connection, request.cursor);
    }
  }

  async #open(
    connection: PostgresConnection,
    { cursor, query, values }: Extract<ReaderThreadRequest, { is: 'open' }>,
  ): Promise<readonly Row[]> {
    if (!this.#hasBegun && this.#cursors.size === 0) await connection.script(snapshot);
    this.#cursors.set(cursor, query);
    const statement: PreparedStatement = this.#translator.translate(query.sql).bind(values);
    const text = `declare c${cursor} no scroll cursor for ${statement.text}`;
    return this.#guarded(connection, query, async () => {
      await connection.run({ text, values: statement.values });
      return nothing;
    });
  }

  /** Runs a query of the snapshot so that its failure does not end the snapshot, if it may fail. */
  async #guarded<Result>(
    connection: PostgresConnection,
    { mayFail }: ReaderQuery,
    run: () => Promise<Result>,
  ): Promise<Result> {
    if (!mayFail || !this.#hasBegun) return run();
    await connection.script('savepoint foreign_query');
    try {
      const result = await run();
      await connection.script('release foreign_query');
      return result;
    } catch (error) {
      if (connection.isOpen) await connection.script('rollback to foreign_query; release foreign_query');
      throw error;
    }
  }

  async #closeCursor(connection: PostgresConnection, cursor: number): Promise<readonly Row[]> {
    if (!this.#cursors.delete(cursor)) return nothing;
    const isLast = this.#cursors.size === 0 && !this.#hasBegun;
    // Of a cursor that failed nothing is left to close.
    const isThere = `select 1 from pg_cursors where name = 'c${cursor}'`;
    try {
      if (isLast) await connection.script('commit');
      else if ((await connection.run({ text: isThere, values: [] })).rows.length > 0)
        await connection.script(`close c${cursor}`);
    } catch (error) {
      // After a failed query everything but the end is refused; the caller has its error already.
      if (toPostgresError(error).code !== 'transaction_rolled_back') throw error;
    }
    return nothing;
  }

  async close(): Promise<void> {
    (await this.#connection)?.close();
  }

  async #connected(): Promise<PostgresConnection> {
    // A failed attempt is repeated by the next query.
    const connection = await this.#connection?.catch(() => undefined);
    if (connection?.isOpen) return connection;
    this.#cursors.clear();
    // Other connections do not see the snapshot.
    if (this.#hasBegun) throw connectionLost();
    this.#connection = PostgresConnection.open(this.#settings);
    return this.#connection;
  }
}

const signOfLifeMs = 1_000;

function serve(settings: ReaderThreadSettings): void {
  const { port, shared } = settings;
  const thread = new ReaderThread(settings);
  const reply = (message: ReaderThreadReply) => {
    port.postMessage(message);
    Atomics.store(shared, sharedAt.answered, 1);
    Atomics.notify(shared, sharedAt.answered);
  };
  // For as long as the port keeps the thread.
  setInterval(() => Atomics.add(shared, sharedAt.signsOfLife, 1), signOfLifeMs).unref();
  port.on('message', (request: ReaderThreadRequest) => {
    thread.perform(request).then(
      (rows) => reply({ is: 'rows', rows }),
      (error: unknown) => reply({ is: 'failed', error: storeErrorData(toPostgresError(error)) }),
    );
  });
  // The connection was never made, or ends with the thread.
  port.on('close', () => thread.close().catch(() => {}));
}

if (!isMainThread) serve(workerData);
