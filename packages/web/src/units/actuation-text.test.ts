import { expect, it } from 'vitest';
import { changeText, outputText } from './actuation-text.ts';

it('an actuation has a short text', () => {
  const change = { to: 35, from: 20, unit: '%', refused: null };
  expect(changeText(change)).toBe('20 → 35 %');
  expect(changeText({ ...change, to: 0.50001, from: null, unit: 'mL' })).toBe('0.5 mL');
  expect(changeText({ ...change, to: null, from: null })).toBe('on until stopped');
  expect(changeText({ ...change, to: 30.123456, from: 25, unit: '℃' })).toBe('25 → 30.12 °C');
  expect(changeText({ ...change, refused: 'The vial is full.' })).toBe('refused: 35 %');
  expect([outputText('alt_media_pump'), outputText('strange')]).toEqual(['Alternative media pump', 'strange']);
});
