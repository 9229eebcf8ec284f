import type { ReadingNoise } from './reading-noise.ts';

/** The pumps that dilute. */
export type DilutingPump = 'media' | 'alt_media';

/**
 * Index of each variable: ln OD; growth rate, per hour; effect of a dose of each pump relative to the expected one; slow noise of
 * the readings.
 */
const variable = { density: 0, growth: 1, media: 2, alt_media: 3, noise: 4 } as const;
const size = 5;

/** Mean and covariance (row by row) of the variables, by one assumption about what the pumps did. Plain data. */
export interface CultureEstimate {
  readonly mean: readonly number[];
  readonly covariance: readonly number[];
}

const at = (matrix: readonly number[], row: number, column: number): number => matrix[row * size + column] ?? 0;

/** Before any reading the growth rate is known as this, per hour: cultures grow by 0 to about 2 per hour. Chosen. */
const firstGrowth = { mean: 0.3, deviation: 0.6 } as const;
/** How much a culture and its pumps vary. */
export interface Variation {
  /** Standard deviation of the change of the growth rate in an hour, per hour. */
  readonly growthChange: number;
  /** The same of the effect of a pump, from dose to dose. */
  readonly factorChange: number;
  /** Relative standard deviation of single doses. */
  readonly doseSpread: number;
  /** The culture grows with what a dose brings, until it is used up: so the effect of a dose fades, with this time constant, hours. */
  readonly regainHours?: number;
}

/** Spread of single doses (fact sheet, 10.6, and mixing). */
export const usualSpread = 0.03;
/** Growth begins or ends within an hour or so. Chosen. */
export const changing: Variation = { growthChange: 0.25, factorChange: 0.005, doseSpread: usualSpread };
/** Growth at a held density, and tubes that wear in days. Chosen. */
export const steady: Variation = { growthChange: 0.08, factorChange: 0.001, doseSpread: usualSpread };
/** A held density with pumps whose doses repeat less well. Chosen. */
export const loose: Variation = { ...steady, doseSpread: 0.055 };
/** A held density with pumps of poor repeatability: soft tubes, doses of a few turns. Chosen. */
export const scattering: Variation = { ...steady, doseSpread: 0.1 };
/** Usual cultures with fresh medium grow by 0.5 to 2 per hour; a dose is regained by half in half of the time. Chosen. */
const regainedPerHour = 1.5;
const leastRegainHours = 30 / 3600;

/**
 * A culture that has used up its medium and grows with what each dose brings, by more or less than the dose has taken from ln OD: a larger
 * dose lasts longer. Chosen.
 */
export const fedBy = (logShift: number): Variation => ({
  growthChange: 0.25,
  factorChange: 0,
  doseSpread: 0.35,
  regainHours: Math.max(leastRegainHours, logShift / regainedPerHour),
});

/** Standard deviation of the change of ln OD in an hour apart from growth: clumps, biofilm, drift of the optics. Chosen. */
const densityChange = 0.005;
/** Flow of a pump relative to its calibration, with the slope of an uncalibrated OD. Chosen: usual spread of pumps and tubes. */
const firstFactor = { mean: 1, deviation: 0.2 } as const;

/** From the first reading on. */
export function firstEstimate(logDensity: number, { white, slow }: ReadingNoise): CultureEstimate {
  const diagonal = [
    white + slow,
    firstGrowth.deviation ** 2,
    firstFactor.deviation ** 2,
    firstFactor.deviation ** 2,
    slow,
  ];
  const covariance = new Array<number>(size * size).fill(0);
  for (const [index, variance] of diagonal.entries()) covariance[index * size + index] = variance;
  return { mean: [logDensity, firstGrowth.mean, firstFactor.mean, firstFactor.mean, 0], covariance };
}

/** Growth rates above this change faster, per hour. Chosen: usual cultures stay below it. */
const usualGrowth = 1.5;

/**
 * The variance of changes of growth, relative to usual: a culture that grows so many times faster also begins, ends and changes its growth
 * in so many times less time (a rate squared per time). A simulated culture that is hastened does so.
 */
const hastenedBy = (growth: number): number => Math.max(1, growth / usualGrowth) ** 3;

