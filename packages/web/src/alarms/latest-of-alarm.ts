import type { Alarm } from '@lcs/contract';
import type { LatestReading } from '../latest/latest-store.ts';
import { digitsText } from '../ui/number-text.ts';

/** The units of quantities that are not ratios or densities. */
const unitsOf: Readonly<Record<string, string>> = { temperature: '°C', liquid_volume: 'mL', stirring_rpm: 'RPM' };

/**
 * The latest value of the quantity that an alarm is about: its message has the value of its raise. Null: the alarm is over, or about
 * something else.
 */
export function latestOfAlarm(
  { is_active, detail }: Pick<Alarm, 'is_active' | 'detail'>,
  readings: ReadonlyMap<string, LatestReading>,
): { readonly text: string; readonly atMs: number } | null {
  const [source = '', channel = null] = detail?.split(' ') ?? [];
  const reading = readings.get(source);
  if (!is_active || reading === undefined || reading.channel !== channel) return null;
  return { text: [digitsText(reading.y, 4), unitsOf[source] ?? ''].join(' ').trim(), atMs: reading.xMs };
}
