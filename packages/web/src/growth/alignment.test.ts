import { expect, it } from 'vitest';
import { alignmentOf, alignmentText } from './alignment.ts';

it('is the same after it was written to an address; what means nothing is the start', () => {
  for (const text of ['start', 'first-dilution', 'od:0.1']) expect(alignmentText(alignmentOf(text))).toBe(text);
  for (const text of ['od:', 'od:-1', 'od:NaN', 'od:1e9', 'nothing', 7, undefined])
    expect(alignmentOf(text)).toEqual({ on: 'start' });
});
