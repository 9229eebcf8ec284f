import { hourMs } from '@lcs/contract';
import { describe, expect, it } from 'vitest';
import {
  type BandLine,
  bandColumns,
  bandEndMs,
  bandRange,
  bandSummary,
  bandText,
  bandTextAt,
  isBandCut,
} from './band-lines.ts';

const line: BandLine = {
  unit: 'rx01',
  name: 'fast',
  hours: [0, 1, 2],
  median: [0.1, 0.2, null],
  low: [0.05, 0.15, null],
  high: [0.15, 0.251, null],
};
const other: BandLine = {
  ...line,
  unit: 'rx02',
  name: 'rx02',
  hours: [0, 1.5],
  median: [1, 2],
  low: [1, 2],
  high: [1, 3],
};

describe('predicted lines with bands', () => {
  it('have common moments; a gap in one line is none of another', () => {
    const [x, median, low, high, second] = bandColumns([line, other]);
    expect(x).toEqual([0, hourMs, 1.5 * hourMs, 2 * hourMs]);
    // A gap reaches to the values beside it, also where only another line has moments.
    expect(median).toEqual([0.1, 0.2, null, null]);
    expect([low?.[0], high?.[1]]).toEqual([0.05, 0.251]);
    expect(second).toEqual([1, undefined, 2, undefined]);
    expect(bandEndMs([line, other])).toBe(2 * hourMs);
  });

  it('have an axis that includes the bands, also without values', () => {
    const [low, high] = bandRange([line, other]);
    expect(low).toBeLessThanOrEqual(0.05);
    expect(high).toBeGreaterThanOrEqual(3);
    expect(bandRange([])).toEqual(bandRange([{ ...line, median: [null], low: [null], high: [null] }]));
  });

  it('have an axis that follows the lines where a band would make them flat, and cuts the band', () => {
    const wide = { ...line, low: [-40, 0.1, null], high: [0.2, 90, null] };
    const [low, high] = bandRange([wide], 'as-lines');
    expect([low, high]).toEqual([expect.closeTo(-0.02, 1), expect.closeTo(0.3, 1)]);
    expect((0.2 - 0.1) / (high - low)).toBeGreaterThan(0.2);
    expect([isBandCut([wide], [low, high]), isBandCut([line], bandRange([line], 'as-lines'))]).toEqual([true, false]);
    expect(bandRange([wide])[1]).toBeGreaterThan(90);
    // Level lines have no range of their own.
    const level = { ...line, median: [0.1, 0.1], low: [0, 0], high: [0.4, 0.4] };
    expect(bandRange([level], 'as-lines')).toEqual(bandRange([level]));
  });

  it('are texts', () => {
    expect(bandText(line, 1)).toBe('0.2 (0.15 to 0.251)');
    expect(bandText(line, 2)).toBe('–');
    // A line has no value after its end, also when others go on.
    expect([-0.1, 0, 0.5, 1, 2.1].map((hour) => bandTextAt(line, hour))).toEqual([
      '–',
      '0.1 (0.05 to 0.15)',
      '0.2 (0.15 to 0.251)',
      '0.2 (0.15 to 0.251)',
      '–',
    ]);
    expect(bandTextAt({ ...other, counts: [3, 2] }, 1)).toBe('2 (2 to 3), n = 2');
    const broken = { ...line, hours: [0, 5, 10], median: [1, null, 2], counts: [3, 1, 2] };
    expect([0, 2, 5, 7, 10].map((hour) => bandTextAt(broken, hour).split(', ')[1])).toEqual([
      'n = 3',
      ...[undefined, undefined, undefined],
      'n = 2',
    ]);
    expect(bandSummary('OD', 'AU', [other])).toBe('OD, AU, at the end: rx02 2 (2 to 3)');
    expect(bandSummary('OD', 'AU', [line])).toBe('OD, AU, at the end: fast 0.2 (0.15 to 0.251)');
  });
});
