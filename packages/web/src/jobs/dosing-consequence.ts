import { type Json, minuteMs } from '@lcs/contract';
import {
  additionsUntilFull,
  chemostatPumpedMl,
  dilutionMl,
  exchangeParts,
  forecastSpanText,
  heldDensityForecast,
  morbidostatHighDensity,
  pidMorbidostat,
  regularDosesForecast,
  usualExchange,
} from '@lcs/domain';
import { digitsText } from '../ui/number-text.ts';
import { jobsWords } from '../words/jobs.ts';
import { signalLabel, type UnitSignals } from './biomass-choices.ts';

/** The values of a form, or the settings of a running automation. */
type DosingValues = Readonly<Record<string, Json | undefined>>;

/** From an inoculum to a dense culture growth is a matter of a factor of this; what is farther is a slip of the pen. Chosen. */
const mostGrowth = 100;

const twoDigits = (value: number): string => digitsText(value, 2);
const threeDigits = (value: number): string => digitsText(value, 3);
const about = (ms: number): string => jobsWords.about(forecastSpanText(ms));

const numberOf = (values: DosingValues, name: string): number | undefined => {
  const value = values[name];
  return typeof value === 'number' ? value : undefined;
};

/** The sentences that say something. */
const sentences = (...texts: readonly string[]): string => texts.filter((text) => text !== '').join(' ');

function bottleText(lastsMs: number | undefined, leftMl: number | null): string {
  if (leftMl !== null && leftMl <= 0) return jobsWords.bottleIsEmpty;
  return lastsMs === undefined ? '' : jobsWords.bottleLasts(about(lastsMs));
}

/** Why the time of the first dilution is not known. */
function unknownStartText(density: number | undefined, growthPerHour: number | undefined): string {
  if (growthPerHour === undefined) return jobsWords.growthRateIsNotKnown;
  // A density that is not known has been named.
  return density === undefined || density <= 0 ? '' : jobsWords.cultureHardlyGrowsNow;
}

/** The parts in which a unit exchanges a volume. */
const partsOf = ({ signals }: UnitSignals) => {
  const { max_subdose_ml: maxSubdoseMl = usualExchange.maxSubdoseMl } = signals?.culture?.exchange ?? {};
  return (addedMl: number): number => exchangeParts(addedMl, maxSubdoseMl);
};

interface Held {
  readonly signal: string;
  readonly target: number;
  readonly exchangeMl: number | undefined;
}

function heldText(of: UnitSignals, { signal, target, exchangeMl }: Held): string {
  const { unit, signals } = of;
  if (signals === undefined) return jobsWords.readingsNotKnown(unit);
  const { growth_rate = null, volume_ml = null, media_bottle_left_ml = null } = signals.culture ?? {};
  const density = signals.signals.find((each) => each.signal === signal)?.value ?? undefined;
  const growthPerHour = growth_rate ?? undefined;
  const isImplausible = density !== undefined && density > 0 && target > mostGrowth * density;
  const forecast = heldDensityForecast(
    {
      density,
      growthPerHour,
      volumeMl: volume_ml ?? undefined,
      mediaLeftMl: media_bottle_left_ml ?? undefined,
      exchange: exchangeMl === undefined ? undefined : { exchangeMl, partsFor: partsOf(of) },
    },
    target,
  );
  const { firstDoseInMs, mediaMlPerDay, bottleLastsMs } = forecast;
  const [label, shownTarget] = [signalLabel(signal), threeDigits(target)];
  const unknownStart = unknownStartText(density, growthPerHour);
  if (density === undefined) return sentences(jobsWords.dilutesAtTargetUnread(unit, label, shownTarget), unknownStart);
  const facts = [unit, label, threeDigits(density), shownTarget] as const;
  // Growth does not go on like this up to there: no time and no use of medium is made up.
  if (isImplausible) return jobsWords.dilutesAtTarget(...facts);
  if (firstDoseInMs === undefined) return sentences(jobsWords.dilutesAtTarget(...facts), unknownStart);
  const use = mediaMlPerDay === undefined ? '' : jobsWords.thenMediumPerDay(twoDigits(mediaMlPerDay));
  const bottle = bottleText(bottleLastsMs, media_bottle_left_ml);
  if (firstDoseInMs > 0) return sentences(jobsWords.dilutesIn(...facts, about(firstDoseInMs)), use, bottle);
  const downMl = untilTargetMl({ biomass_signal: signal, target_biomass: target }, { unit, signals });
  const down = downMl === null ? '' : jobsWords.mediumUntilTarget(twoDigits(downMl));
  return sentences(jobsWords.dilutesAtOnce(...facts), down, use, bottle);
}

