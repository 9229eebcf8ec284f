import type { JobWarning } from '@lcs/contract';
import { washOutOf } from '../dosing/wash-out.ts';
import { type DosingAutomation, formatMl } from './dosing-automation.ts';

/** The vial when dosing is started or changed. */
export interface VialNow {
  readonly volumeMl: number;
  /** Number of equal parts in which a volume is exchanged. */
  partsFor(addedMl: number): number;
  /** Per hour, with its standard deviation; undefined: not known. */
  readonly growth: { readonly perHour: number; readonly sd: number } | undefined;
}

/** A person must confirm exchanges that remove more than this share of the culture. Chosen. */
const mostExchangedShare = 0.5;

/** Few cultures grow faster, per hour: *E. coli* in rich medium divides every 20 minutes, which is 2.1 per hour. Chosen. */
const fastestUsualGrowth = 2;

/** A culture that rests now may still grow as fast as this when it receives medium, per hour. Chosen. */
const growthAfterRest = 0.5;

/** A growth rate may be larger than its estimate by this number of standard deviations. */
const sdsOfGrowth = 2;

const digits = (value: number): string => String(Number(value.toPrecision(3)));

type Settings = Readonly<Record<string, number>>;

function exchangeWarning(exchangeMl: number, { volumeMl, partsFor }: VialNow): JobWarning | undefined {
  const removed = 1 - Math.exp(-washOutOf(exchangeMl, { volumeMl, evaporatedMl: 0, partsFor }));
  if (removed <= mostExchangedShare) return undefined;
  const message = `One exchange of ${formatMl(exchangeMl)} removes ${Math.round(100 * removed)} % of the culture in the vial (${formatMl(volumeMl)}).`;
  return { code: 'exchanges_most', message, value: removed, limit: mostExchangedShare };
}

/** Whether a chemostat dilutes faster than its culture grows. */
function washOutWarning(
  { exchangeMl, everyMin }: { readonly exchangeMl: number; readonly everyMin: number },
  { volumeMl, growth }: VialNow,
): JobWarning | undefined {
  const rate = (60 * exchangeMl) / everyMin / volumeMl;
  const limit =
    growth === undefined ? fastestUsualGrowth : Math.max(growthAfterRest, growth.perHour + sdsOfGrowth * growth.sd);
  if (rate <= limit) return undefined;
  const grows =
    growth === undefined
      ? `the growth rate is not known, and few cultures grow faster than ${fastestUsualGrowth} per hour`
      : `the culture grows by ${digits(growth.perHour)} per hour now`;
  const mlPerDay = digits((24 * 60 * exchangeMl) / everyMin);
  const message = `The dilution rate is ${digits(rate)} per hour (${mlPerDay} mL of medium a day), and ${grows}: the culture is washed out.`;
  return { code: 'washes_out', message, value: rate, limit };
}

/** What a person must confirm before an automation exchanges liquid with these settings; undefined: nothing. */
export function doseWarning(
  { dose, density, trigger }: Pick<DosingAutomation, 'dose' | 'density' | 'trigger'>,
  settings: Settings,
  vial: VialNow,
): JobWarning | undefined {
  const exchangeMl = dose?.isExchange ? settings[dose.setting] : undefined;
  if (exchangeMl === undefined || vial.volumeMl <= 0) return undefined;
  const everyMin = trigger === 'period' && density === undefined ? settings.duration : undefined;
  const washOut = everyMin === undefined ? undefined : washOutWarning({ exchangeMl, everyMin }, vial);
  return joinedWarning(washOut, exchangeWarning(exchangeMl, vial));
}

/** The first warning, which also states the other. */
export const joinedWarning = (one: JobWarning | undefined, other: JobWarning | undefined): JobWarning | undefined =>
  one === undefined || other === undefined ? (one ?? other) : { ...one, message: `${one.message} ${other.message}` };

/** A dose that cannot be given whole. */
export interface DoseTooLarge {
  readonly setting: string;
  readonly doseMl: number;
  /** Whether the liquid in the vial leaves no place for it; otherwise it is larger than the vial. */
  readonly overflows: boolean;
  /** One sentence. */
  readonly cause: string;
}

/** Why a vial cannot take the doses of these settings; undefined: it can. */
export function doseTooLarge(
  { dose }: Pick<DosingAutomation, 'dose'>,
  settings: Settings,
  { volumeMl, stopLimitMl }: { readonly volumeMl: number; readonly stopLimitMl: number },
): DoseTooLarge | undefined {
  const doseMl = dose === undefined ? undefined : settings[dose.setting];
  if (dose === undefined || doseMl === undefined || doseMl <= 0) return undefined;
  const found = { setting: dose.setting, doseMl };
  if (doseMl > stopLimitMl) {
    const cause = `${formatMl(doseMl)} is more than the highest safe filling of the vial (${formatMl(stopLimitMl)}).`;
    return { ...found, overflows: false, cause };
  }
  if (dose.isExchange || volumeMl + doseMl < stopLimitMl) return undefined;
  const cause = `${formatMl(doseMl)} on top of ${formatMl(volumeMl)} reach the highest safe filling of ${formatMl(stopLimitMl)}.`;
  return { ...found, overflows: true, cause };
}
