import type { BiomassSignals } from '@lcs/contract';
import { exchangeParts, washOutOf } from './wash-out.ts';

/** What determines the duration of an exchange. */
export interface ExchangePace {
  readonly mediaMlPerS: number;
  readonly wasteMlPerS: number;
  /** After each part, for mixing. */
  readonly pauseS: number;
  /** So many times the volume is removed again. */
  readonly wasteMultiplier: number;
  readonly maxSubdoseMl: number;
  /** No reading counts for so long after an exchange. */
  readonly settleS: number;
  /** Interval of the readings, if known: the next exchange waits for a reading. */
  readonly readingEveryS?: number | undefined;
}

/** What a unit reports of its pumps and readings. Undefined: a pump is not calibrated, or the unit did not report it. */
export function reportedPace(culture: BiomassSignals['culture'], settleS: number): ExchangePace | undefined {
  const { exchange, reading_every_s: readingEveryS } = culture ?? {};
  if (exchange === undefined) return undefined;
  return {
    mediaMlPerS: exchange.media_ml_per_s,
    wasteMlPerS: exchange.waste_ml_per_s,
    pauseS: exchange.pause_s,
    wasteMultiplier: exchange.waste_multiplier,
    maxSubdoseMl: exchange.max_subdose_ml,
    settleS,
    readingEveryS,
  };
}

/** Seconds of an exchange, without the time in which readings do not count. */
export function exchangeSeconds(addedMl: number, pace: Omit<ExchangePace, 'settleS' | 'readingEveryS'>): number {
  const { mediaMlPerS, wasteMlPerS, pauseS, wasteMultiplier, maxSubdoseMl } = pace;
  const parts = exchangeParts(addedMl, maxSubdoseMl);
  return addedMl / mediaMlPerS + ((1 + wasteMultiplier) * addedMl) / wasteMlPerS + parts * pauseS;
}

/** From this interval on, readings limit how often a turbidostat exchanges. Chosen: an exchange takes longer. */
const rareReadingsS = 20;

export const areReadingsRare = (readingEveryS: number | undefined): readingEveryS is number =>
  readingEveryS !== undefined && readingEveryS >= rareReadingsS;

/** A reading that is late by so small a share of the interval counts as that of its time. Chosen. */
const lateness = 0.05;

/** The fastest growth, per hour, that exchanges one after the other wash out. */
export function fastestDilution(addedMl: number, volumeMl: number, pace: ExchangePace): number {
  const { settleS, readingEveryS } = pace;
  const partsFor = (ml: number): number => exchangeParts(ml, pace.maxSubdoseMl);
  const washOut = washOutOf(addedMl, { volumeMl, evaporatedMl: 0, partsFor });
  const readyS = exchangeSeconds(addedMl, pace) + settleS;
  const intervals = readingEveryS === undefined ? 0 : Math.ceil(readyS / readingEveryS - lateness);
  return (3600 * washOut) / Math.max(readyS, intervals * (readingEveryS ?? 0));
}
