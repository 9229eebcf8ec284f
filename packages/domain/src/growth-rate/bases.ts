import type { Anchor, GrowthRateState } from './growth-rate-state.ts';
import type { OdObservation } from './warm-up.ts';

const msPerHour = 3_600_000;

const basisOf = ({ bases }: OdObservation, channel: string): string => bases?.[channel] ?? '';

/** ln of normalised OD at a later moment: growth is not guessed for longer than `longestH` hours. */
export const levelAt = ({ level, rate, atMs }: Anchor, laterMs: number, longestH: number): number =>
  level + rate * Math.min(longestH, Math.max(0, (laterMs - atMs) / msPerHour));

/** The filter begins anew with other readings, and normalised OD goes on where it was. Factors that are known stay. */
export function begunAnew(state: GrowthRateState): GrowthRateState {
  const { factors, bases, running } = state;
  const anchor: Anchor | undefined =
    running === null ? state.anchor : { level: running.belief.level, rate: running.belief.rate, atMs: running.atMs };
  return { factors, bases, ...(anchor && { anchor }), waiting: [], running: null };
}

/**
 * The filter as it must be for this reading. When a calibration or a blank has come, gone or changed, the OD that counts as
 * 1 is a number of other units: it is found anew, such that normalised OD goes on where it was.
 */
export function onBasesOf(state: GrowthRateState, reading: OdObservation): GrowthRateState {
  const channels = Object.keys(reading.ods);
  const other = channels.filter((channel) => state.bases[channel] !== basisOf(reading, channel));
  if (other.length === 0) return state;
  const bases = { ...state.bases, ...Object.fromEntries(other.map((channel) => [channel, basisOf(reading, channel)])) };
  const changed = other.filter((channel) => state.bases[channel] !== undefined);
  if (changed.length === 0) return { ...state, bases };
  const factors = Object.fromEntries(Object.entries(state.factors).filter(([channel]) => !changed.includes(channel)));
  return { ...begunAnew(state), factors, bases };
}