/** After a time without doses. */
export function afterHours(
  { mean, covariance }: CultureEstimate,
  hours: number,
  noise: ReadingNoise,
  { growthChange, regainHours = noise.slowHours }: Variation,
): CultureEstimate {
  const kept = Math.exp(-hours / regainHours);
  const next = covariance.slice();
  const set = (row: number, column: number, value: number): void => {
    next[row * size + column] = value;
    next[column * size + row] = value;
  };
  const { density, growth, media, alt_media, noise: slow } = variable;
  const growthVariance = growthChange ** 2 * hastenedBy(mean[variable.growth] ?? 0) * hours;
  set(
    density,
    density,
    at(covariance, density, density) +
      2 * hours * at(covariance, density, growth) +
      hours ** 2 * at(covariance, growth, growth) +
      densityChange ** 2 * hours +
      (growthVariance * hours ** 2) / 3,
  );
  set(
    density,
    growth,
    at(covariance, density, growth) + hours * at(covariance, growth, growth) + (growthVariance * hours) / 2,
  );
  set(density, media, at(covariance, density, media) + hours * at(covariance, growth, media));
  set(density, alt_media, at(covariance, density, alt_media) + hours * at(covariance, growth, alt_media));
  set(density, slow, kept * (at(covariance, density, slow) + hours * at(covariance, growth, slow)));
  set(growth, growth, at(covariance, growth, growth) + growthVariance);
  for (const other of [growth, media, alt_media]) set(other, slow, kept * at(covariance, other, slow));
  set(slow, slow, kept ** 2 * at(covariance, slow, slow) + noise.slow * (1 - kept ** 2));
  const [l = 0, rate = 0, one = 1, other = 1, n = 0] = mean;
  return { mean: [l + rate * hours, rate, one, other, kept * n], covariance: next };
}

/** A dose of a pump that lowers ln OD by `logShift` if its factor is 1. */
export interface DoseEffect {
  readonly pump: DilutingPump;
  readonly logShift: number;
}

export function afterDose(estimate: CultureEstimate, effect: DoseEffect, variation: Variation): CultureEstimate {
  return variation.regainHours === undefined
    ? afterLastingDose(estimate, effect, variation)
    : afterRegainedDose(estimate, effect, variation);
}

/** The effect fades as slow noise does. It teaches nothing about the factor: how much is regained how soon is not known. */
function afterRegainedDose(
  { mean, covariance }: CultureEstimate,
  { pump, logShift }: DoseEffect,
  { doseSpread }: Variation,
): CultureEstimate {
  const { density, noise } = variable;
  const [nextMean, next] = [mean.slice(), covariance.slice()];
  nextMean[noise] = (mean[noise] ?? 0) - logShift * (mean[variable[pump]] ?? 1);
  next[noise * size + noise] = at(covariance, noise, noise) + (doseSpread * logShift) ** 2;
  next[density * size + density] = at(covariance, density, density) + (doseSpread * logShift) ** 2;
  return { mean: nextMean, covariance: next };
}

function afterLastingDose(
  { mean, covariance }: CultureEstimate,
  { pump, logShift }: DoseEffect,
  { factorChange, doseSpread }: Variation,
): CultureEstimate {
  const factor = variable[pump];
  const nextMean = mean.slice();
  nextMean[variable.density] = (mean[variable.density] ?? 0) - logShift * (mean[factor] ?? 1);
  const next = covariance.slice();
  for (let column = 0; column < size; column += 1)
    next[column] = at(covariance, 0, column) - logShift * at(covariance, factor, column);
  const row = next.slice(0, size);
  next[0] = (row[0] ?? 0) - logShift * (row[factor] ?? 0) + (doseSpread * logShift) ** 2;
  for (let index = 1; index < size; index += 1) next[index * size] = row[index] ?? 0;
  const own = factor * size + factor;
  next[own] = (next[own] ?? 0) + factorChange ** 2;
  return { mean: nextMean, covariance: next };
}

/** The same with another expectation of a pump, such as that of a tube that is partly blocked. */
export function withFactor(
  { mean, covariance }: CultureEstimate,
  pump: DilutingPump,
  { share, deviation }: { readonly share: number; readonly deviation: number },
): CultureEstimate {
  const factor = variable[pump];
  const nextMean = mean.slice();
  nextMean[factor] = share * (mean[factor] ?? 1);
  const next = covariance.slice();
  for (let index = 0; index < size; index += 1) {
    next[index * size + factor] = 0;
    next[factor * size + index] = 0;
  }
  next[factor * size + factor] = deviation ** 2;
  return { mean: nextMean, covariance: next };
}

