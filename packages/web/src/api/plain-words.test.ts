import { expect, it } from 'vitest';
import { localText } from '../time/moment-text.ts';
import { forPeople, plainSentence, plainWords } from './plain-words.ts';

it('a sentence may begin with the name of a job', () => {
  expect(plainSentence('dosing_automation was not started.')).toBe('Dosing was not started.');
  expect(plainSentence('unit1 did not answer od_reading.')).toBe('unit1 did not answer OD reading.');
});

it.each([
  ['Continue that session, or abort it (POST …/calibrations/sessions/7/abort).', 'Continue that session, or abort it.'],
  ['List /api/units and pick one of them.', ''],
  ['Nothing was done. Compare desired_version at /api/units.', 'Nothing was done.'],
  ['No answer to PUT /unit_api/desired from rx1.', 'No answer from rx1.'],
  ['od_reading is running. waste_pump (PWM 4) is free.', 'OD reading is running. Waste pump (PWM 4) is free.'],
  ['Set allow_install=1 in the section [plugins].', 'Set allow_install=1 in the section [plugins].'],
  ['DosingStarted: 1 mL of medium in. Or.', '1 mL of medium in. Or.'],
  ['RxOne: it doses.', 'RxOne: it doses.'],
  ['Clean with POST-it notes and/or water.', 'Clean with POST-it notes and/or water.'],
])('%s: people read what they can do', (sent, read) => {
  expect(forPeople(sent)).toBe(read);
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
