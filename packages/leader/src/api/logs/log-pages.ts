import type { LogEntry, LogQuery } from '@lcs/contract';
import { ApiError } from '@lcs/contract';
import type { Clock } from '@lcs/platform';
import type { Kysely } from 'kysely';
import type { LeaderSchema } from '../../leader-context.ts';
import { cursorText, type LogCursor, type LogFilter, levelsFrom } from './log-filter.ts';
import { readLogs, toLogEntry } from './log-store.ts';
import { momentOf } from './moment.ts';

const cursorPattern = /^(-?\d{1,15})\.(\d{1,15})$/;
const defaultLimit = 100;
const recentLimit = 50;
const recentMs = 24 * 3600 * 1000;

/** Where the event log is read. */
export type LeaderReads = Kysely<LeaderSchema>;

interface LogSource {
  readonly reads: LeaderReads;
}

type Scope = Pick<LogFilter, 'experiments' | 'units' | 'whileAssigned'>;

/** @throws ApiError invalid_query for what is neither a cursor nor a moment */
function cursorOf(text: string): LogCursor {
  const [, at, id] = cursorPattern.exec(text) ?? [];
  if (at !== undefined && id !== undefined) return { at: Number(at), id: Number(id) };
  const moment = momentOf(text);
  // Entries of that very moment are not older than it.
  if (moment !== undefined) return { at: moment, id: 0 };
  throw new ApiError('invalid_query', {
    name: 'before',
    cause: `'${text}' is neither a moment nor the mark of a page.`,
    remediation: 'Send what x-next-before of the page before said, or a moment such as 2026-05-02T09:14:03.120Z.',
  });
}

/**
 * A page of the event log. A full page names where the next one begins.
 * @throws ApiError invalid_query
 */
export async function logPage({ reads }: LogSource, query: LogQuery, scope: Scope) {
  const limit = query.limit ?? defaultLimit;
  const rows = await readLogs(reads, {
    ...scope,
    levels: levelsFrom(query.min_level),
    skip: Math.max(0, query.skip ?? 0),
    limit,
    ...(query.before ? { before: cursorOf(query.before) } : {}),
    ...(query.source ? { source: query.source } : {}),
    ...(query.search ? { search: query.search } : {}),
  });
  const last = rows.at(-1);
  const headers: { readonly [name: string]: string } =
    last && rows.length === limit ? { 'x-next-before': cursorText(last) } : {};
  return { status: 200, body: rows.map(toLogEntry), headers } as const;
}

/** The newest entries of the last day, none from before `created` (milliseconds; absent: an experiment nobody knows). */
export async function recentLogs(
  { reads, clock }: LogSource & { readonly clock: Clock },
  minLevel: string | undefined,
  scope: Scope & { readonly created: number | undefined },
): Promise<LogEntry[]> {
  const { created = 0, ...where } = scope;
  const since = Math.max(clock.now() - recentMs, created);
  const rows = await readLogs(reads, {
    ...where,
    since,
    levels: levelsFrom(minLevel),
    skip: 0,
    limit: recentLimit,
  });
  return rows.map(toLogEntry);
}
