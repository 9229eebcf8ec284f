import { describe, expect, it } from 'vitest';
import { type ChartMark, marksAt, placedMarks, shownTargets, targetsOnAxis } from './plot-events.ts';

const range = { fromMs: 0, toMs: 1000 };
const mark = (atMs: number, more: Partial<ChartMark> = {}): ChartMark => ({
  id: 'a',
  atMs,
  untilMs: null,
  kind: 'dose',
  unit: 'rx1',
  text: `at ${atMs}`,
  ...more,
});

describe('marks on a chart', () => {
  it('are drawn in the window only, each kind in its shape', () => {
    const placed = placedMarks(
      [
        mark(-1),
        mark(100),
        mark(200, { kind: 'note' }),
        mark(300, { kind: 'profile' }),
        mark(-50, { kind: 'interruption', untilMs: 50 }),
        mark(1001),
      ],
      range,
      500,
    );
    expect(placed.map(({ shape, left }) => [shape, left])).toEqual([
      ['tick', 50],
      ['flag', 100],
      ['line', 150],
      ['span', -25],
    ]);
    expect(placed.at(-1)?.width).toBe(50);
  });

  it('become a density where there are too many, and none is lost', () => {
    const doses = [...Array.from({ length: 30 }, (_, index) => mark(500 + index / 100)), mark(900, { unit: 'rx2' })];
    const placed = placedMarks(doses, range, 500);
    expect(placed.map(({ density }) => density)).toEqual([1, 1 / 30]);
    expect(placed.flatMap(({ marks }) => marks)).toHaveLength(31);
    expect(placed.map(({ unit }) => unit)).toEqual(['rx1', 'rx2']);
    expect(placedMarks([mark(5), mark(5, { unit: 'rx2' })], range, 500)[0]?.unit).toBeNull();
  });

  it('are found at the pointer, the nearest first', () => {
    const placed = placedMarks([mark(100), mark(110, { kind: 'alarm' }), mark(400)], range, 500);
    expect(marksAt(placed, 56).map(({ atMs }) => atMs)).toEqual([110, 100]);
    expect(marksAt(placed, 120)).toEqual([]);
    const off = placedMarks([mark(200, { kind: 'interruption', untilMs: 600 })], range, 500);
    expect(marksAt(off, 250)).toHaveLength(1);
  });
});

it('cuts targets to the window', () => {
  const targets = [
    { unit: 'rx1', fromMs: -500, toMs: 200, value: 0.3 },
    { unit: 'rx1', fromMs: 200, toMs: null, value: 0.4 },
    { unit: 'rx2', fromMs: 1500, toMs: null, value: 0.5 },
  ];
  expect(shownTargets(targets, range)).toEqual([
    { unit: 'rx1', fromMs: 0, toMs: 200, value: 0.3 },
    { unit: 'rx1', fromMs: 200, toMs: 1000, value: 0.4 },
  ]);
});

it('leaves targets out of the axis that were a slip, or far from all readings', () => {
  const target = (value: number, fromMs: number, toMs: number | null) => ({ unit: 'rx1', fromMs, toMs, value });
  const values = (targets: readonly ReturnType<typeof target>[]) =>
    targetsOnAxis(targets, range, [0.2, 0.3], [0, 1]).map(({ value }) => value);
  expect(values([target(0.4, 0, 500), target(5, 500, 505), target(0.4, 505, null)])).toEqual([0.4, 0.4]);
  // One that is in force is a slip that still counts, unless it makes the curves flat.
  expect(values([target(5, 995, null), target(99_999, 0, null)])).toEqual([5]);
  expect(values([target(0.4, -500, -1), target(0.4, 1001, null)])).toEqual([]);
  // A new culture has readings near zero.
  expect(targetsOnAxis([target(0.5, 0, null)], range, [0, 0.001], [0, 1])).toHaveLength(1);
});
