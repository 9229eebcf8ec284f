import { expect, it } from 'vitest';
import { sizeText } from './size-text.ts';

it('bytes have a readable unit', () => {
  expect([0, 999, 1000, 14_234_567, 3e12].map(sizeText)).toEqual(['0 B', '999 B', '1.00 kB', '14.2 MB', '3.00 TB']);
});
