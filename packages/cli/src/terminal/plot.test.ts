import { describe, expect, it } from 'vitest';
import { plot } from './plot.ts';

const dots = (row: string | undefined) =>
  [...(row?.split('│')[1] ?? '')].map((character) => (character.codePointAt(0) ?? 0) - 0x2800);

describe('a plot in a terminal', () => {
  it('puts the oldest left, the newest right, the highest on top', () => {
    const [heading, top, bottom] = plot(
      [
        {
          label: 'u1',
          points: [
            [0, 1],
            [1000, 3],
          ],
        },
      ],
      { columns: 4, rows: 2 },
    );
    expect(heading).toBe('u1  (newest 3.00)');
    expect(dots(top)).toEqual([0, 0, 0, 0x08]);
    expect(dots(bottom)).toEqual([0x40, 0, 0, 0]);
    expect(top?.startsWith('3.00 │')).toBe(true);
    expect(bottom?.startsWith('1.00 │')).toBe(true);
  });

  it('draws a line of equal values in the middle', () => {
    const rows = plot(
      [
        {
          label: 'u1',
          points: [
            [0, 5],
            [1000, 5],
          ],
        },
      ],
      { columns: 2, rows: 3 },
    ).slice(1);
    const drawn = rows.map(dots).map((row) => row.some((bits) => bits !== 0));
    expect(drawn).toEqual([false, true, false]);
  });

  it('leaves out lines without points, and is empty when there are none', () => {
    expect(plot([{ label: 'u1', points: [] }], { columns: 4, rows: 2 })).toEqual([]);
    expect(
      plot(
        [
          { label: 'u1', points: [] },
          { label: 'u2', points: [[0, 1]] },
        ],
        { columns: 4, rows: 2 },
      ),
    ).toHaveLength(3);
  });

  it('gives all lines the same time axis', () => {
    const lines = plot(
      [
        {
          label: 'u1',
          points: [
            [0, 1],
            [500, 2],
          ],
        },
        {
          label: 'u2',
          points: [
            [500, 1],
            [1000, 2],
          ],
        },
      ],
      { columns: 4, rows: 1 },
    );
    expect(dots(lines[1])[3]).toBe(0);
    expect(dots(lines[3])[0]).toBe(0);
  });
});