/** The same with another expectation of the growth rate, per hour. */
export function withGrowth(
  { mean, covariance }: CultureEstimate,
  { perHour, deviation }: { readonly perHour: number; readonly deviation: number },
): CultureEstimate {
  const [nextMean, next] = [mean.slice(), covariance.slice()];
  nextMean[variable.growth] = perHour;
  for (let index = 0; index < size; index += 1) {
    next[index * size + variable.growth] = 0;
    next[variable.growth * size + index] = 0;
  }
  next[variable.growth * size + variable.growth] = deviation ** 2;
  return { mean: nextMean, covariance: next };
}

/** One estimate for several that are weighted (the weights add up to 1): with mean and covariance of their mixture. */
export function mixed(
  parts: readonly { readonly estimate: CultureEstimate; readonly weight: number }[],
): CultureEstimate {
  const mean = new Array<number>(size).fill(0);
  const covariance = new Array<number>(size * size).fill(0);
  for (const { estimate, weight } of parts)
    for (let row = 0; row < size; row += 1) mean[row] = (mean[row] ?? 0) + weight * (estimate.mean[row] ?? 0);
  for (const { estimate, weight } of parts)
    for (let row = 0; row < size; row += 1) {
      const off = (estimate.mean[row] ?? 0) - (mean[row] ?? 0);
      for (let column = 0; column < size; column += 1)
        covariance[row * size + column] =
          at(covariance, row, column) +
          weight * (at(estimate.covariance, row, column) + off * ((estimate.mean[column] ?? 0) - (mean[column] ?? 0)));
    }
  return { mean, covariance };
}

/**
 * Share of readings that a bubble or a clump moves, and how far, in standard deviations of the noise; of the readings that follow one
 * of them within `burstHours`, `sharedAfter` are moved, too. Chosen.
 */
const outliers = { share: 0.02, deviations: 7, sharedAfter: 0.4, burstHours: 2 / 60 } as const;

/** Share of the readings that are moved, some time after one that was probably moved itself: bubbles come in bursts. */
export const outlierShare = (moved: number, hours: number): number =>
  outliers.share + (outliers.sharedAfter - outliers.share) * moved * Math.exp(-hours / outliers.burstHours);

/** After a reading, with the logarithm of its likelihood and the probability that it is no outlier; an outlier counts little. Outliers are a `share` of the readings. */
export function afterReading(
  { mean, covariance }: CultureEstimate,
  logDensity: number,
  { white, slow }: ReadingNoise,
  share: number,
): { readonly estimate: CultureEstimate; readonly logLikelihood: number; readonly trust: number } {
  const n = variable.noise;
  const predicted = (mean[0] ?? 0) + (mean[n] ?? 0);
  const variance = at(covariance, 0, 0) + 2 * at(covariance, 0, n) + at(covariance, n, n) + white;
  const wide = variance + outliers.deviations ** 2 * (white + slow);
  const error = logDensity - predicted;
  const usual = ((1 - share) * Math.exp(-(error ** 2) / 2 / variance)) / Math.sqrt(variance);
  const moved = (share * Math.exp(-(error ** 2) / 2 / wide)) / Math.sqrt(wide);
  const total = Math.max(usual + moved, Number.MIN_VALUE);
  const trust = usual / total;
  // Copies of full length: arrays that grow by one number at a time are copied again and again.
  const [gains, nextMean, next] = [mean.slice(), mean.slice(), covariance.slice()];
  for (let row = 0; row < size; row += 1) gains[row] = (at(covariance, row, 0) + at(covariance, row, n)) / variance;
  for (let row = 0; row < size; row += 1) {
    const gain = trust * (gains[row] ?? 0);
    nextMean[row] = (mean[row] ?? 0) + gain * error;
    for (let column = 0; column < size; column += 1)
      next[row * size + column] = at(covariance, row, column) - gain * (gains[column] ?? 0) * variance;
  }
  return {
    estimate: { mean: nextMean, covariance: next },
    logLikelihood: Math.log(total),
    trust,
  };
}

/** Effect of the doses of a pump relative to the expected one, with its standard deviation. */
export function pumpFactor({ mean, covariance }: CultureEstimate, pump: DilutingPump) {
  const factor = variable[pump];
  return { factor: mean[factor] ?? 1, deviation: Math.sqrt(Math.max(0, at(covariance, factor, factor))) };
}

/** ln OD without the noise of the readings. */
export const logDensityOf = ({ mean }: CultureEstimate): number => mean[variable.density] ?? 0;

/** Growth rate, per hour. */
export const growthOf = ({ mean }: CultureEstimate): number => mean[variable.growth] ?? 0;
