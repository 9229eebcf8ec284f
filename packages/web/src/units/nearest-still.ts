import type { Still } from '@lcs/contract';

/** The place of the still that was taken nearest to a moment; `null`: of the newest one. */
export function nearestStill(stills: readonly Pick<Still, 'captured_at'>[], atMs: number | null): number {
  if (atMs === null) return Math.max(0, stills.length - 1);
  const distances = stills.map(({ captured_at }) => Math.abs(Date.parse(captured_at) - atMs));
  return distances.reduce((nearest, distance, at) => (distance < (distances[nearest] ?? 0) ? at : nearest), 0);
}
