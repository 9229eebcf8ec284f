/** A line through ln OD about a time. */
export interface LocalFit {
  /** ln OD at the time. */
  readonly level: number;
  readonly levelSd: number;
  /** Per hour. */
  readonly slope: number;
  readonly slopeSd: number;
  /** Standard deviation of the readings about the line. */
  readonly scatter: number;
}

interface Point {
  readonly timeS: number;
  readonly level: number;
}

/** Tuning constant of Huber's weights (Huber, Ann. Math. Stat. 35, 1964). */
const huber = 1.5;

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;

/**
 * Robust regression line of the points within `halfS` of `atS`. The standard errors of its level and slope take the correlation from
 * residual to residual into account: the number of independent readings is that of a first-order process. Undefined with
 * fewer than `least` points, or where they do not span three quarters of the window.
 */
export function localFit(points: readonly Point[], atS: number, halfS: number, least: number): LocalFit | undefined {
  const [from, to] = [lowerBound(points, atS - halfS), lowerBound(points, atS + halfS + 1e-6)];
  const near = points.slice(from, to);
  const [first, last] = [near[0], near.at(-1)];
  if (first === undefined || last === undefined || near.length < least) return undefined;
  if (last.timeS - first.timeS < 1.5 * halfS) return undefined;
  const xs = near.map(({ timeS }) => (timeS - atS) / 3600);
  let weights = near.map(() => 1);
  let [level, slope, spread, ofMean] = [0, 0, 0, 0];
  let residuals: number[] = [];
  for (let round = 0; round < 4; round += 1) {
    const total = weights.reduce((sum, w) => sum + w, 0);
    const meanX = xs.reduce((sum, x, i) => sum + (weights[i] ?? 0) * x, 0) / total;
    const meanY = near.reduce((sum, { level: y }, i) => sum + (weights[i] ?? 0) * y, 0) / total;
    const sxx = xs.reduce((sum, x, i) => sum + (weights[i] ?? 0) * (x - meanX) ** 2, 0);
    const sxy = xs.reduce((sum, x, i) => sum + (weights[i] ?? 0) * (x - meanX) * ((near[i]?.level ?? 0) - meanY), 0);
    slope = sxy / sxx;
    level = meanY - slope * meanX;
    residuals = near.map(({ level: y }, i) => y - level - slope * (xs[i] ?? 0));
    const scale = 1.4826 * median(residuals.map(Math.abs)) + 1e-9;
    weights = residuals.map((residual) => Math.min(1, (huber * scale) / Math.abs(residual)));
    spread = sxx;
    ofMean = 1 / total + meanX ** 2 / sxx;
  }
  const used = residuals.map((residual, i) => (weights[i] ?? 0) * residual);
  const power = used.reduce((sum, residual) => sum + residual ** 2, 0);
  const lagged = used.slice(1).reduce((sum, residual, i) => sum + residual * (used[i] ?? 0), 0);
  const correlation = Math.max(0, Math.min(0.98, lagged / power || 0));
  const variance = (power / Math.max(1, near.length - 2)) * ((1 + correlation) / (1 - correlation));
  return {
    level,
    levelSd: Math.sqrt(variance * ofMean),
    slope,
    slopeSd: Math.sqrt(variance / spread),
    scatter: Math.sqrt(power / near.length),
  };
}

/** Index of the first point not before `timeS`. */
export function lowerBound(points: readonly Point[], timeS: number): number {
  let [low, high] = [0, points.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((points[middle]?.timeS ?? 0) < timeS) low = middle + 1;
    else high = middle;
  }
  return low;
}
