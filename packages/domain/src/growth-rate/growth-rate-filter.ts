import { type Dilution, logShiftOf } from '../dosing/dilution.ts';
import { applyBases, extrapolateLevel } from './bases.ts';
import { doseFilter, estimateAt, filterReading, type GrowthRateEstimate, startFilter } from './filter-reading.ts';
import type { GrowthRateParameters } from './growth-rate-parameters.ts';
import type { GrowthRateState } from './growth-rate-state.ts';
import { finishWarmUp, fusedLevel, type OdObservation } from './warm-up.ts';

/** Why the filter did not use a reading. */
export type UnusedReading = 'warming_up' | 'not_later' | 'not_positive' | 'unknown_channels';

export type GrowthRateStep =
  | { readonly ok: true; readonly state: GrowthRateState; readonly estimate: GrowthRateEstimate }
  | { readonly ok: false; readonly state: GrowthRateState; readonly unused: UnusedReading };

/**
 * Updates the state with one reading: Kalman filters on ln OD, rate, correlated noise and the pump's common error, under several
 * hypotheses about culture, noise and doses. Throws `StuckSensorError` at the end of the warm-up.
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
  return { ok: true, state: { ...state, running }, estimate: withBackground(estimate, parameters, reading) };
}

/** What the filter expects at a time whose reading it must not use, with a growing uncertainty; undefined during the warm-up. */
export const expectedAt = (
  { running }: GrowthRateState,
  parameters: GrowthRateParameters,
  atMs: number,
): GrowthRateEstimate | undefined =>
  running === null || atMs < running.atMs ? undefined : estimateAt(running, parameters, atMs);

/** Multiple of the background's deviation above which a raw signal counts as that of the cells. Chosen. */
const clearOfBackground = 5;

/**
 * A part of a signal without calibration and blank is not from cells. The rate of the cells is that of the signal times
 * signal / (signal - background); the background is known only by its order of magnitude. Far above it the rate is that of
 * the signal by definition, so that the uncertainty fades.
 */
function withBackground(
  estimate: GrowthRateEstimate,
  { backgroundDeviation }: GrowthRateParameters,
  { ods, bases = {} }: OdObservation,
): GrowthRateEstimate {
  const raw = Object.entries(ods).filter(([channel]) => (bases[channel] ?? '') === '');
  if (raw.length === 0) return estimate;
  const weakest = Math.min(...raw.map(([, od]) => od));
  const fading = 1 + (weakest / (clearOfBackground * backgroundDeviation)) ** 4;
  const ofCells = Math.max(backgroundDeviation, weakest - backgroundDeviation);
  const ownSd = (Math.abs(estimate.rate) * backgroundDeviation) / (ofCells * fading);
  return { ...estimate, rateSd: Math.hypot(estimate.rateSd, ownSd) };
}

/**
 * Applies the dilution by added liquid: `volumeMl` before, `addedMl` more. ln OD changes by about ln(V/(V+ΔV)), as far as the
 * next readings show it, and that does not count as a falling rate. A dose may come in parts; a negative `addedMl` takes back
 * a part that was not pumped. During the warm-up a dose discards the collected readings.
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
  return { ...state, running: doseFilter(running, parameters, shift) };
}

function addWarmUpReading(
  state: GrowthRateState,
  parameters: GrowthRateParameters,
  reading: OdObservation,
): GrowthRateState {
  const waiting = [...state.waiting, reading];
  if (waiting.length < parameters.warmUpReadings) return { ...state, waiting };
  const { anchor } = state;
  const levelAt = anchor && ((atMs: number) => extrapolateLevel(anchor, atMs, parameters.gapH));
  const warmUp = finishWarmUp(waiting, state.factors, levelAt);
  if (warmUp === null) return { ...state, waiting: [] };
  const running = startFilter(warmUp, anchor?.rate ?? 0, parameters);
  return { factors: warmUp.factors, bases: state.bases, waiting: [], running };
}
