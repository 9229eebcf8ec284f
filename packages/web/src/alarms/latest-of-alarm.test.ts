import { expect, it } from 'vitest';
import type { LatestReading } from '../latest/latest-store.ts';
import { latestOfAlarm } from './latest-of-alarm.ts';

const reading = (y: number, channel: string | null = null): LatestReading => ({
  xMs: 5,
  y,
  channel,
  flags: [],
  receivedMs: 5,
});
const readings = new Map([
  ['temperature', reading(41.26)],
  ['od', reading(0.12345, '2')],
]);
const of = (detail: string | null, is_active = true) => latestOfAlarm({ is_active, detail }, readings);

it('has the latest value of what an alarm is about while it stands', () => {
  expect(of('temperature')).toEqual({ text: '41.26 °C', atMs: 5 });
  expect(of('od 2')).toEqual({ text: '0.1235', atMs: 5 });
  // Of another photodiode, over, unknown, and about no value.
  expect([of('od 1'), of('temperature', false), of('growth_rate'), of('od_reading'), of(null)]).toEqual(
    Array.from({ length: 5 }, () => null),
  );
});
