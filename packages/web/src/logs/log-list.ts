import { type LogEntry, type LogLevel, logLevels, minuteMs } from '@lcs/contract';
import { broadcast } from '../api/broadcast.ts';

/** Which entries are shown. */
export interface LogFilter {
  /** `null`: of all experiments, and of the cluster itself. */
  readonly experiment: string | null;
  readonly minLevel: LogLevel;
  readonly search: string;
  /** `null`: all units. */
  readonly unit: string | null;
  /** The minute up to which entries are shown, milliseconds; `null`: up to now. */
  readonly untilMs: number | null;
}

/** A person chooses a minute: all its entries belong to it. */
const endOfMinute = (ms: number): number => Math.floor(ms / minuteMs) * minuteMs + minuteMs;

/** Where the first page begins; `null`: with the newest entry. */
export const firstPageBefore = ({ untilMs }: Pick<LogFilter, 'untilMs'>): string | null =>
  untilMs === null ? null : new Date(endOfMinute(untilMs)).toISOString();

const rank = (level: LogLevel): number => logLevels.indexOf(level);

/** Whether a live entry matches the filter; the same rule as the leader's. */
export function matchesLog(entry: LogEntry, { experiment, minLevel, search, unit, untilMs }: LogFilter): boolean {
  if (untilMs !== null && Date.parse(entry.timestamp) >= endOfMinute(untilMs)) return false;
  if (experiment !== null && entry.experiment !== experiment) return false;
  if (rank(entry.level) < rank(minLevel)) return false;
  if (unit !== null && entry.reactor_unit !== unit && entry.reactor_unit !== broadcast) return false;
  const text = search.toLowerCase();
  return entry.message.toLowerCase().includes(text) || entry.task.toLowerCase().includes(text);
}

export const logKey = ({ timestamp, reactor_unit, level, task, message }: LogEntry): string =>
  JSON.stringify([timestamp, reactor_unit, level, task, message]);

/** Pages of entries as one list, newest first, each entry once: pages overlap where several have the same time. */
export function joinedLogs(pages: readonly (readonly LogEntry[])[]): readonly LogEntry[] {
  const seen = new Map<string, LogEntry>();
  for (const entry of pages.flat()) {
    const key = logKey(entry);
    if (!seen.has(key)) seen.set(key, entry);
  }
  return [...seen.values()].sort((left, right) =>
    left.timestamp < right.timestamp ? 1 : left.timestamp > right.timestamp ? -1 : 0,
  );
}

/** Where the next page begins; `undefined`: this is the last one. Entries of the same time may be on both. */
export function nextPageBefore(page: readonly LogEntry[], pageSize: number): string | undefined {
  const oldest = page.at(-1);
  if (oldest === undefined || page.length < pageSize) return undefined;
  return new Date(Date.parse(oldest.timestamp) + 1).toISOString();
}

/** The largest number of entries on the newest page; live entries replace its oldest ones. */
const mostOfPage = 1000;

/** The pages with a live entry on the first one. */
export const withLog = (pages: readonly (readonly LogEntry[])[], entry: LogEntry): readonly (readonly LogEntry[])[] => [
  [entry, ...(pages[0] ?? [])].slice(0, mostOfPage),
  ...pages.slice(1),
];
