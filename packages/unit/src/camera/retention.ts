/** The facts of a still for retention. */
export interface KeptStill {
  readonly imageId: string;
  readonly experimentUid: string;
  /** Milliseconds since 1970. */
  readonly capturedAtMs: number;
  readonly reason: 'scheduled' | 'manual';
  readonly bytes: number;
}

export interface RetentionLimits {
  /** Scheduled stills of one experiment. */
  readonly mostStills: number;
  /** Of all stills. */
  readonly mostBytes: number;
}

const byTime = (one: KeptStill, other: KeptStill): number =>
  one.capturedAtMs - other.capturedAtMs || (one.imageId < other.imageId ? -1 : 1);

/** The inner still of a series with the smallest product of the gaps before and after; undefined: there is none. */
function mostCrowded(series: readonly KeptStill[]): { readonly still: KeptStill; readonly gap: number } | undefined {
  let found: { readonly still: KeptStill; readonly gap: number } | undefined;
  for (const [index, still] of series.entries()) {
    const before = series[index - 1];
    const after = series[index + 1];
    if (before === undefined || after === undefined) continue;
    const gap = (still.capturedAtMs - before.capturedAtMs) * (after.capturedAtMs - still.capturedAtMs);
    if (found === undefined || gap < found.gap) found = { still, gap };
  }
  return found;
}

const without = (series: readonly KeptStill[], gone: KeptStill): KeptStill[] =>
  series.filter((still) => still !== gone);

function seriesOf(stills: readonly KeptStill[]): Map<string, KeptStill[]> {
  const series = new Map<string, KeptStill[]>();
  for (const still of stills.filter(({ reason }) => reason === 'scheduled').toSorted(byTime)) {
    const { experimentUid } = still;
    series.set(experimentUid, [...(series.get(experimentUid) ?? []), still]);
  }
  return series;
}

/** The next still to remove for space: the most crowded one of all series, then the oldest; never the newest of a series. */
function nextToDelete(all: ReadonlyMap<string, readonly KeptStill[]>): KeptStill | undefined {
  const crowded = [...all.values()].flatMap((series) => mostCrowded(series) ?? []);
  const [first] = crowded.toSorted((one, other) => one.gap - other.gap);
  if (first !== undefined) return first.still;
  return [...all.values()].flatMap((series) => series.slice(0, -1)).toSorted(byTime)[0];
}

/**
 * The stills to remove: of each experiment the most crowded scheduled ones above the limit, then, while all together exceed the space
 * limit, the most crowded ones of any experiment. Manual ones and the newest of each experiment are always kept, the first one while there
 * is another to remove.
 */
export function stillsToRemove(stills: readonly KeptStill[], { mostStills, mostBytes }: RetentionLimits): KeptStill[] {
  const series = seriesOf(stills);
  const gone: KeptStill[] = [];
  let bytes = stills.reduce((sum, still) => sum + still.bytes, 0);
  const remove = (still: KeptStill): void => {
    gone.push(still);
    bytes -= still.bytes;
    series.set(still.experimentUid, without(series.get(still.experimentUid) ?? [], still));
  };
  for (const uid of series.keys()) {
    for (;;) {
      const own = series.get(uid) ?? [];
      const crowded = own.length > mostStills ? mostCrowded(own) : undefined;
      if (crowded === undefined) break;
      remove(crowded.still);
    }
  }
  while (bytes > mostBytes) {
    const next = nextToDelete(series);
    if (next === undefined) break;
    remove(next);
  }
  return gone;
}
