import { sampleFlags } from '../series/sample-flags.ts';

/** A stored sample, with its flags (0: none). */
export interface StoredSample {
  readonly at: number;
  readonly value: number;
  readonly flags: number;
  readonly movedFrom: number | null;
}

/** A sample at a time to which others move. */
export interface ExistingSample {
  readonly at: number;
  readonly value: number;
  readonly era: number | null;
}

export interface SampleMove {
  readonly offsetMs: number;
  /** The era into which samples move. */
  readonly era: number;
}

/**
 * Pure: samples of one series at their corrected times. A sample whose time is taken goes to the next free time, flagged `moved`; one that is
 * already stored there, because its unit sent it again, is omitted.
 * @param samples in the order of time
 */
export function movedSamples(
  samples: readonly StoredSample[],
  stored: readonly ExistingSample[],
  { offsetMs, era }: SampleMove,
): readonly StoredSample[] {
  const taken = new Map(stored.map((sample) => [sample.at, sample]));
  const used = new Set<number>();
  const moved: StoredSample[] = [];
  for (const { at: wrongAt, value, flags, movedFrom } of samples) {
    const target = Math.max(0, wrongAt + offsetMs);
    const there = taken.get(target);
    if (there !== undefined && there.era === era && there.value === value) continue;
    let at = target;
    while (taken.has(at) || used.has(at)) at += 1;
    used.add(at);
    const from = movedFrom === null ? target : movedFrom + offsetMs;
    moved.push(
      at === target && movedFrom === null
        ? { at, value, flags, movedFrom }
        : { at, value, flags: flags | sampleFlags.moved, movedFrom: from },
    );
  }
  return moved;
}
