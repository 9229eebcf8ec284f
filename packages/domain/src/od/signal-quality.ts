import { type Dilution, logShiftOf } from '../dosing/dilution.ts';
import { deviationAboutLine, median } from '../growth-rate/robust-statistics.ts';

/**
 * What a signal looks like when something is wrong with light or liquid. Said beside the values, which stay as they are:
 * whoever reads them decides.
 */
export const qualityFlags = ['saturated', 'led_failing', 'vial_out', 'bubbles', 'no_stir_bar'] as const;
export type QualityFlag = (typeof qualityFlags)[number];

/** One reading of one photodiode. */
export interface QualityReading {
  readonly atMs: number;
  /** The signal after referencing, before blank and calibration. */
  readonly signal: number;
  /** Some of its samples were beyond what the converter can show, or near the limit of its input. */
  readonly isSaturated: boolean;
  /** Brightness of the LED relative to what is expected at its intensity; undefined without a reference photodiode. */
  readonly brightness: number | undefined;
}

interface Seen {
  readonly atMs: number;
  /** ln of the signal. */
  readonly level: number;
}

/** What is remembered of one photodiode; plain data. */
export interface QualityState {
  /** Of the last quarter of an hour, with the vial in its place. */
  readonly recent: readonly Seen[];
  /** Scatter from reading to reading when all is well, as a share of the signal; null until it is known. */
  readonly usualScatter: number | null;
  /** Since when the signal is as if there were no vial, ms. */
  readonly outSinceMs: number | null;
  readonly flags: readonly QualityFlag[];
}

export const freshQuality: QualityState = { recent: [], usualScatter: null, outSinceMs: null, flags: [] };

/** Readings behind the scatter, and the quarter of an hour behind the slope. */
const scatterReadings = 35;
const slopeMs = 900_000;
/** A slope is not looked for in fewer readings. */
const fewestForSlope = 20;

/** An LED that gives so much less or more light than at first is failing, or was moved. Chosen. */
const leastBrightness = 0.7;
const mostBrightness = 1.3;

/** An empty holder shows less than this share of what the vial showed; back is what shows more than the other. Chosen. */
const emptyShare = 0.3;
const backShare = 0.5;
/** After this time the low signal is taken for what is there now: another vial, or fresh medium. Chosen. */
const acceptedAfterMs = 1_800_000;

/** Scatter beyond so many times the usual one, or beyond this share of the signal whatever is usual. Chosen. */
const manyBubbles = 3;
const surelyBubbles = 0.04;
/** Bubbles are over when the scatter is below this share of what raised the flag. */
const calmShare = 0.7;
const usualMemory = 0.995;

/**
 * Cells that settle: ln of the signal falls faster than this (h⁻¹) for a quarter of an hour. Cultures that die do not fall
 * so fast, except by lysis; doses are taken out of it. Chosen: five deviations of the noisiest of our simulated signals.
 */
const settlingRate = -0.3;

/** Nothing can be told from less: the converter's own noise, V. Chosen. */
const leastSignal = 1e-5;

/** Takes one more reading; `flags` of the answer are those of this reading. */
export function qualityOf(state: QualityState, reading: QualityReading): QualityState {
  const { atMs, brightness } = reading;
  const isFailing = brightness !== undefined && (brightness < leastBrightness || brightness > mostBrightness);
  const light: QualityFlag[] = [...(reading.isSaturated ? ['saturated' as const] : [])];
  // Under a failing light nothing can be said about the liquid.
  if (isFailing) return { ...state, flags: [...light, 'led_failing'] };
  const level = Math.log(Math.max(leastSignal, reading.signal));
  const outSinceMs = outSince(state, atMs, level);
  if (outSinceMs !== null && atMs - outSinceMs < acceptedAfterMs)
    return { ...state, outSinceMs, flags: [...light, 'vial_out'] };
  const known = outSinceMs === null ? state.recent : [];
  const recent = [...known.filter((seen) => atMs - seen.atMs <= slopeMs), { atMs, level }];
  const scatter = scatterOf(recent);
  const hasBubbles = isRestless(state, scatter);
  const isSettling = !hasBubbles && slopeOf(recent) < settlingRate;
  return {
    recent,
    usualScatter: hasBubbles ? state.usualScatter : usualAfter(state.usualScatter, scatter),
    outSinceMs: null,
    flags: [...light, ...(hasBubbles ? ['bubbles' as const] : []), ...(isSettling ? ['no_stir_bar' as const] : [])],
  };
}

/** Liquid was added: what was seen before, as it would have been. */
export function qualityDosed(state: QualityState, dose: Dilution): QualityState {
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

/** Deviation of what is new in each reading; null until enough are there. */
function scatterOf(recent: readonly Seen[]): number | null {
  if (recent.length < scatterReadings) return null;
  const last = recent.slice(-scatterReadings);
  const changes = last.slice(1).map(({ level }, index) => level - (last[index]?.level ?? level));
  return (1.4826 * median(changes.map(Math.abs))) / Math.SQRT2;
}

function isRestless({ usualScatter, flags }: QualityState, scatter: number | null): boolean {
  if (scatter === null) return false;
  const limit = Math.min(surelyBubbles, usualScatter === null ? surelyBubbles : manyBubbles * usualScatter);
  return scatter > (flags.includes('bubbles') ? calmShare * limit : limit);
}

function usualAfter(usual: number | null, scatter: number | null): number | null {
  if (scatter === null) return usual;
  // A converter that shows the same number again and again has no scatter that others could be compared with.
  const told = Math.max(0.001, scatter);
  return usual === null ? told : usualMemory * usual + (1 - usualMemory) * told;
}

/** Per hour, hardly moved by single wild readings; 0 while too little is known. */
function slopeOf(recent: readonly Seen[]): number {
  const [first, last] = [recent[0], recent.at(-1)];
  if (first === undefined || last === undefined || recent.length < fewestForSlope) return 0;
  if (last.atMs - first.atMs < 0.9 * slopeMs) return 0;
  const third = Math.floor(recent.length / 3);
  const middleOf = (part: readonly Seen[]) => ({
    atMs: median(part.map(({ atMs }) => atMs)),
    level: median(part.map(({ level }) => level)),
  });
  const [early, between, late] = [
    middleOf(recent.slice(0, third)),
    middleOf(recent.slice(third, -third)),
    middleOf(recent.slice(-third)),
  ];
  const rate = (from: Seen, to: Seen) => (3_600_000 * (to.level - from.level)) / (to.atMs - from.atMs);
  // A step falls in one half only; settling goes on through both.
  return Math.max(rate(early, between), rate(between, late));
}

/** Median deviation of the last signals about their line, as a share of the signal; null until enough are there. */
export function signalNoise({ recent }: QualityState): number | null {
  if (recent.length < scatterReadings) return null;
  const last = recent.slice(-scatterReadings);
  return deviationAboutLine(
    last.map(({ atMs }) => atMs),
    last.map(({ level }) => level),
  );
}
