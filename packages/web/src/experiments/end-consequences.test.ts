import { expect, it } from 'vitest';
import { runningJobsOf, runningJobsText } from './end-consequences.ts';

const of = (reactor_unit: string, experiment: string | null) => ({ reactor_unit, experiment });

it('says what the end of an experiment stops, and which units do not answer', () => {
  const jobs = [
    ['u2', 'a'],
    ['u2', 'a'],
    ['u3', 'b'],
  ].map(([reactor_unit = '', experiment = '']) => ({ reactor_unit, experiment }));
  const assignments = [of('u10', 'a'), of('u2', 'a'), of('u3', 'b'), of('u4', null)];
  const running = runningJobsOf('a', jobs, assignments, [
    { reactor_unit: 'u2', liveness: 'online' },
    { reactor_unit: 'u10', liveness: 'offline' },
  ]);
  expect(running).toEqual({ units: ['u2', 'u10'], jobs: 2, busy: 1, offline: ['u10'] });
  expect(runningJobsText(running)).toContain('2 jobs on 1 unit stop at once');
  expect(runningJobsText(runningJobsOf('c', jobs, assignments, []))).toBe('No job of this experiment is running.');
});
