import { expect, it } from 'vitest';
import { numberTexts, typedNumber } from './number-text.ts';

const german = numberTexts('de-DE');
const british = numberTexts('en-GB');

it('writes numbers in the language of the browser', () => {
  expect([german.fixedText(0.4, 2), british.fixedText(0.4, 2)]).toEqual(['0,40', '0.40']);
  expect([german.digitsText(0.123456, 3), british.digitsText(0.123456, 3)]).toEqual(['0,123', '0.123']);
  expect([german.countText(12_345), british.countText(12_345)]).toEqual(['12.345', '12,345']);
  expect([german.decimalSeparator, british.decimalSeparator]).toEqual([',', '.']);
});

it('writes a true minus, and none before a zero', () => {
  expect([-0.0004, -0.5, 12.345].map((value) => german.fixedText(value, 2))).toEqual(['0,00', '−0,50', '12,35']);
  expect(british.digitsText(-12.3456, 3)).toBe('−12.3');
});

it('rounds to decimals without zeros at the end', () => {
  expect([german.roundText(37.04, 1), german.roundText(36.55, 1), british.roundText(-0.01, 1)]).toEqual([
    ...['37', '36,6', '0'],
  ]);
});

it('groups only counts, and shows no more digits than mean something', () => {
  expect([german.fixedText(12_345.6, 1), german.digitsText(12_345, 2)]).toEqual(['12345,6', '12000']);
  expect([british.digitsText(0.000_012_34, 2), british.digitsText(0, 3)]).toEqual(['0.000012', '0']);
});

it('reads a decimal point and a decimal comma', () => {
  expect([typedNumber('0,4'), typedNumber('0.4'), typedNumber(' 12 ')]).toEqual([0.4, 0.4, 12]);
  expect([typedNumber(''), typedNumber('x')]).toEqual([Number.NaN, Number.NaN]);
});
