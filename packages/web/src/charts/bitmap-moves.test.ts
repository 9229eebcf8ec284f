import { expect, it } from 'vitest';
import { bitmapMove } from './bitmap-moves.ts';

const shown = { fromMs: 1000, toMs: 2000 };

it('a moved window keeps its pixels and draws what is uncovered', () => {
  expect(bitmapMove(shown, { fromMs: 1025, toMs: 2025 }, 100)).toEqual({
    is: 'shift',
    byPx: -2,
    shows: { fromMs: 1020, toMs: 2020 },
    uncovered: [{ fromPx: 98, toPx: 100 }],
  });
  expect(bitmapMove(shown, { fromMs: 900, toMs: 1900 }, 100)).toMatchObject({
    byPx: 10,
    shows: { fromMs: 900 },
    uncovered: [{ fromPx: 0, toPx: 10 }],
  });
  expect(bitmapMove(shown, { fromMs: 1004, toMs: 2004 }, 100)).toMatchObject({ byPx: 0, shows: shown, uncovered: [] });
});

it('changed readings are drawn again', () => {
  expect(bitmapMove(shown, { fromMs: 1020, toMs: 2020 }, 100, 1955)).toMatchObject({
    uncovered: [{ fromPx: 93, toPx: 100 }],
  });
  expect(bitmapMove(shown, shown, 100, Number.NEGATIVE_INFINITY)).toMatchObject({
    uncovered: [{ fromPx: 0, toPx: 100 }],
  });
  // They are later than the window.
  expect(bitmapMove(shown, shown, 100, 2500)).toMatchObject({ uncovered: [] });
});

it('a wider or narrower window stretches the picture as long as it shows enough', () => {
  expect(bitmapMove(shown, { fromMs: 1250, toMs: 1750 }, 100)).toEqual({ is: 'stretch', leftPx: -50, factor: 2 });
  expect(bitmapMove(shown, { fromMs: 1450, toMs: 1550 }, 100)).toEqual({ is: 'redraw' });
  expect(bitmapMove(shown, { fromMs: 0, toMs: 4000 }, 100)).toMatchObject({ is: 'stretch', factor: 0.25 });
  expect(bitmapMove(shown, { fromMs: 0, toMs: 6000 }, 100)).toEqual({ is: 'redraw' });
  expect(bitmapMove(shown, { fromMs: 2500, toMs: 3500 }, 100)).toEqual({ is: 'redraw' });
});
