import { expect, it } from 'vitest';
import { actuationSentence } from './actuation-sentence.ts';

const facts = {
  timestamp: '2026-05-02T09:14:03.120Z',
  reactor_unit: 'rx01',
  experiment: 'salt',
  output: 'media_pump',
  to: 0.5,
  from: null,
  unit: 'mL',
  refused: null,
  source_of_event: 'dosing_automation:pid_morbidostat',
  job_name: 'dosing_automation',
  job_id: 1,
  job_source: 'user',
  started_by: null,
  rule: 'The growth rate is above its target.',
  reading: null,
  calibration: null,
};
const settingsIn = (settings: Readonly<Record<string, unknown>>, source?: string) =>
  /settings ([^;)]*)/.exec(
    actuationSentence({
      ...facts,
      settings,
      reading: source === undefined ? null : { source, channel: null, value: 1.1, timestamp: null },
    }),
  )?.[1];

it('names who started the job, which another person may have stopped', () => {
  const stopped = {
    ...facts,
    settings: null,
    source_of_event: 'UI',
    started_by: 'ana',
    rule: 'The job was stopped by tek.',
  };
  expect(actuationSentence(stopped)).toMatch(/because the job was stopped by tek \(.*its job was started for ana\)\.$/);
});

it('the settings of a decision have their units', () => {
  expect(settingsIn({ duration: 20, exchange_volume_ml: 0.5 })).toBe('duration 20 min, exchange_volume_ml 0.5 mL');
  expect(settingsIn({ target_growth_rate: 0.1, target_normalized_od: 1.5 })).toBe(
    'target_growth_rate 0.1 1/h, target_normalized_od 1.5 × start OD',
  );
  expect(settingsIn({ light_intensity: 5, light_duration_minutes: 10 })).toBe(
    'light_intensity 5 %, light_duration_minutes 10 min',
  );
  expect(settingsIn({ target_temperature: 37.00000001 })).toBe('target_temperature 37 °C');
});

it('a target of density has the unit of its signal; what has none is shown as it is', () => {
  expect(settingsIn({ target_biomass: 2 }, 'normalized_od')).toBe('target_biomass 2 × start OD');
  expect(settingsIn({ target_biomass: 0.4 }, 'od')).toBe('target_biomass 0.4');
  expect(settingsIn({ automation_name: 'silent', waste_removal_multiplier: 2 })).toBe(
    'automation_name silent, waste_removal_multiplier 2',
  );
});
