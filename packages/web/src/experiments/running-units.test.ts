import type { LiveJob } from '@lcs/contract';
import { expect, it } from 'vitest';
import { activityText, byActivity, runningExperiments, unitsThatRun } from './running-units.ts';

const job = (reactor_unit: string, job_name: string, state: LiveJob['state'] = 'ready'): LiveJob => ({
  reactor_unit,
  experiment: 'a',
  job_name,
  job_id: 1,
  state,
  since: '2026-05-02T09:14:03.120Z',
  reason: null,
  settings: {},
});
const assignments = ['u1', 'u2', 'u3'].map((reactor_unit) => ({
  reactor_unit,
  experiment: 'a',
  is_active: 1 as const,
}));

it('an experiment runs while its units run jobs, as the header counts them', () => {
  const jobs = [
    ...[job('u1', 'stirring'), job('u1', 'od_reading'), job('u2', 'monitor'), job('u3', 'stirring', 'lost')],
    // A session that waits for an answer, and a dose by hand, are no experiment.
    ...[job('u2', 'pump_calibration'), job('u2', 'add_media')],
  ];
  expect(unitsThatRun({ jobs, assignments }, 'a')).toBe(1);
  expect(unitsThatRun({ jobs, assignments }, 'b')).toBe(0);
  expect([0, 1, 3].map((running) => activityText(running, 3, false))).toEqual([
    'Set up, nothing runs',
    '1 of 3 units run',
    'Running',
  ]);
  // Jobs have run: their readings are there.
  expect([0, 1, 3].map((running) => activityText(running, 3, true))).toEqual([
    'Stopped',
    '1 of 3 units run',
    'Running',
  ]);
});

it('lists of experiments say the same as the header: a plugin counts, a procedure does not', () => {
  const of = (experiment: string, job_name: string) => ({ ...job(`unit of ${experiment}`, job_name), experiment });
  const facts = {
    jobs: [of('a', 'shaker_of_a_plugin'), of('b', 'od_blank')],
    assignments: ['a', 'b', 'c'].map((experiment) => ({
      reactor_unit: `unit of ${experiment}`,
      experiment,
      is_active: 1 as const,
    })),
  };
  const experiments = ['a', 'b', 'c'].map((experiment) => ({ experiment }));
  expect(byActivity(experiments, runningExperiments(facts))).toEqual([
    { title: 'Running', experiments: [{ experiment: 'a' }] },
    { title: 'Set up', experiments: [{ experiment: 'b' }, { experiment: 'c' }] },
  ]);
  expect(byActivity([], new Set())).toEqual([]);
});