/** The rates of dilution and growth, and whether the culture is washed out. */
function ratesText(rate: number, growthRate: number | null): string {
  if (growthRate === null) return jobsWords.dilutionRate(twoDigits(rate));
  const rates = [twoDigits(rate), twoDigits(growthRate)] as const;
  return rate > growthRate ? jobsWords.cultureWashedOut(...rates) : jobsWords.dilutionAndGrowth(...rates);
}

function chemostatText(of: UnitSignals, exchangeMl: number, everyMin: number): string {
  const { unit, signals } = of;
  const { growth_rate = null, volume_ml = null, media_bottle_left_ml = null } = signals?.culture ?? {};
  const { evaporation_ml_per_hour: evaporationMlPerHour = usualExchange.evaporationMlPerHour } = signals?.culture ?? {};
  const doseMl = chemostatPumpedMl(
    { exchangeMl, everyMin },
    { volumeMl: volume_ml ?? 0, evaporationMlPerHour, partsFor: partsOf(of) },
  );
  const { mediaMlPerDay = 0, bottleLastsMs } = regularDosesForecast(
    { mediaLeftMl: media_bottle_left_ml ?? undefined },
    { doseMl, everyMin },
  );
  const use = jobsWords.mediumPerDay(unit, twoDigits(mediaMlPerDay));
  const bottle = bottleText(bottleLastsMs, media_bottle_left_ml);
  if (volume_ml === null || volume_ml <= 0) return sentences(use, bottle);
  const [pumped, exchange] = [threeDigits(doseMl), threeDigits(exchangeMl)];
  const more = pumped === exchange ? '' : jobsWords.pumpsEach(pumped, exchange);
  return sentences(use, bottle, ratesText((60 * exchangeMl) / everyMin / volume_ml, growth_rate), more);
}

function fedBatchText({ unit, signals }: UnitSignals, doseMl: number, everyMin: number): string {
  const mlPerDay = twoDigits((24 * 60 * doseMl) / everyMin);
  const { volume_ml: volumeMl = null, fill_limit_ml: limitMl } = signals?.culture ?? {};
  if (volumeMl === null) return jobsWords.addsPerDay(unit, mlPerDay);
  const adds = jobsWords.addsPerDayToVial(unit, mlPerDay, threeDigits(volumeMl));
  if (limitMl === undefined || doseMl <= 0) return adds;
  const count = additionsUntilFull({ volumeMl, limitMl }, doseMl);
  const full =
    count === 0
      ? jobsWords.firstAdditionTooLarge(threeDigits(limitMl))
      : jobsWords.vialIsFullAfter(threeDigits(limitMl), count, about(count * everyMin * minuteMs));
  return sentences(adds, full);
}

