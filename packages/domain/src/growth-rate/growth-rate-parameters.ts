/** Parameters of the growth-rate filter, all per hour, so that they fit any sampling interval. */
export interface GrowthRateParameters {
  /** Number of readings before the first result; their median is the reference of normalised OD. */
  readonly warmUpReadings: number;
  /** Innovations beyond this many standard deviations are outliers and count less. */
  readonly outlierDeviations: number;
  /** Process noise, variance per hour: of ln OD, of the rate (h⁻²), and of its drift (h⁻⁴). */
  readonly levelVariance: number;
  readonly rateVariance: number;
  readonly driftVariance: number;
  /**
   * Noise density at which `driftVariance` applies: variance of ln OD times the seconds between readings, or times the
   * time constant of correlated noise. Lower density raises the drift variance, higher density reduces it, within the
   * factors of `driftScaleRange`.
   */
  readonly noiseDensity: number;
  readonly driftScaleRange: readonly [least: number, most: number];
  /** Time constant of the drift, hours. */
  readonly driftTimeH: number;
  /** Page's test: allowance of the standardised innovation, and threshold of the cumulative sum. */
  readonly changeAllowance: number;
  readonly changeThreshold: number;
  /** This number of consecutive outliers of one sign is a step of the level. */
  readonly stepOutliers: number;
  /** Hours without a reading after which the rate is uncertain. */
  readonly gapH: number;
  /** Relative standard deviation of the volume of a dose. */
  readonly doseDeviation: number;
  readonly lowestRate: number;
  readonly highestRate: number;
}

/**
 * Chosen on simulated cultures (`npm run bench:science -- --case growth`, figures in docs/science.md): the error of a
 * steady rate is below 0.01 h⁻¹ with 0.5 % of white noise per reading every 5 s and below 0.02 h⁻¹ with 1 % of correlated
 * noise; the filter tracks a change of the rate within 5 and 12 minutes.
 */
export const defaultGrowthRateParameters: GrowthRateParameters = {
  warmUpReadings: 10,
  outlierDeviations: 5,
  levelVariance: 7.2e-6,
  rateVariance: 3.6e-5,
  driftVariance: 0.15,
  noiseDensity: 1.4e-3,
  driftScaleRange: [1 / 3, 2],
  driftTimeH: 0.28,
  changeAllowance: 1.25,
  changeThreshold: 60,
  stepOutliers: 4,
  gapH: 0.5,
  doseDeviation: 0.05,
  lowestRate: -1,
  highestRate: 3,
};
