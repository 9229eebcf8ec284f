/** When an experiment was over; `null`: it goes on, or nothing is known of it yet. */
export function experimentEndMs({
  endedAtMs,
  hasUnits,
  newestMs,
}: {
  /** `null`: it was not ended. */
  readonly endedAtMs: number | null;
  /** Whether units are assigned to it now. */
  readonly hasUnits: boolean;
  /** Its newest reading; `null`: it has none, or that is not known yet. */
  readonly newestMs: number | null;
}): number | null {
  if (endedAtMs === null && hasUnits) return null;
  // What people ended later than they stopped measuring ends, for its charts, with its last reading.
  return newestMs ?? endedAtMs;
}
