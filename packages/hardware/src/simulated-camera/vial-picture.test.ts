import { decode } from 'jpeg-js';
import { expect, it } from 'vitest';
import type { VialView } from '../simulated/plant.ts';
import { jpegOf } from './jpeg.ts';
import { vialInside, vialPicture } from './vial-picture.ts';

const usual: VialView = { od: 0.5, volumeMl: 14, capacityMl: 20, rpm: 0, lightPercent: 80 };
const stamp = '2026-01-02T03:04:05';
const middle = (vialInside.left + vialInside.right) / 2;

/** Grey levels of the decoded file. */
function seen(view: Partial<VialView>) {
  const { width, height, data } = decode(jpegOf(vialPicture({ ...usual, ...view }, stamp)), { useTArray: true });
  const at = (x: number, y: number): number => data[(y * width + x) * 4] ?? Number.NaN;
  return { width, height, at };
}

/** Mean grey of a patch low in the liquid. */
function liquid(view: Partial<VialView>): number {
  const { at } = seen(view);
  let sum = 0;
  for (let y = 320; y < 340; y += 1) for (let x = middle - 10; x < middle + 10; x += 1) sum += at(x, y);
  return sum / 400;
}

/** Height of the liquid in a column, in pixels. */
function liquidHeight(view: Partial<VialView>, x: number): number {
  const { at } = seen(view);
  let rows = 0;
  for (let y = vialInside.top; y < vialInside.bottom; y += 1) if (at(x, y) > 70) rows += 1;
  return rows;
}

it('shows a denser culture brighter, all the way up', () => {
  const levels = [0, 0.05, 0.2, 0.5, 1, 2, 5, 10].map((od) => liquid({ od }));
  for (const [index, level] of levels.entries()) expect(level).toBeGreaterThan(levels[index - 1] ?? 0);
  expect((levels.at(-1) ?? 0) - (levels[0] ?? 0)).toBeGreaterThan(100);
});

it('is darker without the light', () => {
  expect(liquid({ lightPercent: 0 })).toBeLessThan(0.6 * liquid({ lightPercent: 80 }));
});

it('shows how full the vial is', () => {
  const half = liquidHeight({ volumeMl: 10, od: 3 }, middle);
  const full = liquidHeight({ volumeMl: 20, od: 3 }, middle);
  expect(half / full).toBeCloseTo(0.5, 1);
  expect(liquidHeight({ volumeMl: 0, od: 3 }, middle)).toBeLessThan(10);
});

it('shows the vortex of the stirrer: deeper in the middle than at the wall, and deeper the faster it turns', () => {
  const dip = (rpm: number) => liquidHeight({ rpm, od: 3 }, vialInside.left + 8) - liquidHeight({ rpm, od: 3 }, middle);
  expect(Math.abs(dip(0))).toBeLessThanOrEqual(3);
  expect(dip(500)).toBeGreaterThan(3);
  expect(dip(1200)).toBeGreaterThan(dip(500) + 10);
});

it('carries its time: another moment is another picture', () => {
  const first = vialPicture(usual, '2026-01-02T03:04:05');
  const again = vialPicture(usual, '2026-01-02T03:04:05');
  const later = vialPicture(usual, '2026-01-02T03:04:06');
  expect(again).toEqual(first);
  expect(later.grey).not.toEqual(first.grey);
  expect(first.grey[(10 + 1) * first.width + 11]).toBe(255);
});
