import { describe, expect, it } from 'vitest';
import { age } from './units.ts';

describe('the age of a status', () => {
  it.each([
    [0, '0 s'],
    [119_400, '119 s'],
    [120_000, '2 min'],
    [7_200_000, '2 h'],
    [172_800_000, '2 d'],
    [-5_000, '0 s'],
  ])('%i ms: %s', (ms, text) => {
    expect(age(1_000_000, 1_000_000 + ms)).toBe(text);
  });
});
