/** When an experiment ended; `null`: it goes on, or that is not known yet. */
export function experimentEndMs({
  endedAtMs,
  hasUnits,
  newestMs,
}: {
  /** When a person ended it; `null`: nobody did. */
  readonly endedAtMs: number | null;
  /** Whether units are assigned to it now. */
  readonly hasUnits: boolean;
  /** The time of its newest reading; `null`: it has none, or that is not known yet. */
  readonly newestMs: number | null;
}): number | null {
  if (endedAtMs === null && hasUnits) return null;
  // Charts end with the last reading, even if a person ended the experiment later.
  return newestMs ?? endedAtMs;
}
