import { isMainThread, workerData } from 'node:worker_threads';
import { storeErrorData } from '../store-error.ts';
import { PostgresConnection } from './postgres-connection.ts';
import { toPostgresError } from './postgres-errors.ts';
import {
  type ReaderThreadReply,
  type ReaderThreadRequest,
  type ReaderThreadSettings,
  rowsPerFetch,
} from './reader-messages.ts';
import { StatementTranslator } from './translated-statement.ts';

type Row = Record<string, unknown>;

const snapshot = 'begin isolation level repeatable read read only';

/** The connection of a synchronous reader; a lost one is made again with the next query. */
class ReaderThread {
  readonly #settings: ReaderThreadSettings;
  readonly #translator = new StatementTranslator();
  readonly #cursors = new Set<number>();
  #connection: Promise<PostgresConnection> | undefined;
  #hasBegun = false;

  constructor(settings: ReaderThreadSettings) {
    this.#settings = settings;
  }

  async perform(request: ReaderThreadRequest): Promise<readonly Row[]> {
    const connection = await this.#connected();
    switch (request.is) {
      case 'begin':
        await connection.script(snapshot);
        this.#hasBegun = true;
        return [];
      case 'script':
        await connection.script(request.text);
        return [];
      case 'all':
        return (await connection.run(this.#translator.translate(request.sql).bind(request.values))).rows;
      case 'open': {
        if (!this.#hasBegun && this.#cursors.size === 0) await connection.script(snapshot);
        this.#cursors.add(request.cursor);
        const { text, values } = this.#translator.translate(request.sql).bind(request.values);
        await connection.run({ text: `declare c${request.cursor} no scroll cursor for ${text}`, values });
        return [];
      }
      case 'next': {
        const text = `fetch forward ${rowsPerFetch} from c${request.cursor}`;
        return (await connection.run({ text, values: [] })).rows;
      }
      case 'close':
        return this.#closeCursor(connection, request.cursor);
    }
  }

  async #closeCursor(connection: PostgresConnection, cursor: number): Promise<readonly Row[]> {
    if (!this.#cursors.delete(cursor)) return [];
    const isLast = this.#cursors.size === 0 && !this.#hasBegun;
    // After a failed query both are refused; the caller has its error already.
    await connection.script(isLast ? 'commit' : `close c${cursor}`).catch(() => {});
    return [];
  }

  async close(): Promise<void> {
    (await this.#connection)?.close();
  }

  async #connected(): Promise<PostgresConnection> {
    // A failed attempt is repeated by the next query.
    const connection = await this.#connection?.catch(() => undefined);
    if (connection?.isOpen) return connection;
    this.#cursors.clear();
    this.#hasBegun = false;
    this.#connection = PostgresConnection.open(this.#settings);
    return this.#connection;
  }
}

function serve(settings: ReaderThreadSettings): void {
  const { port, answered } = settings;
  const thread = new ReaderThread(settings);
  const reply = (message: ReaderThreadReply) => {
    port.postMessage(message);
    Atomics.store(answered, 0, 1);
    Atomics.notify(answered, 0);
  };
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
