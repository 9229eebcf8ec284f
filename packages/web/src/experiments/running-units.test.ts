import type { LiveJob } from '@lcs/contract';
import { expect, it } from 'vitest';
import { activityText, unitsThatRun } from './running-units.ts';

const job = (reactor_unit: string, job_name: string, state: LiveJob['state'] = 'ready'): LiveJob => ({
  ...{ reactor_unit, experiment: 'a', job_name, job_id: 1, state },
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
  const jobs = [job('u1', 'stirring'), job('u1', 'od_reading'), job('u2', 'monitor'), job('u3', 'stirring', 'lost')];
  expect(unitsThatRun({ jobs, assignments }, 'a')).toBe(1);
  expect(unitsThatRun({ jobs, assignments }, 'b')).toBe(0);
  expect([0, 1, 3].map((running) => activityText(running, 3))).toEqual([
    'Set up, nothing runs',
    '1 of 3 units run',
    'Running',
  ]);
});
