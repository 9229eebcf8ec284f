import { hourMs } from '@lcs/contract/durations';
import { currentEstimate } from './filter-reading.ts';
import type { Anchor, GrowthRateState } from './growth-rate-state.ts';
import type { OdObservation } from './warm-up.ts';

const basisOf = ({ bases }: OdObservation, channel: string): string => bases?.[channel] ?? '';

/** ln of normalised OD at a later time, extrapolated with the rate for at most `longestH` hours. */
export const extrapolateLevel = ({ level, rate, atMs }: Anchor, laterMs: number, longestH: number): number =>
  level + rate * Math.min(longestH, Math.max(0, (laterMs - atMs) / hourMs));

/** Restarts the warm-up. Normalised OD continues at its value, and known factors stay. */
export function restartFilter(state: GrowthRateState): GrowthRateState {
  const { factors, bases, running } = state;
  const estimate = running === null ? undefined : currentEstimate(running);
  const anchor: Anchor | undefined =
    running === null || estimate === undefined
      ? state.anchor
      : { level: estimate.level, rate: estimate.rate, atMs: running.atMs };
  return { factors, bases, ...(anchor && { anchor }), waiting: [], running: null };
}

/**
 * Adapts the state to the basis of this reading's ODs. When a calibration or a blank was added, removed or changed, the
 * reference OD has another scale: the filter determines it again such that normalised OD continues at its value.
 */
export function applyBases(state: GrowthRateState, reading: OdObservation): GrowthRateState {
  const channels = Object.keys(reading.ods);
  const other = channels.filter((channel) => state.bases[channel] !== basisOf(reading, channel));
  if (other.length === 0) return state;
  const bases = { ...state.bases, ...Object.fromEntries(other.map((channel) => [channel, basisOf(reading, channel)])) };
  const changed = other.filter((channel) => state.bases[channel] !== undefined);
  if (changed.length === 0) return { ...state, bases };
  const factors = Object.fromEntries(Object.entries(state.factors).filter(([channel]) => !changed.includes(channel)));
  return { ...restartFilter(state), factors, bases };
}
