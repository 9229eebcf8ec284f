import type { OdAngle } from '@lcs/contract';
import { conflictingJobs, InvalidInput, type ProtocolFacts } from './protocol.ts';

/** A photodiode that sees the culture. */
export interface SignalChannel {
  readonly channel: string;
  readonly angle: OdAngle;
}

/** The photodiodes that see the culture, the reference left out. */
export const signalChannels = ({ photodiodes }: ProtocolFacts): readonly SignalChannel[] =>
  photodiodes.flatMap(({ channel, angle }) => (angle === 'REF' ? [] : [{ channel, angle }]));

/** Why no light can be measured now; undefined when it can. */
export function lightRefusal(facts: ProtocolFacts): string | undefined {
  const { irLedIntensity, photodiodes } = facts;
  if (irLedIntensity === 'auto')
    return 'The intensity of the infrared LED is automatic: give ir_led_intensity in [od_reading.config] a number.';
  const beside = conflictingJobs(['od_reading', 'stirring'], facts);
  if (beside !== undefined) return beside;
  if (!photodiodes.some(({ angle }) => angle === 'REF'))
    return 'No photodiode is the reference: name one REF in [od_config.photodiode_channel].';
  return undefined;
}

/** %; a session begins with a number only, and the configuration may have changed since. @throws InvalidInput */
export function intensityOf({ irLedIntensity }: ProtocolFacts): number {
  if (irLedIntensity === 'auto') throw new InvalidInput('The intensity of the infrared LED has become automatic.');
  return irLedIntensity;
}

export const meanOf = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

/** The lists with one value more in each. */
export const withValues = (
  lists: Readonly<Record<string, readonly number[]>>,
  values: Readonly<Record<string, number>>,
): Record<string, number[]> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, [...(lists[name] ?? []), value]]));

/** The lists without their last value. */
export const withoutLast = (lists: Readonly<Record<string, readonly number[]>>): Record<string, number[]> =>
  Object.fromEntries(Object.entries(lists).map(([name, values]) => [name, values.slice(0, -1)]));
