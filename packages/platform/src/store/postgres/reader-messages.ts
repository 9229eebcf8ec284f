import type { SQLInputValue } from 'node:sqlite';
import type { MessagePort } from 'node:worker_threads';
import type { StoreErrorData } from '../store-error.ts';

export interface ReaderThreadSettings {
  readonly url: string;
  readonly schema: string;
  readonly readOnly: boolean;
  readonly port: MessagePort;
  /** One number: 1 as soon as an answer is on the port. */
  readonly answered: Int32Array<SharedArrayBuffer>;
}

/** To the thread that has the connection: one request at a time. */
export type ReaderThreadRequest =
  | { readonly is: 'all'; readonly sql: string; readonly values: readonly SQLInputValue[] }
  | { readonly is: 'open'; readonly cursor: number; readonly sql: string; readonly values: readonly SQLInputValue[] }
  | { readonly is: 'next'; readonly cursor: number }
  | { readonly is: 'close'; readonly cursor: number }
  | { readonly is: 'begin' }
  /** Statements without values. */
  | { readonly is: 'script'; readonly text: string };

export type ReaderThreadReply =
  | { readonly is: 'rows'; readonly rows: readonly Record<string, unknown>[] }
  | { readonly is: 'failed'; readonly error: StoreErrorData };

/** Rows of a cursor that are fetched together. */
export const rowsPerFetch = 2_000;
