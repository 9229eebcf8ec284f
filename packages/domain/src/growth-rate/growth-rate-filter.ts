import { hourMs } from '@lcs/contract/durations';
import { type Dilution, logShiftOf } from '../dosing/dilution.ts';
import { backgroundShare } from './background-share.ts';
import { applyBases, extrapolateLevel, restartFilter } from './bases.ts';
import {
  doseFilter,
  estimateAt,
  filterReading,
  type GrowthRateEstimate,
  isEmerging,
  startFilter,
} from './filter-reading.ts';
import type { GrowthRateParameters } from './growth-rate-parameters.ts';
import type { GrowthRateState } from './growth-rate-state.ts';
import {
  finishWarmUp,
  fusedLevel,
  isClearOfNoise,
  type OdObservation,
  readingsNearBackground,
  refuseStuckSensors,
} from './warm-up.ts';

/**
 * Why there is no estimate for a reading. `near_background`: the signal is not clear of its noise, so that its logarithm shows no growth;
 * the filter starts when it is.
 */
export type UnusedReading =
  | 'warming_up'
  | 'near_background'
  | 'not_later'
  | 'not_positive'
  | 'not_finite'
  | 'unknown_channels';

/** White variance of ln OD from which on the signal counts as near its background: about two standard deviations above it. Chosen. */
const nearBackgroundVariance = 0.25;

export type GrowthRateStep =
  | { readonly ok: true; readonly state: GrowthRateState; readonly estimate: GrowthRateEstimate }
  | { readonly ok: false; readonly state: GrowthRateState; readonly unused: UnusedReading };

/**
 * Updates the state with one reading: Kalman filters on ln OD, rate, correlated noise and the pump's common error, under several
 * hypotheses about culture, noise and doses. Throws `StuckSensorError` during the warm-up.
 */
export function observe(
  earlier: GrowthRateState,
  parameters: GrowthRateParameters,
  reading: OdObservation,
): GrowthRateStep {
  const values = Object.values(reading.ods);
  if (!values.every(Number.isFinite)) return { ok: false, state: earlier, unused: 'not_finite' };
  const lastMs = earlier.running?.atMs ?? earlier.waiting.at(-1)?.atMs ?? Number.NEGATIVE_INFINITY;
  if (!(reading.atMs > lastMs)) return { ok: false, state: earlier, unused: 'not_later' };
  const state = applyBases(earlier, reading);
  if (state.running === null) return warmUp(state, parameters, reading);
  if (!values.every((od) => od > 0)) return { ok: false, state, unused: 'not_positive' };
  const fused = fusedLevel(reading, state.running.warmUp);
  if (fused === null) return { ok: false, state, unused: 'unknown_channels' };
  const { running, estimate } = filterReading(state.running, parameters, reading.atMs, fused.level);
  const next = { ...state, running };
  if (running.noiseModel.stepVariance > nearBackgroundVariance)
    return { ok: false, state: { ...restartFilter(next), nearBackground: true }, unused: 'near_background' };
  if (isEmerging(running, estimate.rateSd)) return { ok: false, state: next, unused: 'near_background' };
  const { emerging: _, ...known } = running;
  return { ok: true, state: { ...state, running: known }, estimate: withBackground(estimate, parameters, reading) };
}

/** What the filter expects at a time whose reading it must not use, with a growing uncertainty; undefined during the warm-up. */
export const expectedAt = (
  { running }: GrowthRateState,
  parameters: GrowthRateParameters,
  atMs: number,
): GrowthRateEstimate | undefined =>
  running === null || atMs < running.atMs ? undefined : estimateAt(running, parameters, atMs);

function withBackground(
  estimate: GrowthRateEstimate,
  { backgroundDeviation }: GrowthRateParameters,
  { ods, bases = {} }: OdObservation,
): GrowthRateEstimate {
  const raw = Object.entries(ods).filter(([channel]) => (bases[channel] ?? '') === '');
  if (raw.length === 0) return estimate;
  const weakest = Math.min(...raw.map(([, od]) => od));
  const ownSd = Math.abs(estimate.rate) * backgroundShare(weakest, backgroundDeviation);
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

function warmUp(state: GrowthRateState, parameters: GrowthRateParameters, reading: OdObservation): GrowthRateStep {
  const { warmUpReadings, gapH, usualRate } = parameters;
  const waiting = [...state.waiting, reading].slice(-readingsNearBackground);
  const newest = waiting.slice(-warmUpReadings);
  if (newest.length < warmUpReadings) return { ok: false, state: { ...state, waiting }, unused: 'warming_up' };
  refuseStuckSensors(newest);
  const { nearBackground: emerging = false } = state;
  const isPositive = newest.every(({ ods }) => Object.values(ods).every((od) => od > 0));
  if (!isPositive || !isClearOfNoise(waiting, !emerging))
    return { ok: false, state: { ...state, waiting, nearBackground: true }, unused: 'near_background' };
  const { anchor } = state;
  const levelAt = anchor && ((atMs: number) => extrapolateLevel(anchor, atMs, gapH));
  const result = finishWarmUp(newest, state.factors, levelAt);
  if (result === null) return { ok: false, state: { ...state, waiting: [] }, unused: 'warming_up' };
  // How a culture grew before hours without an estimate says nothing.
  const isRecent = anchor !== undefined && reading.atMs - anchor.atMs <= gapH * hourMs;
  const rate = isRecent ? anchor.rate : emerging ? usualRate : 0;
  const running = startFilter(result, { rate, emerging }, parameters);
  return {
    ok: false,
    state: { factors: result.factors, bases: state.bases, waiting: [], running },
    unused: 'warming_up',
  };
}
