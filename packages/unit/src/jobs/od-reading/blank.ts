import { createHash } from 'node:crypto';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { canonicalJson } from '../../canonical-json.ts';
import type { JobMemory } from '../shared/job-memory.ts';

/** Where the blank of an experiment is kept. */
const blankKey = 'od_blank.means';

/** By photodiode, V. */
export const Means = Type.Record(Type.String(), Type.Number());

/** What medium without cells shows, by photodiode: normalised signal before any calibration. */
export interface Blank {
  readonly means: Readonly<Record<string, number>>;
  /** Its permanent name: the first 16 hexadecimal digits of the SHA-256 of the means. */
  readonly hash: string;
}

/** The blank of an experiment; undefined when none was measured, or when the stored one is invalid. */
export function readBlank(memory: JobMemory, experimentUid: string): Blank | undefined {
  const means: unknown = memory.read(experimentUid, blankKey);
  if (!Value.Check(Means, means) || Object.keys(means).length === 0) return undefined;
  return { means, hash: createHash('sha256').update(canonicalJson(means)).digest('hex').slice(0, 16) };
}

/** Null forgets it. */
export function writeBlank(memory: JobMemory, experimentUid: string, means: Blank['means'] | null): void {
  memory.write(experimentUid, blankKey, means);
}
