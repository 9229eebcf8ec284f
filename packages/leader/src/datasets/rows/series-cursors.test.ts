import { expect, it } from 'vitest';
import { batchFor } from './series-cursors.ts';

it.each([
  [1, 1_000, 1_000],
  [200, 1_000, 1_000],
  [2_000, 1_000, 100],
  [1_000_000, 1_000, 10],
  [1_000_000, 3, 3],
  [0, 1_000, 1_000],
])('of %i series read side by side, at most %i rows each, %i are read at a time', (lines, wanted, batch) => {
  expect(batchFor(lines, wanted)).toBe(batch);
});
