import { type Dilution, logShiftOf } from '../dosing/dilution.ts';
import { applyBases, extrapolateLevel } from './bases.ts';
import { filterReading, type GrowthRateEstimate, mapEstimates, type RunningFilter } from './filter-reading.ts';
import type { GrowthRateParameters } from './growth-rate-parameters.ts';
import type { GrowthRateState } from './growth-rate-state.ts';
import { inflateCovariance, type StateEstimate } from './kalman.ts';
import { initialNoiseModel, shiftNoiseModel } from './noise-model.ts';
import { finishWarmUp, fusedLevel, type OdObservation } from './warm-up.ts';

/** Why the filter did not use a reading. */
export type UnusedReading = 'warming_up' | 'not_later' | 'not_positive' | 'unknown_channels';

export type GrowthRateStep =
  | { readonly ok: true; readonly state: GrowthRateState; readonly estimate: GrowthRateEstimate }
  | { readonly ok: false; readonly state: GrowthRateState; readonly unused: UnusedReading };

/** Standard deviations at the start: ln OD, rate (h⁻¹) and drift (h⁻²). */
const initialDeviations = { level: 0.05, rate: 0.3, drift: 0.3 } as const;

/** Number of readings after a dose that mixing disturbs. Chosen. */
const readingsDisturbedByDose = 2;

/** Variance of the rate, h⁻², that a dose of a fifteenth of the vial adds; smaller doses add less in proportion. Chosen. */
const doseRateInflation = { variance: 1e-4, ofShift: Math.log(16 / 15) } as const;

/**
 * Updates the state with one reading: a Kalman filter on ln OD, rate and drift, with Page's cumulative sums (Biometrika
 * 41, 1954) to detect changes that it would track too slowly. Throws `StuckSensorError` at the end of the warm-up.
 */
export function observe(
  known: GrowthRateState,
  parameters: GrowthRateParameters,
  reading: OdObservation,
): GrowthRateStep {
  if (!Object.values(reading.ods).every((od) => od > 0 && Number.isFinite(od))) {
    return { ok: false, state: known, unused: 'not_positive' };
  }
  const lastMs = known.running?.atMs ?? known.waiting.at(-1)?.atMs ?? Number.NEGATIVE_INFINITY;
  if (!(reading.atMs > lastMs)) return { ok: false, state: known, unused: 'not_later' };
  const state = applyBases(known, reading);
  if (state.running === null)
    return { ok: false, state: addWarmUpReading(state, parameters, reading), unused: 'warming_up' };
  const fused = fusedLevel(reading, state.running.warmUp);
  if (fused === null) return { ok: false, state, unused: 'unknown_channels' };
  const { running, estimate } = filterReading(state.running, parameters, reading.atMs, fused.level);
  return { ok: true, state: { ...state, running }, estimate };
}

/**
 * Applies the dilution by added liquid: `volumeMl` before, `addedMl` more. ln OD changes by ln(V/(V+ΔV)) at once and does
 * not count as a falling rate. A dose may come in parts; a negative `addedMl` takes back a part that was not pumped. During
 * the warm-up a dose discards the collected readings.
 */
export function applyDilution(
  state: GrowthRateState,
  parameters: GrowthRateParameters,
  dose: Dilution,
): GrowthRateState {
  const { running, anchor } = state;
  const shift = logShiftOf(dose);
  if (running === null)
    return { ...state, ...(anchor && { anchor: { ...anchor, level: anchor.level + shift } }), waiting: [] };
  if (shift === 0) return state;
  const earlier = running.doseShift ?? 0;
  const inflation = {
    level: Math.max(0, parameters.doseDeviation ** 2 * ((earlier + shift) ** 2 - earlier ** 2)),
    rate: doseRateInflation.variance * Math.min(1, Math.max(0, -shift / doseRateInflation.ofShift)),
    drift: 0,
  };
  const diluted = mapEstimates(running, (estimate) =>
    inflateCovariance({ ...estimate, level: estimate.level + shift }, inflation),
  );
  const noiseModel = shiftNoiseModel(running.noiseModel, shift);
  return {
    ...state,
    running: { ...diluted, noiseModel, disturbedReadings: readingsDisturbedByDose, doseShift: earlier + shift },
  };
}

function addWarmUpReading(
  state: GrowthRateState,
  parameters: GrowthRateParameters,
  reading: OdObservation,
): GrowthRateState {
  const waiting = [...state.waiting, reading];
  if (waiting.length < parameters.warmUpReadings) return { ...state, waiting };
  const { anchor } = state;
  const expectedAt = anchor && ((atMs: number) => extrapolateLevel(anchor, atMs, parameters.gapH));
  const warmUp = finishWarmUp(waiting, state.factors, expectedAt);
  if (warmUp === null) return { ...state, waiting: [] };
  const { level, rate, drift } = initialDeviations;
  const estimate: StateEstimate = {
    level: warmUp.level,
    rate: anchor?.rate ?? 0,
    drift: 0,
    correlatedNoise: 0,
    covariance: [level ** 2, 0, 0, 0, rate ** 2, 0, 0, drift ** 2, 0, 0],
  };
  const readingVariance = 1 / Object.values(warmUp.variances).reduce((sum, variance) => sum + 1 / variance, 0);
  const running: RunningFilter = {
    warmUp,
    estimate,
    atMs: reading.atMs,
    readingVariance,
    noiseModel: initialNoiseModel(readingVariance),
    cusumUp: 0,
    cusumDown: 0,
    outliers: [],
    disturbedReadings: 0,
  };
  return { factors: warmUp.factors, bases: state.bases, waiting: [], running };
}
