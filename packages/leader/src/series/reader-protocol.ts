import type { StorePlace } from '@lcs/platform/sql-reader';
import type { KeepableAnswer } from './answer-cache.ts';
import type { LogPage, LogPageLimits } from './log-page.ts';
import type { Row, RowsQuery } from './row-reader.ts';
import type { LinesQuestion, ReadPlan, SeriesQuestion } from './series-reader.ts';

/** Parameters of a reader thread. */
export interface ReaderSettings {
  /** The leader's database, already migrated. */
  readonly place: StorePlace;
}

/** To a reader thread: one request at a time. */
export type ReaderRequest =
  | { readonly is: 'series'; readonly question: SeriesQuestion }
  | { readonly is: 'lines'; readonly question: LinesQuestion }
  | { readonly is: 'log page'; readonly query: RowsQuery; readonly limits: LogPageLimits }
  | { readonly is: 'rows'; readonly query: RowsQuery };

/** From a reader thread. */
export type ReaderReply =
  | { readonly is: 'answer'; readonly answer: SeriesAnswer }
  | { readonly is: 'plan'; readonly plan: ReadPlan }
  | { readonly is: 'lines'; readonly bytes: Uint8Array }
  | { readonly is: 'log page'; readonly page: LogPage }
  | { readonly is: 'rows'; readonly rows: readonly Row[] }
  | { readonly is: 'failure'; readonly message: string };

/** A finished response: JSON text in UTF-8, as it is sent. */
export interface SeriesAnswer extends KeepableAnswer {
  readonly bytes: Uint8Array;
  /** A quoted hash of the bytes. */
  readonly etag: string;
  /** The requested number, or less where the response would exceed its limit. */
  readonly targetPoints: number;
}
