import type { LiveJob } from '@lcs/contract';
import { expect, it } from 'vitest';
import { openSessions } from './open-sessions.ts';

const job = (reactor_unit: string, settings: LiveJob['settings']): LiveJob => ({
  reactor_unit,
  experiment: 'a',
  job_name: 'od_calibration',
  job_id: 1,
  state: 'ready',
  reason: null,
  settings,
  since: '2026-11-26T12:00:00.000Z',
});

it('lists the sessions of all units, those that wait for a person first', () => {
  const jobs = [
    job('unit2', { session_id: 's2', percent_progress: 40, instruction: 'Reading the blank' }),
    job('unit10', { session_id: 's10', percent_progress: null, instruction: 'Place the blank' }),
    job('unit3', { session_id: 's3', instruction: 'The blank has a problem', problem: 'It drifted.' }),
    job('unit4', { target_rpm: 400 }),
  ];
  expect(openSessions(jobs, [])).toEqual([
    { unit: 'unit3', session: 's3', percent: null, text: 'It drifted.', procedure: null },
    { unit: 'unit10', session: 's10', percent: null, text: 'Place the blank', procedure: null },
    { unit: 'unit2', session: 's2', percent: 40, text: 'Reading the blank', procedure: null },
  ]);
});

it('lists a half-done procedure that no job carries out, and one that a job carries out once', () => {
  const pump = { title: 'Calibrate media pump (weigh)', target_device: 'media_pump' };
  const od = { title: 'Calibrate OD', target_device: 'od90' };
  const offered = [
    { unit: 'unit1', procedures: [{ ...pump, open_session: 's1' }, od] },
    { unit: 'unit2', procedures: [pump, { ...od, open_session: 's2' }] },
  ];
  expect(openSessions([job('unit2', { session_id: 's2', percent_progress: 40 })], offered)).toEqual([
    { unit: 'unit1', session: 's1', percent: null, text: '', procedure: pump },
    { unit: 'unit2', session: 's2', percent: 40, text: '', procedure: od },
  ]);
});
