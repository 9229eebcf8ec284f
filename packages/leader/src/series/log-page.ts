import type { KeepableAnswer } from './answer-cache.ts';
import type { Row, RowsQuery } from './row-reader.ts';

// Runs in a reading thread, which loads every module again: it imports types only.

/** The start of a page: entries before this time, or at this time with a smaller ID. */
export interface LogCursor {
  readonly at: number;
  readonly id: number;
}

/** A page of the event log as JSON text in UTF-8. */
export interface LogPage extends KeepableAnswer {
  readonly bytes: Uint8Array;
  /** The start of the next page, for `x-next-before`; absent when this one is not full. */
  readonly nextBefore?: string;
}

export interface LogPageLimits {
  /** The limit of entries. */
  readonly limit: number;
  /** Only entries of the last so many milliseconds; absent: of any age. */
  readonly windowMs?: number;
}

/** Reads one page in a separate thread. */
export interface LogPageReader {
  logPage(query: RowsQuery, limits: LogPageLimits, isWanted: () => boolean): Promise<LogPage>;
}

/** As written into `x-next-before`. */
const cursorText = ({ at, id }: LogCursor): string => `${at}.${id}`;

const toLogEntry = ({ at, level, message, task, source, reactor_unit, experiment }: Row) => ({
  timestamp: new Date(Number(at)).toISOString(),
  level,
  message,
  task,
  source,
  reactor_unit,
  experiment,
});

const encoder = new TextEncoder();

/** @param rows what `logQuery` selects: newest first, at most `limit` */
export function logPageOf(rows: readonly Row[], { limit, windowMs }: LogPageLimits): LogPage {
  const oldest = rows.at(-1);
  const last = oldest && { at: Number(oldest.at), id: Number(oldest.id) };
  return {
    bytes: encoder.encode(JSON.stringify(rows.map(toLogEntry))),
    changesAtMs: last && windowMs !== undefined ? last.at + windowMs + 1 : Number.POSITIVE_INFINITY,
    ...(last && rows.length === limit ? { nextBefore: cursorText(last) } : {}),
  };
}
