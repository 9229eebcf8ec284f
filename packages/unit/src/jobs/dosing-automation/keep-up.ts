import {
  areReadingsRare,
  type DosingAutomation,
  type ExchangePace,
  exchangeSeconds,
  fastestDilution,
} from '@lcs/domain';
import type { JobEvent } from '@lcs/node';

/** What the pumps of an automation can do. */
export interface Capacity {
  readonly exchangeMl: number;
  readonly seconds: number;
  /** The fastest growth that they wash out, per hour. */
  readonly fastestPerHour: number;
  /** Interval of the readings that start exchanges; undefined: not known. */
  readonly readingEveryS: number | undefined;
}

export function capacityOf(exchangeMl: number, volumeMl: number, pace: ExchangePace): Capacity {
  return {
    exchangeMl,
    seconds: exchangeSeconds(exchangeMl, pace),
    fastestPerHour: fastestDilution(exchangeMl, volumeMl, pace),
    readingEveryS: pace.readingEveryS,
  };
}

const above = (ratio: number, isProbe: boolean): string => {
  const percent = Math.round(100 * (ratio - 1));
  if (percent > 5) return ` The biomass is ${percent} % above its target.`;
  return isProbe ? ' Larger exchanges, which verify that waste leaves, hold the target for now.' : '';
};

interface Beyond {
  readonly growthPerHour?: number;
  readonly ratio?: number;
  readonly target?: number;
  /** The exchange is larger than the set volume, to verify that waste leaves. */
  readonly isProbe?: boolean;
}

/** Growth, target and pumps do not work together; the leader makes an alarm of it. */
export function cannotKeepUpEvent(
  { exchangeMl, seconds, fastestPerHour, readingEveryS }: Capacity,
  { growthPerHour, ratio, target, isProbe = false }: Beyond,
): JobEvent & { readonly message: string } {
  const isRare = areReadingsRare(readingEveryS);
  const grows = growthPerHour === undefined ? '' : ` The culture grows by about ${growthPerHour.toFixed(2)} per hour.`;
  const course = ratio === undefined ? '' : above(ratio, isProbe);
  const readings = isRare ? ` with a reading every ${Math.round(readingEveryS)} s` : '';
  const limit = `Exchanges of ${exchangeMl} mL, each of ${Math.round(seconds)} s, wash out at most ${fastestPerHour.toFixed(2)} per hour${readings}.`;
  const moreReadings = isRare ? 'more frequent readings, ' : '';
  const advice = `Choose larger exchanges, ${moreReadings}a lower density or a lower temperature, or calibrate the pumps with a higher duty.`;
  return {
    name: 'dosing_cannot_keep_up',
    message: `The pumps do not keep up with growth.${course} ${limit}${grows} ${advice}`,
    data: {
      exchange_volume_ml: exchangeMl,
      exchange_s: seconds,
      fastest_dilution_per_hour: fastestPerHour,
      ...(growthPerHour !== undefined && { growth_per_hour: growthPerHour }),
      ...(ratio !== undefined && target !== undefined && { biomass_to_target: ratio, target }),
    },
  };
}

/** An exchange takes longer than the time between two. */
export const exchangeTooLong = ({ seconds }: Capacity, periodMin: number): string | undefined =>
  seconds > 60 * periodMin
    ? `An exchange takes ${Math.round(seconds)} s, longer than the ${periodMin} min between two: the set dilution rate is not reached.`
    : undefined;

/** The volume of an exchange that the settings of an automation fix; undefined: it has none. */
export const fixedExchangeMl = (
  { parameters }: Pick<DosingAutomation, 'parameters'>,
  settings: ReadonlyMap<string, number>,
): number | undefined =>
  Object.hasOwn(parameters, 'exchange_volume_ml') ? settings.get('exchange_volume_ml') : undefined;
