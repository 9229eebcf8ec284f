import { dayMs, hourMs, type LiveJob, type MediaTotals } from '@lcs/contract';
import {
  chemostatPumpedMl,
  exchangeParts,
  heldDensityForecast,
  regularDosesForecast,
  roughSpanText,
  usualExchange,
} from '@lcs/domain';
import { shortWeekdayText, weekdayClockText } from '../time/moment-text.ts';
import { experimentWords } from '../words/experiment.ts';

/** What a unit has used and left. */
export interface MediaUse {
  readonly totals: MediaTotals;
  /** Of the dosing automation that runs; `null`: none runs, or it is too early to say. */
  readonly mediaMlPerHour: number | null;
}

/** The sum of what units have used. */
export function summedUse(uses: readonly MediaUse[]): {
  readonly mediaMl: number;
  readonly altMediaMl: number;
  readonly wasteMl: number;
  readonly mlPerHour: number;
} {
  const sum = (of: (use: MediaUse) => number): number => uses.reduce((total, use) => total + of(use), 0);
  return {
    mediaMl: sum(({ totals }) => totals.media_ml),
    altMediaMl: sum(({ totals }) => totals.alt_media_ml),
    wasteMl: sum(({ totals }) => totals.waste_ml),
    mlPerHour: sum(({ mediaMlPerHour }) => mediaMlPerHour ?? 0),
  };
}

/** What the plan of a dosing automation depends on; undefined: not known, or not current. */
export interface CultureOfPlan {
  readonly growthPerHour: number | undefined;
  readonly volumeMl: number | undefined;
}

/**
 * The medium that the running dosing automation will use by its settings; undefined: it cannot be known. A turbidostat dilutes as fast
 * as its culture grows.
 */
export function plannedMlPerDay({ settings }: Pick<LiveJob, 'settings'>, culture: CultureOfPlan): number | undefined {
  const {
    automation_name: name,
    exchange_volume_ml: exchangeMl,
    duration: everyMin,
    target_biomass: target,
  } = settings;
  const { volumeMl = 0 } = culture;
  const partsFor = (addedMl: number): number => exchangeParts(addedMl, usualExchange.maxSubdoseMl);
  if (name === 'chemostat' && typeof exchangeMl === 'number' && typeof everyMin === 'number') {
    const { evaporationMlPerHour } = usualExchange;
    const doseMl = chemostatPumpedMl({ exchangeMl, everyMin }, { volumeMl, evaporationMlPerHour, partsFor });
    return regularDosesForecast({ mediaLeftMl: undefined }, { doseMl, everyMin }).mediaMlPerDay;
  }
  if (name === 'turbidostat' && typeof target === 'number') {
    const exchange = typeof exchangeMl === 'number' ? { exchangeMl, partsFor } : undefined;
    return heldDensityForecast({ ...culture, density: target, mediaLeftMl: undefined, exchange }, target).mediaMlPerDay;
  }
  return undefined;
}

/** What decides how long the medium of a unit lasts. */
export interface BottleState {
  /** `null`: not known. */
  readonly leftMl: number | null;
  readonly dosing: 'runs' | 'paused' | 'off';
  /** Of the run that goes on; `null`: too early to say. */
  readonly mlPerHour: number | null;
  readonly plannedMlPerDay: number | undefined;
}

/** A bottle lasts so long at most: later dates would be a guess. Chosen. */
const longestForecastMs = 60 * dayMs;

/** Within six days a weekday names one day. */
const endText = (endMs: number, nowMs: number): string =>
  (endMs - nowMs < 6 * dayMs ? weekdayClockText : shortWeekdayText)(endMs);

function lastsText(leftMl: number, mlPerHour: number, rate: string, nowMs: number): string {
  const spanMs = (leftMl / mlPerHour) * hourMs;
  return spanMs > longestForecastMs
    ? experimentWords.moreThanAt(roughSpanText(longestForecastMs), rate)
    : experimentWords.untilAt(endText(nowMs + spanMs, nowMs), rate);
}

/** How long the medium in the bottle lasts, one sentence each for the measured and the planned rate. */
export function bottleForecast(
  { leftMl, dosing, mlPerHour, plannedMlPerDay }: BottleState,
  nowMs: number,
): readonly string[] {
  if (leftMl === null) return [experimentWords.enterBottleLeft];
  if (leftMl <= 0) return [experimentWords.bottleIsEmpty];
  if (dosing === 'off') return [experimentWords.noDosingRuns];
  if (dosing === 'paused') return [experimentWords.dosingIsPaused];
  const planned =
    plannedMlPerDay !== undefined && plannedMlPerDay > 0
      ? [experimentWords.bottleLasts(lastsText(leftMl, plannedMlPerDay / 24, experimentWords.plannedRate, nowMs))]
      : [];
  if (mlPerHour === null) return [experimentWords.forecastTooEarly, ...planned];
  if (mlPerHour === 0) return [experimentWords.noMediumDosed, ...planned];
  return [experimentWords.bottleLasts(lastsText(leftMl, mlPerHour, experimentWords.measuredRate, nowMs)), ...planned];
}

/** What is wrong with a typed volume; `null`: nothing. */
export function leftFault(typed: string | number): string | null {
  return typeof typed === 'number' && Number.isFinite(typed) && typed >= 0 ? null : experimentWords.volumeNeeded;
}
