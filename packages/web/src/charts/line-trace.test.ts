import { describe, expect, it } from 'vitest';
import { lineTrace, type Projection } from './line-trace.ts';

/** A pixel a millisecond, and ten pixels a unit from the top. */
const projection: Projection = {
  fromMs: 0,
  toMs: 100,
  left: 0,
  width: 100,
  top: 0,
  height: 100,
  yOf: (value) => (value < 0 ? Number.NaN : 100 - 10 * value),
};
const straight = { isStepped: false };
const trace = (x: number[], y: number[], breaks: number[] = [], isStepped = false) =>
  lineTrace({ x, y }, breaks, projection, { isStepped });

describe('the drawing of a line', () => {
  it('goes straight from reading to reading, on to one beyond each edge', () => {
    expect(trace([-150, -70, 10, 90, 130, 250], [1, 2, 3, 4, 5, 6]).paths).toEqual([
      [-150, 90, -70, 80, 10, 70, 90, 60, 130, 50, 250, 40],
    ]);
  });

  it('is the same in a part as in the whole, and in a moved window', () => {
    // Dense first, then not.
    const x = Array.from({ length: 2400 }, (_, index) => (index < 2300 ? index / 10 : 230 + 3 * (index - 2300)));
    const points = { x, y: x.map((ms, index) => 5 + Math.sin(ms) + (index % 3)) };
    const wide = { ...projection, toMs: 400, width: 400, yOf: (value: number) => 100 - 10 * value };
    const moved = { ...wide, fromMs: 37, toMs: 437 };
    const inside = (path: readonly number[] = [], byPx: number) =>
      path.flatMap((value, at) =>
        at % 2 === 0 && value + byPx > 200 && value + byPx < 260 ? [[value + byPx, path[at + 1]]] : [],
      );
    const expected = inside(lineTrace(points, [], wide, straight).paths[0], 0);
    const part = { fromMs: 200, toMs: 260 };
    expect(expected.length).toBeGreaterThan(10);
    expect(inside(lineTrace(points, [], wide, { ...straight, part }).paths[0], 0)).toEqual(expected);
    const shifted = inside(lineTrace(points, [], moved, { ...straight, part }).paths[0], 37).flat();
    for (const [at, value] of expected.flat().entries()) expect(shifted[at]).toBeCloseTo(value ?? Number.NaN, 6);
  });

  it('keeps a set value until the next one', () => {
    expect(trace([10, 20, 30], [1, 2, 1], [], true).paths).toEqual([[10, 90, 20, 90, 20, 80, 30, 80, 30, 90]]);
  });

  it('is broken by pauses and by what the axis cannot show; a single reading is a dot', () => {
    const { paths, dots } = trace([10, 20, 50, 60, 70, 90], [1, 1, 2, -1, 3, 3], [35]);
    expect(paths).toEqual([
      [10, 90, 20, 90],
      [70, 70, 90, 70],
    ]);
    expect(dots).toEqual([[50, 80]]);
  });

  it('goes through the middle of readings that are denser than pixels, and shows their spread', () => {
    const x = Array.from({ length: 400 }, (_, index) => index / 4);
    const { paths, envelopes } = trace(
      x,
      x.map((_, index) => 4 + (index % 2)),
    );
    const ys = paths[0]?.filter((_, index) => index % 2 === 1) ?? [];
    expect(ys).toHaveLength(25);
    expect(new Set(ys.map((y) => Math.round(y)))).toEqual(new Set([55]));
    const edges = envelopes[0]?.filter((_, index) => index % 2 === 1) ?? [];
    expect([Math.min(...edges), Math.max(...edges)]).toEqual([50, 60]);
  });

  it('marks where readings are outside of the shown values', () => {
    const { above, below } = lineTrace(
      { x: [10, 11, 12, 60], y: [11, 12, 11, 20] },
      [],
      { ...projection, yOf: (value) => (value === 20 ? 500 : 100 - 10 * value) },
      straight,
    );
    expect(above).toEqual([10]);
    expect(below).toEqual([60]);
  });
});
