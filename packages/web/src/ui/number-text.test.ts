import { expect, it } from 'vitest';
import { numberFromText, numberTexts, withLocalNumbers } from './number-text.ts';

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

const meant = (locale: string, texts: readonly string[], unit?: string) =>
  texts.map((text) => numberFromText(text, locale, unit));

it.each(['en-GB', 'de-DE', 'fr-FR', 'de-CH'])('reads one separator as the decimal separator: %s', (locale) => {
  expect(meant(locale, ['0,4', '0.4', ' 12 ', '-0,4', '−0.4', '0,405', '0.405', '1234,567', '12.5', '+3'])).toEqual([
    ...[0.4, 0.4, 12, -0.4, -0.4, 0.405, 0.405, 1234.567, 12.5, 3],
  ]);
  expect(meant(locale, ['.5', '3,', '1e-1', '2.5E3', '\u00a00,4\u202f', '1 234 567'])).toEqual([
    ...[0.5, 3, 0.1, 2500, 0.4, 1_234_567],
  ]);
});

it('reads groups of thousands as the locale writes them', () => {
  expect(meant('en-GB', ['1,234.5', '1,234,567', '-1,234.5', '1.234'])).toEqual([1234.5, 1_234_567, -1234.5, 1.234]);
  expect(meant('de-DE', ['1.234,5', '1.234.567', '-1.234,5', '1,234'])).toEqual([1234.5, 1_234_567, -1234.5, 1.234]);
  expect([numberFromText('1 234,5', 'fr-FR'), numberFromText('1\u202f234,5', 'fr-FR')]).toEqual([1234.5, 1234.5]);
});

it('refuses a text that may be two numbers, or is none', () => {
  expect([numberFromText('1,234', 'en-GB'), numberFromText('1.234', 'de-DE')]).toEqual([undefined, undefined]);
  expect(meant('en-GB', ['1.234,5', '1,23.4', '12,34', '1.2.3', '0,4,5']).map((value) => value ?? null)).toEqual([
    ...[null, null, 12.34, null, null],
  ]);
  const none = ['', '-', 'x', '0.4 AU', '3 4', '1 23', '0x10', 'Infinity', '1e999', '1,234e2,5'];
  expect(meant('en-GB', none)).toEqual(none.map(() => undefined));
});

it('takes a number with the unit of its field, and no other', () => {
  expect(meant('de-DE', ['0.4 AU', '0,4\u00a0AU', '0,4AU', '0,4'], 'AU')).toEqual([0.4, 0.4, 0.4, 0.4]);
  expect(meant('de-DE', ['100 µL', '5 L'], 'mL')).toEqual([undefined, undefined]);
});

it('of a sentence with a decimal point the numbers that come as fields are written as people write them, and no others', () => {
  const rule = 'The biomass 1.005 (od) reached the target of 0.4, so 0.5 mL are exchanged.';
  const fields = [1.00497, { target_biomass: 0.4, exchange_volume_ml: 0.5, biomass_signal: 'od' }, null, undefined];
  expect(withLocalNumbers(rule, fields, ',')).toBe(
    'The biomass 1,005 (od) reached the target of 0,4, so 0,5 mL are exchanged.',
  );
  expect(withLocalNumbers(rule, fields, '.')).toBe(rule);
  expect(withLocalNumbers('Ended at 0.4.', [0.4], ',')).toBe('Ended at 0,4.');
  expect(withLocalNumbers('−0.25 mL', [-0.25], ',')).toBe('−0,25 mL');
  for (const text of ['lcs 26.11.0', 'version 26.1', '10.0.0.4:4999', 'od0.4', '0.44 mL', 'p0.4.yaml'])
    expect(withLocalNumbers(text, [0.4, 4999], ',')).toBe(text);
});
