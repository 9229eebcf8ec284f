import { expect, it } from 'vitest';
import { chartCsv } from './chart-csv.ts';

const origin = Date.parse('2026-05-01T10:00:00.000Z');

it('has a row for each moment, in UTC and in hours since the start, and a column for each line', () => {
  const csv = chartCsv(
    [
      { name: 'rx1', points: { x: [origin, origin + 1_800_000], y: [0.1, 0.25] } },
      { name: 'salt, "high"', points: { x: [origin + 1_800_000, origin + 3_600_000], y: [1e-7, 3] } },
    ],
    origin,
  );
  expect(csv.split('\r\n')).toEqual([
    'time_utc,elapsed_h,rx1,"salt, ""high"""',
    '2026-05-01T10:00:00.000Z,0.00000,0.1,',
    '2026-05-01T10:30:00.000Z,0.50000,0.25,1e-7',
    '2026-05-01T11:00:00.000Z,1.00000,,3',
    '',
  ]);
});

it('does not let a name become a formula', () => {
  expect(chartCsv([{ name: '=1+1', points: { x: [], y: [] } }], origin)).toBe("time_utc,elapsed_h,'=1+1\r\n");
});
