import type { BiomassSignals } from '@lcs/contract';
import {
  areReadingsRare,
  dosingAutomations,
  type ExchangePace,
  exchangeForWashOut,
  exchangeParts,
  exchangeSeconds,
  fastestDilution,
  morbidostatHighDensity,
  reportedPace,
  washOutOf,
} from '@lcs/domain';
import { digitsText, valueText } from '../ui/number-text.ts';
import { jobsWords } from '../words/jobs.ts';
import type { UnitSignals } from './biomass-choices.ts';
import type { StartValues } from './job-forms.ts';

type Culture = NonNullable<BiomassSignals['culture']>;

interface UnitPace {
  readonly unit: string;
  readonly pace: ExchangePace;
  readonly volumeMl: number;
  readonly growthPerHour: number | null;
}

const twoDigits = (value: number): string => digitsText(value, 2);

const positive = (values: StartValues, name: string): number | undefined => {
  const value = values[name];
  return typeof value === 'number' && value > 0 ? value : undefined;
};

function paceOf(unit: string, culture: Culture | undefined, settleS: number): readonly UnitPace[] {
  const { volume_ml: volumeMl = null, growth_rate: growthPerHour = null } = culture ?? {};
  const pace = reportedPace(culture, settleS);
  if (pace === undefined || volumeMl === null || volumeMl <= 0) return [];
  return [{ unit, pace, volumeMl, growthPerHour }];
}

/** A turbidostat exchanges as often as it can: its limit is one exchange after the other. */
function heldWarning({ unit, pace, volumeMl, growthPerHour }: UnitPace, exchangeMl: number): readonly string[] {
  const fastest = fastestDilution(exchangeMl, volumeMl, pace);
  if (growthPerHour === null || growthPerHour <= fastest) return [];
  const { readingEveryS } = pace;
  const facts = [unit, twoDigits(fastest), valueText(exchangeMl), twoDigits(growthPerHour)] as const;
  return areReadingsRare(readingEveryS)
    ? [jobsWords.growthOutrunsRareReadings(...facts, twoDigits(readingEveryS))]
    : [jobsWords.growthOutrunsPumps(...facts)];
}

/** Doses by the clock are skipped or late when one takes longer than the time to the next. */
function intervalWarning({ unit, pace }: UnitPace, exchangeMl: number, everyMin: number): readonly string[] {
  const seconds = exchangeSeconds(exchangeMl, pace);
  if (seconds <= 60 * everyMin) return [];
  return [jobsWords.exchangeTooSlow(unit, twoDigits(exchangeMl), Math.ceil(seconds / 60))];
}

/** An exchange that leaves less of the culture than this is hardly meant. Chosen: usual exchanges leave 90 % and more. */
const leastShareLeft = 0.75;

/** An exchange that washes out much of the culture at once. */
function largeWarning({ unit, pace, volumeMl }: UnitPace, exchangeMl: number): readonly string[] {
  const partsFor = (addedMl: number): number => exchangeParts(addedMl, pace.maxSubdoseMl);
  const left = Math.exp(-washOutOf(exchangeMl, { volumeMl, evaporatedMl: 0, partsFor }));
  if (left >= leastShareLeft) return [];
  return [jobsWords.exchangeTooLarge(unit, twoDigits(exchangeMl), twoDigits(100 * left), twoDigits(volumeMl))];
}

/** The volume that washes out so much, in the parts that the pumps make of it. */
const volumeFor = (washOut: number, { volumeMl, pace }: UnitPace): number =>
  exchangeForWashOut(washOut, {
    volumeMl,
    evaporatedMl: 0,
    partsFor: (addedMl) => exchangeParts(addedMl, pace.maxSubdoseMl),
  });

/**
 * Where the pumps of a unit cannot do what the form of a dosing automation asks for, beside the field that changes it. Units without
 * calibrated pumps, and of older versions, are not checked.
 */
export function pumpWarnings(
  automation: string | null,
  values: StartValues,
  units: readonly UnitSignals[],
): Readonly<Record<string, readonly string[]>> {
  const declared = dosingAutomations.find(({ name }) => name === automation);
  if (declared === undefined) return {};
  const paces = units.flatMap(({ unit, signals }) => paceOf(unit, signals?.culture, declared.settleS ?? 0));
  const exchangeMl = positive(values, 'exchange_volume_ml');
  const everyMin = positive(values, 'duration');
  if (automation === 'turbidostat' && exchangeMl !== undefined)
    return {
      exchange_volume_ml: paces.flatMap((unit) => [
        ...largeWarning(unit, exchangeMl),
        ...heldWarning(unit, exchangeMl),
      ]),
    };
  if (everyMin === undefined) return {};
  if (automation === 'chemostat' && exchangeMl !== undefined)
    return {
      duration: paces.flatMap((unit) => intervalWarning(unit, exchangeMl, everyMin)),
      exchange_volume_ml: paces.flatMap((unit) => largeWarning(unit, exchangeMl)),
    };
  const targetRate = positive(values, 'target_growth_rate');
  if (automation === 'pid_morbidostat' && targetRate !== undefined) {
    // Above its density it dilutes faster than the target: the pumps must be able to do that too.
    const washOut = (morbidostatHighDensity.factor * targetRate * everyMin) / 60;
    return { target_growth_rate: paces.flatMap((unit) => intervalWarning(unit, volumeFor(washOut, unit), everyMin)) };
  }
  return {};
}
