/** Variances of ln OD: of each reading for itself, and of noise that readings within about a minute share. */
export interface ReadingNoise {
  readonly white: number;
  readonly slow: number;
  /** Time constant of the slow part, hours. */
  readonly slowHours: number;
}

export interface TimedReading {
  readonly hours: number;
  readonly logDensity: number;
}

/** State of the estimate: mean squares of differences at two distances, and the readings of the last minutes. Plain data. */
export interface NoiseEstimate {
  readonly shortSquares: number;
  readonly longSquares: number;
  /** Weights of the means. */
  readonly shortCount: number;
  readonly longCount: number;
  readonly recent: readonly TimedReading[];
  /** Mean distance of neighbouring readings, without extra ones, hours. */
  readonly spacing: number;
  /** The same of the neighbours that `shortSquares` is about; 0: there were none. */
  readonly nearSpacing: number;
}

/** Longer distances count as independent, hours: time constants of the recorded noises are 30 to 60 s. */
const slowHours = 45 / 3600;
const longHours = 75 / 3600;
/** Before anything is known, of one reading. Chosen: the largest noise of the bench, so that the first readings decide nothing. */
const firstDeviation = 0.02;
const firstCount = 0.5;
/** The means forget older differences. Chosen: about half an hour of readings every 5 s. */
const longestCount = 400;
/** Differences beyond this many standard deviations count as these: bubbles are outliers, not noise. */
const clip = 3.5;
const clippedFrom = 20;
/** No reading is known better than this. Chosen. */
const leastDeviation = 0.0015;

export const firstNoise: NoiseEstimate = {
  shortSquares: firstDeviation ** 2,
  longSquares: 1.5 * firstDeviation ** 2,
  shortCount: firstCount,
  longCount: firstCount,
  recent: [],
  spacing: 0,
  nearSpacing: 0,
};

function meanWith(mean: number, count: number, square: number): { readonly mean: number; readonly count: number } {
  // The first differences show how large the noise is at all.
  const clipped = count < clippedFrom ? square : Math.min(square, clip ** 2 * mean);
  const next = Math.min(longestCount, count + 1);
  return { mean: mean + (clipped - mean) / next, count: next };
}

/** Readings that are further apart do not distinguish the parts. */
const nearHours = longHours / 2;

const blended = (mean: number, value: number): number => (mean === 0 ? value : mean + 0.1 * (value - mean));

/** After a reading; `growth` is taken off the differences, per hour. An `extra` one was taken beside those of the usual interval. */
export function noiseWith(
  noise: NoiseEstimate,
  { hours, logDensity, growth, extra }: TimedReading & { readonly growth: number; readonly extra: boolean },
): NoiseEstimate {
  const { recent } = noise;
  const last = recent.at(-1);
  const far = recent.find((reading) => hours - reading.hours <= 2 * longHours && hours - reading.hours >= longHours);
  const half = (from: { readonly hours: number; readonly logDensity: number }): number =>
    (logDensity - from.logDensity - growth * (hours - from.hours)) ** 2 / 2;
  const gap = last === undefined ? undefined : hours - last.hours;
  const isNear = gap !== undefined && gap < nearHours;
  const short =
    last === undefined || !isNear
      ? { mean: noise.shortSquares, count: noise.shortCount }
      : meanWith(noise.shortSquares, noise.shortCount, half(last));
  const apart = far ?? (gap !== undefined && !isNear && gap <= 10 * longHours ? last : undefined);
  const long =
    apart === undefined
      ? { mean: noise.longSquares, count: noise.longCount }
      : meanWith(noise.longSquares, noise.longCount, half(apart));
  const isUsual = gap !== undefined && !extra;
  return {
    shortSquares: short.mean,
    shortCount: short.count,
    longSquares: long.mean,
    longCount: long.count,
    recent: [...recent.filter((reading) => hours - reading.hours < 2 * longHours), { hours, logDensity }],
    spacing: isUsual ? blended(noise.spacing, gap) : noise.spacing,
    nearSpacing: isNear ? blended(noise.nearSpacing, gap) : noise.nearSpacing,
  };
}

/** Without the recent readings: differences across a dose are no noise. */
export const noiseAfterDose = (noise: NoiseEstimate): NoiseEstimate => ({ ...noise, recent: [] });

/** Median of the square of a normally distributed number. */
const medianOfSquare = 0.455;
/** Variances differ by chance by less than this factor. Chosen, for the few readings below. */
const surelyGrown = 4;

/**
 * After some readings in a row that nothing explained: the median of their differences shows whether the noise itself has grown, since
 * a density that was changed makes one large difference only.
 */
export function noiseRaised(noise: NoiseEstimate, readings: readonly TimedReading[], growth: number): NoiseEstimate {
  const afresh = noiseAfterDose(noise);
  const squares = readings
    .slice(1)
    .map(({ hours, logDensity }, index) => {
      const before = readings[index] ?? { hours, logDensity };
      return (logDensity - before.logDensity - growth * (hours - before.hours)) ** 2 / 2;
    })
    .sort((one, other) => one - other);
  const variance = (squares[Math.floor(squares.length / 2)] ?? 0) / medianOfSquare;
  const known = noise.nearSpacing === 0 ? noise.longSquares : noise.shortSquares;
  if (variance < surelyGrown * known) return afresh;
  const count = Math.min(noise.shortCount, squares.length);
  const longSquares = Math.max(noise.longSquares, variance);
  return { ...afresh, shortSquares: variance, longSquares, shortCount: count, longCount: count };
}

/** The two parts, from the differences at both distances (those of white noise with an Ornstein-Uhlenbeck process). */
export function noiseOf({ shortSquares, longSquares, longCount, nearSpacing }: NoiseEstimate): ReadingNoise {
  const floor = leastDeviation ** 2;
  if (nearSpacing === 0) return { white: Math.max(floor, longSquares), slow: floor, slowHours };
  const near = Math.exp(-nearSpacing / slowHours);
  const far = Math.exp(-longHours / slowHours);
  // By its own standard error less: a slow part that is not there would excuse what extra readings show.
  const surely = longSquares * (1 - 1 / Math.sqrt(Math.max(1, longCount)));
  const slow = Math.max(0, (surely - shortSquares) / (near - far));
  return { white: Math.max(floor, shortSquares - slow * (1 - near)), slow: Math.max(floor, slow), slowHours };
}
