/** Name and version of the derivation of growth rates; a filter with other results has another version. */
export const growthFilterName = 'growth_filter';
/** The same over the readings before and after each time. */
export const growthSmootherName = 'growth_smoother';
export const growthFilterVersion = '6';

/** Parameters of the growth-rate filter, all per hour, so that they fit any sampling interval. */
export interface GrowthRateParameters {
  /** Number of readings before the first result; their median is the reference of normalised OD. */
  readonly warmUpReadings: number;
  /** Innovations beyond this many standard deviations are outliers and count for almost nothing. */
  readonly outlierDeviations: number;
  /** Process noise of ln OD, variance per hour. */
  readonly levelVariance: number;
  /** Factor on the process noise of the rate: larger values follow changes faster. */
  readonly rateVarianceScale: number;
  /** What an uncertain rate returns to, h⁻¹: mean and standard deviation over many cultures. */
  readonly usualRate: number;
  readonly usualRateDeviation: number;
  /** Hours without a reading after which the rate is uncertain. */
  readonly gapH: number;
  /** Relative standard deviation of the volume of a single dose, and of the error that all doses of a pump have in common. */
  readonly doseDeviation: number;
  readonly gainDeviation: number;
  /** Process noise of ln of the common error, variance per hour. */
  readonly gainVariance: number;
  /** Standard deviation of the part of a signal without calibration and blank that is not from cells, V. */
  readonly backgroundDeviation: number;
  /** Rates beyond these are flagged. */
  readonly lowestRate: number;
  readonly highestRate: number;
}

/**
 * Chosen on simulated cultures and measured series (`npm run bench:science -- --case growth --case growth-signals`, and
 * `--real FOLDER`; figures in docs/science.md and docs/decisions/0030). Pumps of one make differ by 8 %, and by more when they
 * age; the background is that of an empty vial and of medium, of 0 to 8 mV.
 */
export const defaultGrowthRateParameters: GrowthRateParameters = {
  warmUpReadings: 10,
  outlierDeviations: 5,
  levelVariance: 1e-7,
  rateVarianceScale: 1,
  usualRate: 0.2,
  usualRateDeviation: 0.3,
  gapH: 0.5,
  doseDeviation: 0.03,
  gainDeviation: 0.2,
  gainVariance: 2e-5,
  backgroundDeviation: 0.004,
  lowestRate: -1,
  highestRate: 3,
};

/**
 * Standard deviation above which a growth rate is not known yet, 1/h: a third of that before the first reading (`usualRateDeviation`).
 * Some minutes after its start the filter still shows little else than the noise of a few readings.
 */
export const mostGrowthRateSd = 0.1;
