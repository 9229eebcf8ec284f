import { expect, it } from 'vitest';
import { writtenNumber } from './number-setting.ts';

it('writes a number with a point, in whichever language it is typed', () => {
  expect(['0,03', '0.03', ' 500 ', ''].map((typed) => writtenNumber(typed, 'de-DE'))).toEqual([
    '0.03',
    '0.03',
    '500',
    '',
  ]);
});

it('keeps what may be two numbers one that no rule accepts', () => {
  const written = [writtenNumber('1.234', 'de-DE'), writtenNumber('1,234', 'en-GB'), writtenNumber('0.4 AU', 'en-GB')];
  expect(written.map(Number)).toEqual([Number.NaN, Number.NaN, Number.NaN]);
});
