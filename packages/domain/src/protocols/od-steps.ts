import type { OdAngle } from '@lcs/contract';
import { conflictingJobs, InvalidInput, type ProtocolFacts } from './protocol.ts';

/** A photodiode that faces the culture. */
export interface SignalChannel {
  readonly channel: string;
  readonly angle: OdAngle;
}

/** The photodiodes that face the culture, without the reference. */
export const signalChannels = ({ photodiodes }: ProtocolFacts): readonly SignalChannel[] =>
  photodiodes.flatMap(({ channel, angle }) => (angle === 'REF' ? [] : [{ channel, angle }]));

/** What measurements of other vials do to a running experiment. */
export const otherVialsEffect =
  'The vial with the culture leaves the unit meanwhile: it is neither stirred nor read. Jobs that heat, light or dose act on the vial that is in the unit, so dosing must be off.';

/** Jobs that dose by the clock or by readings would dose into the vials of a measurement. */
const jobsBesideLight: readonly string[] = ['od_reading', 'stirring', 'dosing_automation'];

/** Why light cannot be measured now; undefined: it can. */
export function lightRefusal(facts: ProtocolFacts): string | undefined {
  const { irLedIntensity, photodiodes } = facts;
  if (irLedIntensity === 'auto')
    return 'The intensity of the infrared LED is automatic. Set ir_led_intensity in [od_reading.config] to a number.';
  const beside = conflictingJobs(jobsBesideLight, facts);
  if (beside !== undefined) return beside;
  if (!photodiodes.some(({ angle }) => angle === 'REF'))
    return 'No photodiode is the reference. Set one to REF in [od_config.photodiode_channel].';
  return undefined;
}

/** Intensity, %. A session starts only with a number, but the configuration may have changed since. @throws InvalidInput */
export function intensityOf({ irLedIntensity }: ProtocolFacts): number {
  if (irLedIntensity === 'auto')
    throw new InvalidInput(
      'The intensity of the infrared LED has become automatic. Set ir_led_intensity in [od_reading.config] to a number.',
    );
  return irLedIntensity;
}

export const meanOf = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

/** Appends one value to each list. */
export const withValues = (
  lists: Readonly<Record<string, readonly number[]>>,
  values: Readonly<Record<string, number>>,
): Record<string, number[]> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, [...(lists[name] ?? []), value]]));

/** The lists without their value of this index. */
export const withoutAt = (
  lists: Readonly<Record<string, readonly number[]>>,
  index: number,
): Record<string, number[]> =>
  Object.fromEntries(Object.entries(lists).map(([name, values]) => [name, values.toSpliced(index, 1)]));
