import { type Dilution, logShiftOf } from '../dosing/dilution.ts';
import { levelAt, onBasesOf } from './bases.ts';
import { follow, type GrowthRateEstimate, reshaped } from './follow-reading.ts';
import type { GrowthRateParameters } from './growth-rate-parameters.ts';
import type { GrowthRateState } from './growth-rate-state.ts';
import { type Belief, doubted } from './kalman.ts';
import { freshTexture, shiftedTexture } from './noise-texture.ts';
import { fusedLevel, type OdObservation, warmedUp } from './warm-up.ts';

/** Why a reading was not used. */
export type UnusedReading = 'warming_up' | 'not_later' | 'not_positive' | 'unknown_channels';

export type GrowthRateStep =
  | { readonly ok: true; readonly state: GrowthRateState; readonly estimate: GrowthRateEstimate }
  | { readonly ok: false; readonly state: GrowthRateState; readonly unused: UnusedReading };

/** A rate is known to about this at the start (h⁻¹), and its drift (h⁻²); the level to this share. */
const firstBelief = { level: 0.05, rate: 0.3, drift: 0.3 } as const;

/** Readings after a dose that mixing still disturbs. Chosen. */
const disturbedByDose = 2;

/** What a dose of a fifteenth of the vial adds to the variance of the rate, h⁻²; smaller ones less. Chosen. */
const rateDoubt = { variance: 1e-4, ofShift: Math.log(16 / 15) } as const;

/**
 * Takes one reading. The filter is Kalman's on ln OD, rate and drift, with Page's cumulative sums (Biometrika 41, 1954)
 * for changes that it would follow too slowly. Throws `StuckSensorError` at the end of the warm-up.
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
  const state = onBasesOf(known, reading);
  if (state.running === null) return { ok: false, state: warmer(state, parameters, reading), unused: 'warming_up' };
  const fused = fusedLevel(reading, state.running.warmUp);
  if (fused === null) return { ok: false, state, unused: 'unknown_channels' };
  const { running, estimate } = follow(state.running, parameters, reading.atMs, fused.level);
  return { ok: true, state: { ...state, running }, estimate };
}

/**
 * Tells the filter that liquid was added: `volumeMl` before, `addedMl` more. ln OD falls by ln(V/(V+ΔV)) at once instead
 * of looking like death. A dose may come in parts, and a part that did not come is taken back (`addedMl` below 0). During the
 * warm-up the collected readings are worth nothing any more.
 */
export function dosed(state: GrowthRateState, parameters: GrowthRateParameters, dose: Dilution): GrowthRateState {
  const { running, anchor } = state;
  const shift = logShiftOf(dose);
  if (running === null)
    return { ...state, ...(anchor && { anchor: { ...anchor, level: anchor.level + shift } }), waiting: [] };
  if (shift === 0) return state;
  const earlier = running.doseShift ?? 0;
  const doubt = {
    level: Math.max(0, parameters.doseDeviation ** 2 * ((earlier + shift) ** 2 - earlier ** 2)),
    rate: rateDoubt.variance * Math.min(1, Math.max(0, -shift / rateDoubt.ofShift)),
    drift: 0,
  };
  const diluted = reshaped(running, (belief) => doubted({ ...belief, level: belief.level + shift }, doubt));
  const texture = shiftedTexture(running.texture, shift);
  return { ...state, running: { ...diluted, texture, disturbed: disturbedByDose, doseShift: earlier + shift } };
}

function warmer(state: GrowthRateState, parameters: GrowthRateParameters, reading: OdObservation): GrowthRateState {
  const waiting = [...state.waiting, reading];
  if (waiting.length < parameters.warmUpReadings) return { ...state, waiting };
  const { anchor } = state;
  const expectedAt = anchor && ((atMs: number) => levelAt(anchor, atMs, parameters.gapH));
  const warmUp = warmedUp(waiting, state.factors, expectedAt);
  if (warmUp === null) return { ...state, waiting: [] };
  const { level, rate, drift } = firstBelief;
  const belief: Belief = {
    level: warmUp.level,
    rate: anchor?.rate ?? 0,
    drift: 0,
    slow: 0,
    covariance: [level ** 2, 0, 0, 0, rate ** 2, 0, 0, drift ** 2, 0, 0],
  };
  const noise = 1 / Object.values(warmUp.variances).reduce((sum, variance) => sum + 1 / variance, 0);
  const sums = { risen: 0, fallen: 0, outliers: [], disturbed: 0 };
  const running = { warmUp, belief, atMs: reading.atMs, noise, texture: freshTexture(noise), ...sums };
  return { factors: warmUp.factors, bases: state.bases, waiting: [], running };
}
