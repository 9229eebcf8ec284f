import fc from 'fast-check';

export const parts = ['api', 'ingest', 'control', 'database', 'broker'] as const;
export type Part = (typeof parts)[number];

export interface PlannedKill {
  readonly part: Part;
  /** Which of several processes of the part; the active one of `control` is always the one. */
  readonly which: number;
  /** After everything has recovered from the kill before. */
  readonly afterMs: number;
}

/** The kills from the seed alone: each part comes once in five kills, in any order. */
export function planKills(seed: number, count: number, longestPauseMs: number): readonly PlannedKill[] {
  const rounds = fc.sample(
    fc.tuple(
      fc.shuffledSubarray([...parts], { minLength: parts.length }),
      fc.array(fc.record({ which: fc.nat({ max: 1 }), afterMs: fc.nat({ max: longestPauseMs }) }), {
        minLength: parts.length,
        maxLength: parts.length,
      }),
    ),
    { seed, numRuns: Math.ceil(count / parts.length) },
  );
  return rounds
    .flatMap(([order, details]) =>
      order.map((part, index) => ({ part, which: details[index]?.which ?? 0, afterMs: details[index]?.afterMs ?? 0 })),
    )
    .slice(0, count);
}
