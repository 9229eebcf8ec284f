export type Liveness = 'online' | 'stale' | 'offline';

/** By the age of the last good answer in milliseconds of the wire clock; undefined: there was none yet. */
export function livenessAfter(ageMs: number | undefined): Liveness {
  if (ageMs === undefined || ageMs >= 60_000) return 'offline';
  return ageMs < 20_000 ? 'online' : 'stale';
}
