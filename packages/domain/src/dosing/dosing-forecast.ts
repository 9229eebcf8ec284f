import { hourMs } from '@lcs/contract/durations';
import { bioreactorSettings, dosingSettings } from '../settings/job-settings.ts';
import { washOutOf } from './wash-out.ts';

/** What is known of a culture before dosing starts; undefined: not known. */
export interface CultureNow {
  /** On the scale of the target. */
  readonly density: number | undefined;
  /** Per hour. */
  readonly growthPerHour: number | undefined;
  readonly volumeMl: number | undefined;
  readonly mediaLeftMl: number | undefined;
  /** Undefined: not known, as if exchanges were small. */
  readonly exchange?: ExchangeSize | undefined;
}

/** How a unit exchanges, where it does not report it: the defaults of its configuration. */
export const usualExchange = {
  maxSubdoseMl: dosingSettings.maxSubdose.absent,
  evaporationMlPerHour: bioreactorSettings.evaporation.absent,
} as const;

/** The volume of each exchange, ml, and the number of equal parts in which it is made. */
export interface ExchangeSize {
  readonly exchangeMl: number;
  partsFor(addedMl: number): number;
}

/**
 * Medium per unit of wash-out (of the logarithm of the density), ml: the volume of the vial where exchanges are small. Larger ones
 * remove some of their own medium, too.
 */
function mediaPerWashOut(volumeMl: number, exchange: ExchangeSize | undefined): number {
  if (exchange === undefined || exchange.exchangeMl <= 0) return volumeMl;
  const { exchangeMl, partsFor } = exchange;
  return exchangeMl / washOutOf(exchangeMl, { volumeMl, evaporatedMl: 0, partsFor });
}

/** When an automation doses first, and how much medium it needs; undefined: not known, or never by what is known. */
export interface DosingForecast {
  readonly firstDoseInMs: number | undefined;
  readonly mediaMlPerDay: number | undefined;
  readonly bottleLastsMs: number | undefined;
}

/**
 * The medium that dilutes a culture from a density to a lower one: a stirred vessel of constant volume loses cells by dX/dt = −(F/V)·X (Monod,
 * Ann. Inst. Pasteur 79, 1950), so F·t = V·ln(X₀/X). Growth meanwhile, and exchanges in steps, need somewhat more. Undefined: the density is
 * not above the target.
 */
export const dilutionMl = (density: number, target: number, volumeMl: number): number | undefined =>
  density > target && target > 0 && volumeMl > 0 ? volumeMl * Math.log(density / target) : undefined;

/** Slower growth counts as none: the time to the target would be an accident of the noise. Chosen. */
const leastGrowthPerHour = 0.01;

function withBottle(
  firstDoseInMs: number | undefined,
  mediaMlPerDay: number | undefined,
  mediaLeftMl: number | undefined,
): DosingForecast {
  const bottleLastsMs =
    mediaLeftMl === undefined || mediaMlPerDay === undefined || mediaMlPerDay <= 0
      ? undefined
      : (firstDoseInMs ?? 0) + (24 * hourMs * mediaLeftMl) / mediaMlPerDay;
  return { firstDoseInMs, mediaMlPerDay, bottleLastsMs };
}

/**
 * A density that is held: exponential growth to the target, and then a dilution rate equal to the growth rate, D = F/V (Monod,
 * Ann. Inst. Pasteur 79, 1950). Cultures that slow down need less.
 */
export function heldDensityForecast(
  { density, growthPerHour, volumeMl, mediaLeftMl, exchange }: CultureNow,
  target: number,
): DosingForecast {
  const growth = growthPerHour !== undefined && growthPerHour >= leastGrowthPerHour ? growthPerHour : undefined;
  const isReached = density !== undefined && density >= target;
  const hours =
    density === undefined || density <= 0 || growth === undefined ? undefined : Math.log(target / density) / growth;
  const firstDoseInMs = isReached ? 0 : hours === undefined ? undefined : hours * hourMs;
  const mediaMlPerDay =
    growth === undefined || volumeMl === undefined ? undefined : 24 * growth * mediaPerWashOut(volumeMl, exchange);
  return withBottle(firstDoseInMs, mediaMlPerDay, mediaLeftMl);
}

/** Doses by the clock. */
export function regularDosesForecast(
  { mediaLeftMl }: Pick<CultureNow, 'mediaLeftMl'>,
  { doseMl, everyMin }: { readonly doseMl: number; readonly everyMin: number },
): DosingForecast {
  return withBottle(0, everyMin > 0 ? (24 * 60 * doseMl) / everyMin : undefined, mediaLeftMl);
}

/** How many additions a vial takes before one would reach its limit. */
export const additionsUntilFull = (
  { volumeMl, limitMl }: { readonly volumeMl: number; readonly limitMl: number },
  doseMl: number,
): number => Math.max(0, Math.ceil((limitMl - volumeMl) / doseMl) - 1);
