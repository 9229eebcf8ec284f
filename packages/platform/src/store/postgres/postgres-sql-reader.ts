import type { SQLInputValue } from 'node:sqlite';
import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from 'node:worker_threads';
import type { SqlReader, SqlStatement } from '../sql-reader.ts';
import { StoreError } from '../store-error.ts';
import { workerFile } from '../worker-file.ts';
import { connectionLost } from './postgres-errors.ts';
import {
  type ReaderThreadReply,
  type ReaderThreadRequest,
  type ReaderThreadSettings,
  rowsPerFetch,
} from './reader-messages.ts';

type Row = Record<string, unknown>;

export interface PostgresPlace {
  readonly url: string;
  readonly schema: string;
  /** Default: it refuses everything that writes. */
  readonly readOnly?: boolean;
}

/** More than the start of a thread and a connection ever take; queries themselves may take any time. */
const longestWaitMs = 24 * 3_600_000;

/** Reads PostgreSQL synchronously: a thread beside the caller's has the connection, and the caller waits for its answers. */
export class PostgresSqlReader implements SqlReader {
  readonly #worker: Worker;
  readonly #port: MessagePort;
  readonly #answered = new Int32Array(new SharedArrayBuffer(4));
  readonly #freeCursors: number[] = [];
  #cursorCount = 0;

  constructor({ url, schema, readOnly = true }: PostgresPlace) {
    const { port1, port2 } = new MessageChannel();
    this.#port = port1;
    const settings: ReaderThreadSettings = { url, schema, readOnly, port: port2, answered: this.#answered };
    this.#worker = new Worker(workerFile('postgres-reader-worker', import.meta.url), {
      name: 'postgres-reader',
      workerData: settings,
      transferList: [port2],
    });
    this.#worker.unref();
  }

  prepare(sql: string): SqlStatement {
    let asArrays = false;
    // A row of arrays has the type that `node:sqlite` gives it.
    const shaped = (rows: readonly Row[]): Row[] =>
      asArrays ? rows.map((row) => Object.assign(Object.values(row))) : [...rows];
    const all = (...values: SQLInputValue[]) => shaped(this.#ask({ is: 'all', sql, values }));
    return {
      all,
      get: (...values) => all(...values)[0],
      iterate: (...values) => this.#iterate(sql, values, shaped),
      setReturnArrays: (enabled) => {
        asArrays = enabled;
      },
    };
  }

  exec(sql: string): void {
    this.#ask(sql === 'begin' ? { is: 'begin' } : { is: 'script', text: sql });
  }

  close(): void {
    this.#port.close();
  }

  *#iterate(sql: string, values: readonly SQLInputValue[], shaped: (rows: readonly Row[]) => Row[]) {
    const cursor = this.#freeCursors.pop() ?? this.#newCursor();
    try {
      this.#ask({ is: 'open', cursor, sql, values });
      for (;;) {
        const rows = this.#ask({ is: 'next', cursor });
        yield* shaped(rows);
        if (rows.length < rowsPerFetch) return;
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
    Atomics.store(this.#answered, 0, 0);
    this.#port.postMessage(request);
    if (Atomics.wait(this.#answered, 0, 0, longestWaitMs) === 'timed-out') throw connectionLost();
    const reply: ReaderThreadReply | undefined = receiveMessageOnPort(this.#port)?.message;
    if (reply === undefined) throw connectionLost();
    if (reply.is === 'failed') throw new StoreError(reply.error.code, reply.error.message);
    return reply.rows;
  }
}
