import { expect, it } from 'vitest';
import { actionText, commandText, stopsOf } from './actions.ts';

const text = (operation: string, job: string | null, body: object | null = null, unit: string | null = 'unit1') =>
  actionText({ operation, job, body: body && JSON.stringify(body), unit, units: null });

it('says what was started with which settings, in the words and units of the job', () => {
  const started = text('runWorkerJob', 'stirring', { options: { target_rpm: 600 } });
  expect(started).toMatch(/^Stirring started: .*RPM 600$/);
  expect(started).not.toContain('_');
  // The settings of an automation are entries of their own.
  expect(text('runWorkerJob', 'temperature_automation', { options: { automation_name: 'thermostat' } })).toBe(
    'Temperature control started',
  );
  expect(text('runUnitJobPatch', 'od_reading', null, '$broadcast')).toMatch(/ started on several units$/);
  const chosen = { operation: 'stopWorkerJob', job: 'stirring', body: null, unit: '$broadcast' };
  const on = (...units: string[]) => actionText({ ...chosen, units: JSON.stringify(units) });
  expect(on('unit1', 'unit2')).toBe('Stirring stopped on unit1 and unit2');
  expect(on('unit1')).toBe('Stirring stopped on unit1');
  expect(on('a', 'b', 'c', 'd')).toBe('Stirring stopped on 4 units (a, b, c, …)');
  expect(text('updateWorkerJob', 'stirring', { settings: { target_rpm: 712.34567 } })).toContain('RPM 712.3');
  expect(text('updateWorkerJob', 'stirring', { settings: { $state: 'sleeping' } })).toBe('Stirring paused');
  expect(text('runWorkerJob', 'a_plugin', { options: { is_on: true, nothing: null } })).toBe(
    'A plugin started: is on on',
  );
});

it('says what was stopped, and what happened to units', () => {
  expect(text('stopWorkerJob', 'stirring')).toBe('Stirring stopped');
  expect(text('stopEverywhere', null, { what: 'pumps' }, null)).toContain('pumps');
  expect(text('stopEverywhere', null, { what: 'everything' }, null)).toContain('Everything');
  const others = [
    'stopUnitJobsOfExperiment',
    'assignWorker',
    'unassignWorker',
    'unassignAllWorkers',
    'updateBioreactor',
    'stopProfileRun',
  ];
  expect(new Set(others.map((operation) => text(operation, null)))).toHaveLength(others.length);
});

it('says which volumes of vial and bottles were corrected, and to what', () => {
  const corrected = (values: object) => text('updateBioreactor', null, { values });
  expect(corrected({ media_bottle_left_ml: 250 })).toMatch(/^Bottles .*: medium left 250 mL$/);
  expect(corrected({ media_bottle_left_ml: 250, current_volume_ml: 12.5, alt_media_fraction: 0.2 })).toMatch(
    /^Volumes of the vial .*: volume 12.5 mL, fraction of the alternative medium 0.2, medium left 250 mL$/,
  );
});

it('says which requests stop all jobs, and with them the run of a profile', () => {
  const stops = (operation: string, unit: string | null, what?: string, units: string | null = null) =>
    stopsOf({ operation, unit, units, body: what === undefined ? null : JSON.stringify({ what }) });
  expect(stops('stopEverywhere', null, 'everything')).toBe('everything');
  expect(stops('stopEverywhere', null, 'pumps')).toBeNull();
  expect(stops('stopWorkerJobsOfExperiment', '$broadcast')).toBe('experiment');
  expect(stops('stopWorkerJobsOfExperiment', '$broadcast', undefined, '["unit1"]')).toBeNull();
  expect(stops('stopWorkerJobsOfExperiment', 'unit1')).toBeNull();
  expect(stops('stopWorkerJob', '$broadcast')).toBeNull();
});

it('does not say that something was done which was refused or failed', () => {
  const start = { operation: 'runWorkerJob', job: 'dosing_automation', body: null, unit: 'unit1', units: null };
  const became = (failure_code: string | null, failed_units: string | null, change: object = {}) =>
    commandText({ ...start, ...change, failure_code, failed_units });
  expect(became(null, null)).toBe('Dosing started');
  expect(became('dilution_not_confirmed', null)).toMatch(/^Dosing not started: it would dilute/);
  expect(became('connection_error', null, { operation: 'stopWorkerJob' })).toMatch(/^Dosing not stopped: /);
  const units = JSON.stringify(['unit1', 'unit3']);
  const several = { unit: '$broadcast', units };
  expect(became('job_already_running', units, several)).toMatch(/^Dosing not started on unit1 and unit3: /);
  expect(became('job_already_running', JSON.stringify(['unit3']), several)).toMatch(
    /^Dosing started on unit1 and unit3; failed on unit3: /,
  );
  expect(became('x_y', null, { operation: 'stopWorkerJobsOfExperiment' })).toMatch(/^Not done: .*: x y$/);
});

it('names doses by what is done, with their amount, and not by the program that asked', () => {
  const dose = (options: object) =>
    text('runWorkerJob', 'add_media', { options: { ...options, source_of_event: 'UI' } });
  expect(dose({ ml: 1 })).toBe('Adding medium started: 1 mL');
  expect(dose({ duration: 2.5 })).toBe('Adding medium started: 2.5 s');
  expect(text('stopWorkerJob', 'od_calibration')).toBe('OD calibration stopped');
});

it('reads a body that was recorded in part as one without settings', () => {
  expect(
    actionText({ operation: 'runWorkerJob', job: 'stirring', body: '{"options":{"target', unit: 'u', units: null }),
  ).toBe('Stirring started');
});
