import { type DosingAutomation, type ExchangePace, exchangeSeconds, fastestDilution } from '@lcs/domain';
import type { JobEvent } from '@lcs/node';

/** What the pumps of an automation can do. */
export interface Capacity {
  readonly exchangeMl: number;
  readonly seconds: number;
  /** The fastest growth that they wash out, per hour. */
  readonly fastestPerHour: number;
}

export function capacityOf(exchangeMl: number, volumeMl: number, pace: ExchangePace): Capacity {
  return {
    exchangeMl,
    seconds: exchangeSeconds(exchangeMl, pace),
    fastestPerHour: fastestDilution(exchangeMl, volumeMl, pace),
  };
}

const advice =
  'Choose larger exchanges, a lower density or a lower temperature, or calibrate the pumps with a higher duty.';

interface Beyond {
  readonly growthPerHour?: number;
  readonly ratio?: number;
  readonly target?: number;
}

/** Growth, target and pumps do not work together; the leader makes an alarm of it. */
export function cannotKeepUpEvent(
  { exchangeMl, seconds, fastestPerHour }: Capacity,
  { growthPerHour, ratio, target }: Beyond,
): JobEvent & { readonly message: string } {
  const grows = growthPerHour === undefined ? '' : ` The culture grows by about ${growthPerHour.toFixed(2)} per hour.`;
  const above = ratio === undefined ? '' : ` The biomass stays ${Math.round(100 * (ratio - 1))} % above its target.`;
  const limit = `Exchanges of ${exchangeMl} mL, each of ${Math.round(seconds)} s, wash out at most ${fastestPerHour.toFixed(2)} per hour.`;
  return {
    name: 'dosing_cannot_keep_up',
    message: `The pumps do not keep up with growth.${above} ${limit}${grows} ${advice}`,
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
