import type { LiveJob } from '@lcs/contract';
import { expect, it } from 'vitest';
import { blankState, blankText, sessionOn } from './blank-runs.ts';

const job = (settings: LiveJob['settings']): LiveJob => ({
  reactor_unit: 'unit1',
  experiment: 'ramp',
  job_name: 'od_calibration',
  job_id: 7,
  state: 'ready',
  since: '2026-11-26T12:00:00.000Z',
  reason: null,
  settings,
});

it('is followed by what its job publishes', () => {
  expect(blankState([], 'unit1')).toEqual({ phase: 'ended' });
  expect(blankState([job({})], 'unit2')).toEqual({ phase: 'ended' });
  const measuring = [job({ step_id: 'place_blank', percent_progress: 40, session_id: 's1' })];
  expect(blankState(measuring, 'unit1')).toEqual({ phase: 'measuring', percent: 40 });
  expect(sessionOn(measuring, 'unit1')).toBe('s1');
  expect(sessionOn([job({})], 'unit1')).toBeUndefined();
  expect(blankState([job({ step_id: 'review', instruction: 'It drifted.' })], 'unit1')).toEqual({
    phase: 'doubtful',
    problem: 'It drifted.',
  });
  expect(blankState([job({ problem: 'No signal.' })], 'unit1')).toEqual({ phase: 'doubtful', problem: 'No signal.' });
});

it('has one value for each photodiode', () => {
  expect(blankText({ means: { '2': 0.01213 }, noise: { '2': 0.000214 } })).toBe('photodiode 2: 0.0121 ± 0.00021 V');
  expect(blankText({})).toBe('');
});
