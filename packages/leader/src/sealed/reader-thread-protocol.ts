import type { MessagePort } from 'node:worker_threads';
import type { SealedGroup } from './sealed-file.ts';

export interface SealedThreadSettings {
  readonly port: MessagePort;
  /** One number: 1 as soon as an answer is on the port. */
  readonly answered: Int32Array<SharedArrayBuffer>;
}

/** A file of the manifest. */
export interface SealedFileKey {
  readonly place: string;
  readonly file: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** To the thread that reads sealed files: one request at a time. */
export type SealedThreadRequest =
  | { readonly is: 'groups'; readonly key: SealedFileKey }
  | { readonly is: 'points'; readonly key: SealedFileKey; readonly group: SealedGroup };

export type SealedThreadReply =
  | { readonly is: 'groups'; readonly groups: readonly SealedGroup[] }
  | { readonly is: 'points'; readonly at: Float64Array; readonly value: Float64Array }
  | { readonly is: 'failed'; readonly message: string };