/** From a density on a culture is exchanged at the target growth rate, with medium and alternative medium together. */
function morbidostatText({ unit, signals }: UnitSignals, target: number, targetRate: number): string {
  if (signals === undefined) return jobsWords.readingsNotKnown(unit);
  const { density: held } = pidMorbidostat;
  if (held === undefined) return '';
  const { signal, dilutionThreshold } = held;
  const { growth_rate = null, volume_ml = null } = signals.culture ?? {};
  const density = signals.signals.find((each) => each.signal === signal)?.value ?? null;
  const fromDensity = dilutionThreshold(target);
  const [label, from] = [signalLabel(signal), threeDigits(fromDensity)];
  const use =
    volume_ml === null
      ? ''
      : jobsWords.bothMediaPerDay(
          twoDigits(24 * targetRate * volume_ml),
          twoDigits(targetRate),
          morbidostatHighDensity.factor,
        );
  if (density === null) return sentences(jobsWords.exchangesAtUnread(unit, label, from), use);
  const facts = [unit, label, threeDigits(density), from] as const;
  const { firstDoseInMs } = heldDensityForecast(
    { density, growthPerHour: growth_rate ?? undefined, volumeMl: undefined, mediaLeftMl: undefined },
    fromDensity,
  );
  const isImplausible = fromDensity > mostGrowth * density;
  if (firstDoseInMs === undefined || isImplausible)
    return sentences(jobsWords.exchangesAt(...facts), unknownStartText(density, growth_rate ?? undefined), use);
  return sentences(
    firstDoseInMs > 0 ? jobsWords.exchangesIn(...facts, about(firstDoseInMs)) : jobsWords.exchangesNow(...facts),
    use,
  );
}

/** What the pumps of a unit need until its density is at the target; null: not known, or nothing. */
function untilTargetMl(values: DosingValues, { signals }: UnitSignals): number | null {
  const { biomass_signal: signal, target_biomass: target } = values;
  const density = signals?.signals.find((each) => each.signal === signal)?.value ?? null;
  const volumeMl = signals?.culture?.volume_ml ?? null;
  if (density === null || volumeMl === null || typeof target !== 'number' || target <= 0) return null;
  return dilutionMl(density, target, volumeMl) ?? null;
}

/** How much medium several turbidostats need together until they are at their targets; empty where that concerns less than two. */
export function dosingTotal(
  units: readonly {
    readonly automation: string | null;
    readonly values: DosingValues;
    readonly reported: readonly UnitSignals[];
  }[],
): readonly string[] {
  const volumesMl = units.flatMap(({ automation, values, reported }) =>
    automation === 'turbidostat' ? reported.flatMap((unit) => untilTargetMl(values, unit) ?? []) : [],
  );
  const totalMl = volumesMl.reduce((sum, ml) => sum + ml, 0);
  return volumesMl.length < 2 ? [] : [jobsWords.mediumInTotal(twoDigits(totalMl), volumesMl.length)];
}

/** What a start of an automation that doses means on each unit; empty while the form does not say enough. */
export function dosingConsequences(
  automation: string | null,
  values: DosingValues,
  units: readonly UnitSignals[],
): readonly string[] {
  const everyMin = numberOf(values, 'duration');
  const exchangeMl = numberOf(values, 'exchange_volume_ml');
  // The field says what is wrong with it.
  if (exchangeMl !== undefined && exchangeMl <= 0) return [];
  if (automation === 'turbidostat') {
    const { biomass_signal: signal, target_biomass: target } = values;
    if (typeof signal !== 'string' || signal === '' || typeof target !== 'number' || target <= 0) return [];
    return units.map((unit) => heldText(unit, { signal, target, exchangeMl }));
  }
  if (everyMin === undefined || everyMin <= 0) return [];
  if (automation === 'chemostat' && exchangeMl !== undefined)
    return units.map((unit) => chemostatText(unit, exchangeMl, everyMin));
  const [target, targetRate] = [numberOf(values, 'target_normalized_od'), numberOf(values, 'target_growth_rate')];
  if (automation === pidMorbidostat.name && target !== undefined && target > 0 && targetRate !== undefined)
    return units.map((unit) => morbidostatText(unit, target, targetRate));
  const doseMl = numberOf(values, 'dosing_volume_ml');
  if (automation === 'fed_batch' && doseMl !== undefined)
    return units.map((unit) => fedBatchText(unit, doseMl, everyMin));
  return [];
}
