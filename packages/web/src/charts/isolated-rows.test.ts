import { expect, it } from 'vitest';
import { isolatedRows } from './isolated-rows.ts';

it('finds the points that would be invisible between two breaks', () => {
  expect(isolatedRows([1, null, 2, null, 3, undefined, 4, null, undefined, 5])).toEqual([0, 2, 9]);
});
