import { entriesOf, isObject, LiveJob } from '@lcs/contract';
import type { StopRecord } from './stop-record.ts';

const isEnd = (value: unknown): value is readonly [string, string | null] =>
  Array.isArray(value) &&
  value.length === 2 &&
  typeof value[0] === 'string' &&
  (value[1] === null || typeof value[1] === 'string');

function recordIn(value: unknown): StopRecord | null {
  if (!isObject(value)) return null;
  const { what, experiment, atMs, ends } = value;
  const jobs = entriesOf(LiveJob, value.jobs);
  if (what !== 'pumps' && what !== 'everything') return null;
  if (experiment !== null && typeof experiment !== 'string') return null;
  if (typeof atMs !== 'number' || jobs === undefined) return null;
  // A reload before the ends were read: they are unknown.
  return { what, experiment, atMs, jobs, ends: Array.isArray(ends) ? ends.filter(isEnd) : [] };
}

/** The stop that a tab has saved before it was loaded again; null: there is none that can be read. */
export function readSavedStop(text: string): StopRecord | null {
  try {
    return recordIn(JSON.parse(text));
  } catch {
    return null;
  }
}
