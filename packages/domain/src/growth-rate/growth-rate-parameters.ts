/** How the filter believes that cultures behave; everything by the hour, so that it fits any sampling interval. */
export interface GrowthRateParameters {
  /** Readings that are collected before the first result; their median is what normalised OD 1 means. */
  readonly warmUpReadings: number;
  /** Innovations beyond this many deviations count less, the more the further out they are. */
  readonly outlierDeviations: number;
  /** Growth of variance per hour: of ln OD, of the rate (h⁻²), and of the rate's drift (h⁻⁴). */
  readonly levelVariance: number;
  readonly rateVariance: number;
  readonly driftVariance: number;
  /**
   * Noise for which the drift's variance is meant: variance of ln OD times the seconds between readings, slow noise with
   * its own time. In less noise more change is believed, in more noise less, within `liveliness`.
   */
  readonly noiseDensity: number;
  readonly liveliness: readonly [least: number, most: number];
  /** Hours in which a drift of the rate dies away when nothing supports it. */
  readonly driftTimeH: number;
  /** Change detector: surplus of standardised innovation that counts as nothing, and the sum that means "changed". */
  readonly changeAllowance: number;
  readonly changeThreshold: number;
  /** The same number of outliers in a row on one side means that the level was moved from outside. */
  readonly stepOutliers: number;
  /** Hours without a reading after which the old rate is hardly believed. */
  readonly gapH: number;
  /** Relative deviation of the volume by which a dose is known. */
  readonly doseDeviation: number;
  readonly lowestRate: number;
  readonly highestRate: number;
}

/**
 * Chosen on simulated cultures (`npm run bench:science -- --case growth`, figures in docs/science.md): the rate of a steady
 * culture is known to less than 0.01 h⁻¹ with half a percent of noise per reading every five seconds, to 0.02 h⁻¹ with one
 * percent that wanders slowly, and a change of the rate is followed within five and twelve minutes.
 */
export const usualGrowthRate: GrowthRateParameters = {
  warmUpReadings: 10,
  outlierDeviations: 5,
  levelVariance: 7.2e-6,
  rateVariance: 3.6e-5,
  driftVariance: 0.15,
  noiseDensity: 1.4e-3,
  liveliness: [1 / 3, 2],
  driftTimeH: 0.28,
  changeAllowance: 1.25,
  changeThreshold: 60,
  stepOutliers: 4,
  gapH: 0.5,
  doseDeviation: 0.05,
  lowestRate: -1,
  highestRate: 3,
};
