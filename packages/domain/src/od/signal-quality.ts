import { hourMs } from '@lcs/contract/durations';
import { type Dilution, logShiftOf } from '../dosing/dilution.ts';
import { deviationAboutLine, median } from '../growth-rate/robust-statistics.ts';
import { flickers, type LevelAt } from './flicker.ts';

/**
 * Faults of light or liquid that are detected from a signal. Flags accompany the values and do not change them: the consumer of
 * the values decides.
 */
export const qualityFlags = ['saturated', 'led_failing', 'vial_out', 'bubbles', 'no_stir_bar'] as const;
export type QualityFlag = (typeof qualityFlags)[number];

/** One reading of one photodiode. */
export interface QualityReading {
  readonly atMs: number;
  /** The signal after referencing, before blank and calibration. */
  readonly signal: number;
  /** Some samples were beyond the range of the converter, or near the limit of its input. */
  readonly isSaturated: boolean;
  /** Brightness of the LED relative to the expected one at its intensity; undefined: no reference photodiode. */
  readonly brightness: number | undefined;
}

/** State of the detection for one photodiode; plain data. */
export interface QualityState {
  /** Observations of the last 15 min, with the vial in its place. */
  readonly recent: readonly LevelAt[];
  /** Scatter between readings without faults, as a share of the signal; null: not known yet. */
  readonly typicalScatter: number | null;
  /** Since when the signal is that of an empty holder, ms. */
  readonly outSinceMs: number | null;
  readonly flags: readonly QualityFlag[];
}

export const initialQualityState: QualityState = { recent: [], typicalScatter: null, outSinceMs: null, flags: [] };

/** Number of readings for the scatter, and time span for the slope. */
const scatterReadings = 35;
const slopeMs = 900_000;
/** Minimum number of readings for a slope. */
const minReadingsForSlope = 20;

/** An LED beyond these limits of relative brightness is failing, or was moved. Chosen. */
const minBrightness = 0.7;
const maxBrightness = 1.3;

/** Below the first share of the signal before, the holder is empty; above the second, the vial is back. Chosen. */
const emptyShare = 0.3;
const backShare = 0.5;
/** After this time a low signal is accepted as the new content: another vial, or fresh medium. Chosen. */
const acceptedAfterMs = 1_800_000;

/** Scatter above this multiple of the typical one, or above this share of the signal, means bubbles. Chosen. */
const bubbleFactor = 3;
const maxScatter = 0.04;
/** The flag clears when the scatter is below this share of the limit (hysteresis). */
const clearShare = 0.7;
const typicalScatterWeight = 0.995;

/**
 * Settling cells: ln of the signal falls faster than this (h⁻¹) for 15 min. Dying cultures fall more slowly, except by lysis;
 * doses are compensated. Chosen: five standard deviations of the noisiest of our simulated signals.
 */
const settlingRate = -0.3;

/** Signals below the converter's own noise are limited to it, V. Chosen. */
const minSignalV = 1e-5;

/** The state after one more reading; its `flags` are those of this reading. */
export function updateQuality(state: QualityState, reading: QualityReading): QualityState {
  const { atMs, brightness } = reading;
  const isFailing = brightness !== undefined && (brightness < minBrightness || brightness > maxBrightness);
  const light: QualityFlag[] = [...(reading.isSaturated ? ['saturated' as const] : [])];
  // With a failing LED the signal does not describe the liquid.
  if (isFailing) return { ...state, flags: [...light, 'led_failing'] };
  const level = Math.log(Math.max(minSignalV, reading.signal));
  const outSinceMs = outSince(state, atMs, level);
  if (outSinceMs !== null && atMs - outSinceMs < acceptedAfterMs)
    return { ...state, outSinceMs, flags: [...light, 'vial_out'] };
  const known = outSinceMs === null ? state.recent : [];
  const recent = [...known.filter((seen) => atMs - seen.atMs <= slopeMs), { atMs, level }];
  const scatter = scatterOf(recent);
  const hasBubbles = hasBubbleScatter(state, scatter) || flickers(recent);
  const isSettling = !hasBubbles && slopeOf(recent) < settlingRate;
  return {
    recent,
    typicalScatter: hasBubbles ? state.typicalScatter : updateTypicalScatter(state.typicalScatter, scatter),
    outSinceMs: null,
    flags: [...light, ...(hasBubbles ? ['bubbles' as const] : []), ...(isSettling ? ['no_stir_bar' as const] : [])],
  };
}

/** Shifts the observations before a dose by its dilution, so that the dose shows no change. */
export function compensateDose(state: QualityState, dose: Dilution): QualityState {
  const shift = logShiftOf(dose);
  return { ...state, recent: state.recent.map(({ atMs, level }) => ({ atMs, level: level + shift })) };
}

function outSince({ recent, outSinceMs }: QualityState, atMs: number, level: number): number | null {
  if (recent.length < 5) return null;
  const before = median(recent.slice(-5).map((seen) => seen.level));
  const share = Math.exp(level - before);
  if (outSinceMs !== null) return share < backShare ? outSinceMs : null;
  return share < emptyShare ? atMs : null;
}

/** Standard deviation of a reading from the differences between readings (by their median); null: too few readings. */
function scatterOf(recent: readonly LevelAt[]): number | null {
  if (recent.length < scatterReadings) return null;
  const last = recent.slice(-scatterReadings);
  const changes = last.slice(1).map(({ level }, index) => level - (last[index]?.level ?? level));
  return (1.4826 * median(changes.map(Math.abs))) / Math.SQRT2;
}

function hasBubbleScatter({ typicalScatter, flags }: QualityState, scatter: number | null): boolean {
  if (scatter === null) return false;
  const limit = Math.min(maxScatter, typicalScatter === null ? maxScatter : bubbleFactor * typicalScatter);
  return scatter > (flags.includes('bubbles') ? clearShare * limit : limit);
}

function updateTypicalScatter(typical: number | null, scatter: number | null): number | null {
  if (scatter === null) return typical;
  // A converter that repeats the same number has no scatter to compare with.
  const limited = Math.max(0.001, scatter);
  return typical === null ? limited : typicalScatterWeight * typical + (1 - typicalScatterWeight) * limited;
}

/** Slope of ln of the signal per hour, robust against outliers; 0: too few readings. */
function slopeOf(recent: readonly LevelAt[]): number {
  const [first, last] = [recent[0], recent.at(-1)];
  if (first === undefined || last === undefined || recent.length < minReadingsForSlope) return 0;
  if (last.atMs - first.atMs < 0.9 * slopeMs) return 0;
  const third = Math.floor(recent.length / 3);
  const middleOf = (part: readonly LevelAt[]) => ({
    atMs: median(part.map(({ atMs }) => atMs)),
    level: median(part.map(({ level }) => level)),
  });
  const [early, between, late] = [
    middleOf(recent.slice(0, third)),
    middleOf(recent.slice(third, -third)),
    middleOf(recent.slice(-third)),
  ];
  const rate = (from: LevelAt, to: LevelAt) => (hourMs * (to.level - from.level)) / (to.atMs - from.atMs);
  // A step falls in one half only; settling continues through both.
  return Math.max(rate(early, between), rate(between, late));
}

/** Deviation of the last signals from their line (by the median), as a share of the signal; null: too few readings. */
export function signalNoise({ recent }: QualityState): number | null {
  if (recent.length < scatterReadings) return null;
  const last = recent.slice(-scatterReadings);
  return deviationAboutLine(
    last.map(({ atMs }) => atMs),
    last.map(({ level }) => level),
  );
}
