import type { LiveJob, Worker } from '@lcs/contract';
import { expect, it } from 'vitest';
import { unitRows, usualModel } from './unit-rows.ts';

const worker = (reactor_unit: string, model_name: string | null = 'a'): Worker => ({
  reactor_unit,
  added_at: '2026-05-02T09:14:03.120Z',
  is_active: 1,
  model_name,
  model_version: model_name === null ? null : '1.0',
});
const job = (reactor_unit: string, experiment: string, job_name: string, state: LiveJob['state']): LiveJob => ({
  reactor_unit,
  experiment,
  job_name,
  job_id: 1,
  state,
  since: '2026-05-02T09:14:03.120Z',
  reason: null,
  settings: {},
});

it('lists units in natural order, with experiment and running jobs', () => {
  const rows = unitRows({
    workers: [worker('unit10'), worker('unit2')],
    units: [],
    assignments: [{ reactor_unit: 'unit2', experiment: 'e', is_active: 1 }],
    jobs: [
      job('unit2', 'e', 'stirring', 'ready'),
      job('unit2', 'e', 'od_reading', 'lost'),
      job('unit2', '$experiment', 'monitor', 'ready'),
      job('unit10', 'e', 'stirring', 'ready'),
    ],
  });
  expect(rows.map(({ worker: { reactor_unit }, experiment, running }) => [reactor_unit, experiment, running])).toEqual([
    ['unit2', 'e', ['stirring']],
    ['unit10', null, []],
  ]);
});

it('a new unit is probably of the model of most units', () => {
  expect(usualModel([worker('a', 'x'), worker('b', 'y'), worker('c', 'y'), worker('d', null)])?.model_name).toBe('y');
  expect(usualModel([worker('a', null)])).toBeNull();
});
