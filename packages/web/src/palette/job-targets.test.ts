import type { LiveJob } from '@lcs/contract';
import { expect, it } from 'vitest';
import { jobEntries } from './job-targets.ts';

const descriptors = [
  { job_name: 'stirring', display_name: 'Stirring', display: true },
  { job_name: 'monitor', display_name: 'Monitor', display: false },
];
const assignment = (reactor_unit: string, experiment: string | null, is_active: 0 | 1 = 1) => ({
  reactor_unit,
  experiment,
  is_active,
});
const assignments = [
  assignment('unit10', 'salt'),
  assignment('unit2', 'salt'),
  assignment('unit3', 'heat'),
  assignment('unit4', 'salt', 0),
  assignment('free', null),
];
const stirring = (reactor_unit: string, state: LiveJob['state']): LiveJob => ({
  reactor_unit,
  experiment: 'salt',
  job_name: 'stirring',
  job_id: 1,
  state,
  settings: {},
  since: '2026-05-02T09:14:03.120Z',
  reason: null,
});
const places = {
  descriptors,
  assignments,
  unit: undefined,
  experiment: undefined,
  jobs: [stirring('unit2', 'ready'), stirring('unit4', 'lost')],
  nameOf: (unit: string) => (unit === 'unit3' ? 'mutant (unit3)' : unit),
  mayStart: () => true,
  mayStop: () => true,
} as const;
const labels = (unit?: string, experiment?: string) =>
  jobEntries({ ...places, unit, experiment }).map(({ label }) => label);

it('what a job does on each unit in an experiment can be changed; it can be started on all active units of an experiment', () => {
  expect(labels()).toEqual([
    'Start Stirring on all 2 units',
    'Stop Stirring on unit2',
    'Stirring on unit2',
    'Start Stirring on mutant (unit3)',
    'Stop Stirring on unit4',
    'Stirring on unit4',
    'Start Stirring on unit10',
  ]);
  const [all, stop, controls] = jobEntries(places);
  expect(all?.target).toEqual({ is: 'experiment', experiment: 'salt', job: 'stirring' });
  expect(stop?.target).toEqual({ is: 'unit', unit: 'unit2', job: 'stirring', act: 'stop' });
  expect(controls?.target).toEqual({ is: 'unit', unit: 'unit2', job: 'stirring' });
});

it('the unit and the experiment of the open page come first', () => {
  expect(labels('unit10').at(1)).toBe('Start Stirring on unit10');
  expect(labels(undefined, 'heat').at(1)).toBe('Start Stirring on mutant (unit3)');
});

it('what the person may not do is not offered; nothing is before it is known what runs', () => {
  const offered = (more: Partial<Parameters<typeof jobEntries>[0]>) =>
    jobEntries({ ...places, ...more }).flatMap(({ target }) =>
      target.is === 'unit' ? (target.act ?? []) : 'start on all',
    );
  expect(offered({})).toEqual(['start on all', 'stop', 'start', 'stop', 'start']);
  expect(offered({ mayStop: (experiment) => experiment === 'heat' })).toEqual(['start on all', 'start', 'start']);
  expect(offered({ mayStart: () => false })).toEqual(['stop', 'stop']);
  expect(offered({ jobs: undefined })).toEqual(['start on all']);
});
