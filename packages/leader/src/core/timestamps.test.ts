import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parseTimestamp } from './timestamps.ts';

it('reads every moment that is written in UTC', () => {
  fc.assert(
    fc.property(fc.date({ min: new Date(0), max: new Date(Date.UTC(9999, 11, 31)), noInvalidDate: true }), (date) => {
      expect(parseTimestamp(date.toISOString())).toBe(date.getTime());
    }),
  );
});

it('reads other zones, and cuts off what is finer than a millisecond', () => {
  const moment = Date.UTC(2026, 4, 2, 9, 14, 3, 120);
  for (const text of ['2026-05-02T11:14:03.120999+02:00', '2026-05-02t04:44:03.12-04:30', '2026-05-02 09:14:03.12z'])
    expect(parseTimestamp(text), text).toBe(moment);
});

it('refuses texts that are not a time, or have no zone', () => {
  for (const text of [
    '',
    'yesterday',
    '2026-05-02',
    '2026-05-02T09:14:03',
    '2026-02-30T00:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-05-02T24:00:00Z',
    '2026-05-02T09:14:03+25:00',
    '1777713243',
  ])
    expect(parseTimestamp(text), text).toBeUndefined();
});
