import type { FlaggedSpan } from '@lcs/contract';
import { describe, expect, it } from 'vitest';
import { deviationsOf } from './chart-source.ts';
import { bandDeviations, deviationBand, usualHalfBand } from './deviation-band.ts';
import { beginsFlag, flagMarks, flagsAt, shownFlags, spansByLine } from './flag-spans.ts';
import { breaksOf } from './gaps.ts';

const minute = 60_000;
const at = (minutes: number): string => new Date(minutes * minute).toISOString();
const span = (source: string, channel: string | null, flag: FlaggedSpan['flag'], from: number, to: number) => ({
  reactor_unit: 'u-1',
  source,
  channel,
  flag,
  from: at(from),
  to: at(to),
  samples: 2,
});
const points = { x: [0, 1, 2, 3, 4, 5].map((each) => each * minute), y: [1, 2, 3, 4, 5, 6] };

describe('flags of readings', () => {
  const od = { data_source: 'od_readings', data_source_column: null };
  const spans = [span('od', '2', 'bubbles', 1, 3), span('raw_od', '2', 'bubbles', 1, 3)];

  it('belong to the line of their unit and channel, on the chart of their source', () => {
    const expected = [{ flag: 'bubbles', fromMs: minute, toMs: 3 * minute }];
    expect([...spansByLine(od, spans)]).toEqual([['u-1-2', expected]]);
    const temperature = { data_source: 'temperature_readings', data_source_column: null };
    expect([...spansByLine(temperature, [span('temperature', null, 'sensor_doubtful', 0, 1)]).keys()]).toEqual(['u-1']);
  });

  it('begin with a reading of the live stream whose flag no span has yet', () => {
    const known = spansByLine(od, spans);
    const reading = (minutes: number, flags: FlaggedSpan['flag'][] | undefined, more: object = {}) => ({
      ...{ experiment: 'e', reactor_unit: 'u-1', source: 'od', channel: '2', angle: 90, y: 0.1, backfill: false },
      ...{ x: at(minutes), ...(flags && { flags }), ...more },
    });
    expect(beginsFlag(od, known, reading(3.5, ['bubbles']))).toBe(false);
    expect(beginsFlag(od, known, reading(3.5, undefined))).toBe(false);
    expect(beginsFlag(od, known, reading(3.5, ['bubbles', 'vial_out']))).toBe(true);
    expect(beginsFlag(od, known, reading(9, ['bubbles']))).toBe(true);
    expect(beginsFlag(od, known, reading(3.5, ['bubbles'], { channel: '3' }))).toBe(true);
    expect(beginsFlag(od, known, reading(9, ['bubbles'], { source: 'temperature' }))).toBe(false);
  });

  it('are marked at readings, not closer than marks can be distinguished', () => {
    const flags = spansByLine(od, spans).get('u-1-2') ?? [];
    expect(flagMarks(points, flags, 0).map(({ x, y }) => [x / minute, y])).toEqual([
      [1, 2],
      [2, 3],
      [3, 4],
    ]);
    expect(flagMarks(points, flags, 2 * minute).map(({ x }) => x / minute)).toEqual([1, 3]);
  });

  it('are marked once where none of the flagged readings is drawn', () => {
    const short = [{ flag: 'saturated' as const, fromMs: 1.2 * minute, toMs: 1.3 * minute }];
    expect(flagMarks(points, short, 0)).toEqual([{ flag: 'saturated', x: minute, y: 2 }]);
    expect(flagMarks({ x: [], y: [] }, short, 0)).toEqual([]);
  });

  it('are listed for a time, and in the legend of the shown window', () => {
    const flags = [
      { flag: 'bubbles' as const, fromMs: minute, toMs: 3 * minute },
      { flag: 'saturated' as const, fromMs: 2 * minute, toMs: 2 * minute },
    ];
    expect(flagsAt(flags, 2 * minute)).toEqual(['bubbles', 'saturated']);
    expect(flagsAt(flags, 4 * minute)).toEqual([]);
    const lines = [
      { name: 'rx01', flags },
      { name: 'rx02', flags: flags.slice(0, 1) },
    ];
    expect(shownFlags(lines, { fromMs: 2.5 * minute, toMs: 9 * minute })).toEqual([
      { flag: 'bubbles', lines: ['rx01', 'rx02'] },
    ]);
  });
});

describe('the band of an estimate', () => {
  it('takes the deviation nearest in time, and is broken where the line is', () => {
    const x = [0, 1, 2, 3, 60, 61, 62, 63].map((each) => each * minute);
    const line = { x, y: x.map(() => 0.2) };
    const deviations = { x: [0, 61 * minute], y: [0.01, 0.02] };
    const pieces = deviationBand(line, deviations, breaksOf(x));
    expect(pieces.map((piece) => piece.length)).toEqual([4, 4]);
    expect(pieces[0]?.[3]?.high).toBeCloseTo(0.2 + bandDeviations * 0.01);
    expect(pieces[1]?.[0]?.low).toBeCloseTo(0.2 - bandDeviations * 0.02);
    expect(deviationBand(line, { x: [], y: [] }, [])).toEqual([]);
  });

  it('widens the axis by its usual height in the window', () => {
    const line = { deviations: { x: [0, 1, 2, 3], y: [9, 0.01, 0.02, 0.03] } };
    expect(usualHalfBand([line, { deviations: null }], 1, 3)).toBe(bandDeviations * 0.02);
    expect(usualHalfBand([line], 10, 20)).toBe(0);
  });

  it('is requested for growth rates only', () => {
    expect(deviationsOf({ data_source: 'growth_rates', data_source_column: null })).toEqual({
      data_source: 'growth_rates',
      data_source_column: 'rate_sd',
    });
    expect(deviationsOf({ data_source: 'od_readings', data_source_column: null })).toBeNull();
  });
});
