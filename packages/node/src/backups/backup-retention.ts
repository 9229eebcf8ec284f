import { dayMs } from '@lcs/contract';

/** How many backups are kept. The newest is always kept. */
export interface BackupRetention {
  /** The newest backup of each of so many days that have one; of the newest of these days the first, too. */
  readonly daily: number;
  /** The newest backup of each of so many weeks that have one. */
  readonly weekly: number;
}

/** 1970-01-01 was a Thursday; weeks begin on Monday. */
const mondayOffsetMs = 3 * dayMs;

const dayOf = (atMs: number) => Math.floor(atMs / dayMs);
const weekOf = (atMs: number) => Math.floor((atMs + mondayOffsetMs) / (7 * dayMs));

/** The newest of each of the newest `count` periods. */
function newestOf(times: readonly number[], periodOf: (atMs: number) => number, count: number): number[] {
  const newest = new Map<number, number>();
  for (const atMs of times) newest.set(periodOf(atMs), Math.max(atMs, newest.get(periodOf(atMs)) ?? atMs));
  return [...newest]
    .sort(([a], [b]) => b - a)
    .slice(0, count)
    .map(([, atMs]) => atMs);
}

/**
 * The times of backups that need not be kept (milliseconds since 1970 UTC). A backup that somebody makes after an accident must not replace
 * the only one of the day before it.
 */
export function expiredBackups(times: readonly number[], { daily, weekly }: BackupRetention): readonly number[] {
  const newestDay = dayOf(Math.max(...times));
  const ofNewestDay = daily > 0 ? times.filter((atMs) => dayOf(atMs) === newestDay) : [];
  const kept = new Set([
    ...newestOf(times, dayOf, daily),
    ...ofNewestDay.filter((atMs) => atMs === Math.min(...ofNewestDay)),
    ...newestOf(times, weekOf, weekly),
    ...times.filter((atMs) => atMs === Math.max(...times)),
  ]);
  return times.filter((atMs) => !kept.has(atMs));
}
