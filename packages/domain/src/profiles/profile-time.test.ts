import { expect, it } from 'vitest';
import { profileTime } from './profile-time.ts';

it.each([
  [0, 0],
  [1.5, 5_400_000],
  ['10s', 10_000],
  [' 15M ', 900_000],
  ['1.5h', 5_400_000],
  ['.5h', 1_800_000],
  ['2d', 172_800_000],
])('%j is %i ms', (value, ms) => {
  expect(profileTime(value)).toEqual({ ok: true, ms });
});

it.each(['', '5', '1 h', '+1h', '1e3s', '1.h', 'h', '1w', '99999999d'])('%j is no time', (value) => {
  expect(profileTime(value)).toEqual({ ok: false, is: 'invalid' });
});

it.each([-0.1, '-1s', '-0.5h'])('%j is negative', (value) => {
  expect(profileTime(value)).toEqual({ ok: false, is: 'negative' });
});
