import { expect, it } from 'vitest';
import { changeText, outputText, reasonText } from './actuation-text.ts';

it('an actuation has a short text', () => {
  const change = { output: 'heater', to: 35, from: 20, unit: '%', refused: null };
  expect(changeText(change)).toBe('20 → 35 %');
  expect(changeText({ ...change, to: 0.50001, from: null, unit: 'mL' })).toBe('0.5 mL');
  expect(changeText({ ...change, to: null, from: null })).toBe('on until stopped');
  const run = { output: 'media_pump', to: 0.4, from: null, unit: 'mL', refused: null };
  const pumped = (volume_ml: number, state: 'pumping' | 'stopped' | 'ended', more: object = {}) =>
    changeText({ ...run, ...more, pumped: { volume_ml, state } });
  expect(pumped(0.1208, 'stopped')).toBe('0.121 mL (0.4 mL requested, stopped)');
  expect(pumped(0.12, 'pumping', { to: null })).toBe('0.12 mL (pumping…)');
  expect([pumped(0.406, 'ended'), pumped(0.398, 'ended')]).toEqual(['0.406 mL (0.4 mL requested)', '0.398 mL']);
  expect(pumped(0.3, 'ended', { output: 'waste_pump' })).toBe('0.3 mL');
  expect(changeText({ ...change, to: 30.123456, from: 25, unit: '℃' })).toBe('25 → 30.12 °C');
  expect(changeText({ ...change, refused: 'The vial is full.' })).toBe('refused: 35 %');
  expect([outputText('alt_media_pump'), outputText('strange')]).toEqual(['Alternative medium pump', 'strange']);
});

it('says in short why an output was driven, without names of the API', () => {
  const by = { source_of_event: null, started_by: null, output: 'waste_pump', settings: null };
  expect(
    reasonText({
      ...by,
      source_of_event: 'dosing_automation:turbidostat',
      rule: 'The biomass 1.005 (od_filtered) reached the target.',
    }),
  ).toBe('Turbidostat: The biomass 1.005 (od filtered) reached the target.');
  expect(reasonText({ ...by, rule: 'The job was stopped.' })).toBe('The job was stopped.');
  expect(reasonText({ ...by, rule: null })).toBe('Set by hand');
  expect(reasonText({ ...by, source_of_event: 'user', rule: null })).toBe('Set by hand');
  expect(reasonText({ ...by, source_of_event: 'experiment_profile/3', rule: null })).toBe(
    'Set by an experiment profile',
  );
  expect(reasonText({ ...by, source_of_event: 'UI', started_by: 'ada', rule: null })).toBe('Set by hand (ada)');
  // Nobody sets what a job does that goes on by itself; what is requested of it later, by whomever, has another value before.
  const resumed = { ...by, output: 'stirrer', source_of_event: 'resume', rule: null, started_by: 'ada', to: 300 };
  expect(reasonText({ ...resumed, from: 0 })).toBe('Continued after a restart');
  expect(reasonText({ ...resumed, from: 500 })).toBe('Set on request, in a job that continued after a restart');
  // The waste of a dose, and the longer run after it, have one rule.
  const extra = { ...by, rule: 'The biomass reached the target.', settings: { waste_removal_multiplier: 2 } };
  expect(reasonText(extra)).toMatch(/^Sets the level after the dose: draws air/);
  expect(reasonText({ ...extra, output: 'media_pump' })).not.toMatch(/air/);
});
