import { ApiError, type LogEntry, type LogQuery, PreparedJson } from '@lcs/contract';
import { type Clock, toSqlValues } from '@lcs/platform';
import type { LeaderDatabase } from '../core/leader-context.ts';
import { parseTimestamp } from '../core/timestamps.ts';
import { AnswerCache } from '../series/answer-cache.ts';
import { type LogCursor, type LogPage, type LogPageLimits, type LogPageReader, logPageOf } from '../series/log-page.ts';
import { type LogFilter, levelsFrom } from './log-filter.ts';
import { logQuery } from './log-store.ts';

const cursorPattern = /^(-?\d{1,15})\.(\d{1,15})$/;
const defaultLimit = 100;
const recentLimit = 50;
const recentMs = 24 * 3600 * 1000;
const maxCacheBytes = 4 * 1024 * 1024;

export interface LogPagesOptions {
  readonly database: LeaderDatabase;
  readonly clock: Clock;
  readonly reader: LogPageReader;
}

/** The entries of a route. */
interface LogScope extends Pick<LogFilter, 'experiments' | 'units' | 'whileAssigned'> {
  /** The creation of the experiment, ms: recent entries are not older. Absent: an unknown experiment, or the cluster. */
  readonly createdMs?: number | undefined;
}

/** Names a scope, and resolves it from the database. */
export interface NamedScope {
  /** The route and the names in its path. */
  readonly key: readonly string[];
  readonly resolve: () => LogScope | Promise<LogScope>;
}

/** @throws ApiError invalid_query for a text that is neither a cursor nor a time stamp */
function cursorOf(text: string): LogCursor {
  const [, at, id] = cursorPattern.exec(text) ?? [];
  if (at !== undefined && id !== undefined) return { at: Number(at), id: Number(id) };
  const moment = parseTimestamp(text);
  // Entries of that very time are not older than it.
  if (moment !== undefined) return { at: moment, id: 0 };
  throw new ApiError('invalid_query', {
    name: 'before',
    cause: `'${text}' is neither a timestamp nor a page cursor.`,
    remediation:
      'Send the value of x-next-before of the previous page, or a timestamp such as 2026-05-02T09:14:03.120Z.',
  });
}

/**
 * Pages of the event log: read and serialised in a thread, and cached until the database changes or, for recent entries, until one of them
 * is too old.
 */
export class LogPages {
  readonly #options: LogPagesOptions;
  readonly #cache: AnswerCache<LogPage>;

  constructor(options: LogPagesOptions) {
    this.#options = options;
    this.#cache = new AnswerCache({
      now: () => options.clock.now(),
      maxBytes: maxCacheBytes,
      bytesOf: ({ bytes }) => bytes.byteLength,
    });
  }

  /**
   * A page of entries of any age. A full page has the header `x-next-before`, the start of the next one.
   * @throws ApiError invalid_query
   */
  async page({ key, resolve }: NamedScope, query: LogQuery, signal: AbortSignal) {
    const { min_level, skip = 0, limit = defaultLimit, before, source, search } = query;
    const wanted = {
      levels: levelsFrom(min_level),
      skip: Math.max(0, skip),
      limit,
      ...(before ? { before: cursorOf(before) } : {}),
      ...(source ? { source } : {}),
      ...(search ? { search } : {}),
    };
    const filterAt = async () => {
      const { createdMs: _, ...scope } = await resolve();
      return { ...scope, ...wanted };
    };
    const page = await this.#current([...key, JSON.stringify(wanted)], filterAt, { limit }, signal);
    const headers: Readonly<Record<string, string>> =
      page.nextBefore === undefined ? {} : { 'x-next-before': page.nextBefore };
    return { status: 200, body: PreparedJson.from<LogEntry[]>(page.bytes), headers } as const;
  }

  /** The newest entries of the last day, none from before the experiment. */
  async recent({ key, resolve }: NamedScope, minLevel: string | undefined, signal: AbortSignal) {
    const levels = levelsFrom(minLevel);
    const filterAt = async (nowMs: number) => {
      const { createdMs = 0, ...scope } = await resolve();
      return { ...scope, levels, since: Math.max(nowMs - recentMs, createdMs), skip: 0, limit: recentLimit };
    };
    const limits = { limit: recentLimit, windowMs: recentMs };
    const page = await this.#current([...key, 'recent', ...levels], filterAt, limits, signal);
    return { status: 200, body: PreparedJson.from<LogEntry[]>(page.bytes) } as const;
  }

  #current(
    key: readonly string[],
    filterAt: (nowMs: number) => Promise<LogFilter>,
    limits: LogPageLimits,
    signal: AbortSignal,
  ): Promise<LogPage> {
    const { database, reader } = this.#options;
    const read = async (nowMs: number, isWanted: () => boolean) => {
      const filter = await filterAt(nowMs);
      if (filter.experiments?.length === 0 || filter.units?.length === 0) return logPageOf([], limits);
      const { sql, parameters } = logQuery(filter, database.engine === undefined).compile(database.read);
      return reader.logPage({ sql, values: toSqlValues(parameters) }, limits, isWanted);
    };
    return this.#cache.current({ key: JSON.stringify(key), version: () => database.version, read }, signal);
  }
}
