import type { SQLInputValue } from 'node:sqlite';
import type { MessagePort } from 'node:worker_threads';
import type { StoreErrorData } from '../store-error.ts';

export interface ReaderThreadSettings {
  readonly url: string;
  readonly schema: string;
  /** The schema of the public views, which are found first; then tables need the prefix `main`. */
  readonly views?: string;
  readonly readOnly: boolean;
  /** The server ends a statement that runs longer. */
  readonly statementLimitMs?: number;
  readonly port: MessagePort;
  /** The numbers that caller and thread share, at `sharedAt`. */
  readonly shared: Int32Array<SharedArrayBuffer>;
}

/** Where the shared numbers stand: 1 as soon as an answer is on the port; how many signs of life the thread has given. */
export const sharedAt = { answered: 0, signsOfLife: 1 } as const;

/** A statement, and how its rows are to be returned. */
export interface ReaderQuery {
  readonly sql: string;
  readonly asArrays: boolean;
  readonly bigInts: boolean;
  /** After its failure the snapshot that was begun continues. */
  readonly mayFail: boolean;
}

/** To the thread that has the connection: one request at a time. */
export type ReaderThreadRequest =
  | { readonly is: 'all'; readonly query: ReaderQuery; readonly values: readonly SQLInputValue[] }
  | { readonly is: 'columns'; readonly query: ReaderQuery }
  | {
      readonly is: 'open';
      readonly cursor: number;
      readonly query: ReaderQuery;
      readonly values: readonly SQLInputValue[];
    }
  | { readonly is: 'next'; readonly cursor: number; readonly rows: number }
  | { readonly is: 'close'; readonly cursor: number }
  | { readonly is: 'begin' }
  /** Statements without values. */
  | { readonly is: 'script'; readonly text: string };

export type ReaderThreadReply =
  | { readonly is: 'rows'; readonly rows: readonly Record<string, unknown>[] }
  | { readonly is: 'failed'; readonly error: StoreErrorData };
