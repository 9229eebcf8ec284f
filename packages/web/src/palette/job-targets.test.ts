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
const labels = (unit?: string, experiment?: string) =>
  jobEntries({ descriptors, assignments, unit, experiment }).map(({ label }) => label);

it('a job has an entry for each unit in an experiment, and one for all active units of an experiment', () => {
  expect(labels()).toEqual([
    'Start Stirring on all 2 units',
    'Stirring on unit2',
    'Stirring on unit3',
    'Stirring on unit4',
    'Stirring on unit10',
  ]);
  const [all, one] = jobEntries({ descriptors, assignments, unit: undefined, experiment: undefined });
  expect(all?.target).toEqual({ is: 'experiment', experiment: 'salt', job: 'stirring' });
  expect(one?.target).toEqual({ is: 'unit', unit: 'unit2', job: 'stirring' });
});

it('the unit and the experiment of the open page come first', () => {
  expect(labels('unit10').at(1)).toBe('Stirring on unit10');
  expect(labels(undefined, 'heat').at(1)).toBe('Stirring on unit3');
});
