import { settings } from '@lcs/domain';
import { expect, it } from 'vitest';
import { isNumberSetting, writtenNumber } from './number-setting.ts';

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

it('takes no version for a number, and no key that may have a word', () => {
  const isNumber = (section: string, key: string) =>
    settings.filter((one) => one.section === section && one.key === key).map(isNumberSetting);
  expect(isNumber('stirring.config', 'initial_target_rpm')).toEqual([true]);
  const named = settings.filter(({ value }) => 'names' in value && value.names !== undefined);
  expect(named.some(isNumberSetting)).toBe(false);
});
