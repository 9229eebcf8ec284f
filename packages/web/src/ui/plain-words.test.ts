import { expect, it } from 'vitest';
import { localText } from '../time/moment-text.ts';
import { plainWords, withJobInWords } from './plain-words.ts';

it('a sentence may begin with the name of a job; names of people and units stay', () => {
  expect(withJobInWords('dosing_automation was not started.')).toBe('Dosing was not started.');
  expect(withJobInWords('my_unit did not answer od_reading.')).toBe('my_unit did not answer od_reading.');
});

it('replaces names of programs and moments in UTC', () => {
  expect(plainWords('Afterwards od_reading went on; dosing_automation and my_job wait.')).toBe(
    'Afterwards OD reading went on; dosing and my job wait.',
  );
  expect(plainWords('off since 2026-11-22T15:26:50.179Z.')).toBe(
    `off since ${localText(Date.parse('2026-11-22T15:26:50.179Z'))}.`,
  );
  expect(plainWords('The biomass 0.1 (od), biomass signal od, od-1')).toBe(
    'The biomass 0.1 (OD), biomass signal OD, od-1',
  );
  expect(plainWords('The liquid is at 24.9 ℃, 25 °C')).toBe('The liquid is at 24.9 °C, 25 °C');
  expect(plainWords('unit-1: OD 0.5, U_1')).toBe('unit-1: OD 0.5, U_1');
});
