import type { SQLInputValue } from 'node:sqlite';
import { MessageChannel, receiveMessageOnPort, Worker } from 'node:worker_threads';
import type { SqlReader, SqlStatement } from '../sql-reader.ts';
import { StoreError } from '../store-error.ts';
import { workerFile } from '../worker-file.ts';
import { connectionLost } from './postgres-errors.ts';
import {
  type ReaderQuery,
  type ReaderThreadReply,
  type ReaderThreadRequest,
  type ReaderThreadSettings,
  sharedAt,
} from './reader-messages.ts';

type Row = Record<string, unknown>;

export interface PostgresPlace {
  readonly url: string;
  readonly schema: string;
  /** Default: it refuses everything that writes. */
  readonly readOnly?: boolean;
  /** The schema of the public views, which are found first; then tables need the prefix `main`. */
  readonly views?: string;
  /** The server ends a statement that runs longer. */
  readonly statementLimitMs?: number;
}

/** A query may take any time; a thread that shows no sign of life in two such times, one after the other, has ended. */
const silenceMs = 10_000;

/** Rows of a cursor that are fetched together. */
const rowsPerFetch = 2_000;
/** Of a query whose rows may be of any size: the first fetch, and what a fetch should have at most. */
const rowsOfFirstFetch = 2;
const charactersPerFetch = 1_000_000;

const lengthOf = (row: Row): number =>
  Object.values(row).reduce(
    (sum: number, value) => sum + (typeof value === 'string' || value instanceof Uint8Array ? value.length : 8),
    0,
  );

/** How many rows of the size of these come next. */
function nextFetch(rows: readonly Row[]): number {
  const mean = rows.reduce((sum, row) => sum + lengthOf(row), 0) / rows.length;
  return Math.max(1, Math.min(2 * rows.length, rowsPerFetch, Math.floor(charactersPerFetch / mean)));
}

type ThreadOfReader = Pick<ReaderThreadSettings, 'port' | 'shared'>;

/** The thread of a reader, which ends with the port. */
export const startReaderThread = (settings: ReaderThreadSettings): Worker =>
  new Worker(workerFile('postgres-reader-worker', import.meta.url), {
    name: 'postgres-reader',
    workerData: settings,
    transferList: [settings.port],
  });

/** Reads PostgreSQL synchronously: a thread beside the caller's has the connection, and the caller waits for its answers. */
export class PostgresSqlReader implements SqlReader {
  readonly #startThread: () => ThreadOfReader;
  readonly #silenceMs: number;
  readonly #freeCursors: number[] = [];
  #cursorCount = 0;
  #thread: ThreadOfReader;

  constructor(
    { readOnly = true, ...place }: PostgresPlace,
    thread: { readonly start?: typeof startReaderThread; readonly silenceMs?: number } = {},
  ) {
    const { start = startReaderThread } = thread;
    this.#silenceMs = thread.silenceMs ?? silenceMs;
    this.#startThread = () => {
      const { port1, port2 } = new MessageChannel();
      const shared = new Int32Array(new SharedArrayBuffer(4 * Object.keys(sharedAt).length));
      start({ ...place, readOnly, port: port2, shared }).unref();
      return { port: port1, shared };
    };
    this.#thread = this.#startThread();
  }

  prepare(sql: string): SqlStatement {
    return this.#statement({ sql, asArrays: false, bigInts: false, mayFail: false });
  }

  /** A query whose failure does not end the snapshot that was begun, and whose rows may be large. */
  prepareFallible(sql: string): SqlStatement {
    return this.#statement({ sql, asArrays: false, bigInts: false, mayFail: true });
  }

  exec(sql: string): void {
    this.#ask(sql === 'begin' ? { is: 'begin' } : { is: 'script', text: sql });
  }

  close(): void {
    this.#thread.port.close();
  }

  #statement(prepared: ReaderQuery): SqlStatement {
    let query = prepared;
    const all = (...values: SQLInputValue[]) => [...this.#ask({ is: 'all', query, values })];
    return {
      all,
      get: (...values) => all(...values)[0],
      iterate: (...values) => this.#iterate(query, values),
      columns: () => this.#ask({ is: 'columns', query }).map(({ name }) => ({ name: String(name) })),
      setReturnArrays: (asArrays) => {
        query = { ...query, asArrays };
      },
      setReadBigInts: (bigInts) => {
        query = { ...query, bigInts };
      },
    };
  }

  *#iterate(query: ReaderQuery, values: readonly SQLInputValue[]) {
    const cursor = this.#freeCursors.pop() ?? this.#newCursor();
    try {
      this.#ask({ is: 'open', cursor, query, values });
      let wanted = query.mayFail ? rowsOfFirstFetch : rowsPerFetch;
      for (;;) {
        const rows = this.#ask({ is: 'next', cursor, rows: wanted });
        yield* rows;
        if (rows.length < wanted) return;
        if (query.mayFail) wanted = nextFetch(rows);
      }
    } finally {
      this.#ask({ is: 'close', cursor });
      this.#freeCursors.push(cursor);
    }
  }

  #newCursor(): number {
    this.#cursorCount += 1;
    return this.#cursorCount;
  }

  /** @throws StoreError */
  #ask(request: ReaderThreadRequest): readonly Row[] {
    const { port, shared } = this.#thread;
    Atomics.store(shared, sharedAt.answered, 0);
    port.postMessage(request);
    this.#wait();
    const reply: ReaderThreadReply | undefined = receiveMessageOnPort(port)?.message;
    if (reply === undefined) throw connectionLost();
    if (reply.is === 'failed') throw new StoreError(reply.error.code, reply.error.message);
    return reply.rows;
  }

  /**
   * The caller's thread receives nothing while it waits, not even the end of the other thread. The next request has a new one.
   * @throws StoreError
   */
  #wait(): void {
    const { port, shared } = this.#thread;
    let silences = 0;
    let signsOfLife = Atomics.load(shared, sharedAt.signsOfLife);
    while (Atomics.wait(shared, sharedAt.answered, 0, this.#silenceMs) === 'timed-out') {
      const newest = Atomics.load(shared, sharedAt.signsOfLife);
      silences = newest === signsOfLife ? silences + 1 : 0;
      signsOfLife = newest;
      // After a pause of the whole process both threads go on: one silence means nothing.
      if (silences < 2) continue;
      port.close();
      this.#thread = this.#startThread();
      throw connectionLost();
    }
  }
}
