import { namedSources, readingSource } from '@lcs/domain';
import type { NewNote } from './new-record.ts';

/** Raw telemetry first; see docs/interfaces/feed.md#keeping-thinning-limits. */
const otherSources = 1 + Math.max(...namedSources.map(([, { thinning = 0 }]) => thinning));

/** Events, states, gaps, and logs that a person should read: always kept. */
export const neverThinned = 0;
export const settingRank = otherSources + 1;
export const lowPriorityRank = otherSources + 2;

/** All ranks that may be thinned, in order. */
export const thinnedRanks: readonly number[] = Array.from({ length: lowPriorityRank }, (_, index) => index + 1);

export const rankOfSource = (source: string): number => readingSource(source).thinning ?? otherSources;

export const rankOfNote = (note: NewNote): number => {
  if (note.kind === 'setting') return settingRank;
  if (note.kind === 'log' && (note.level === 'DEBUG' || note.level === 'INFO')) return lowPriorityRank;
  return neverThinned;
};
