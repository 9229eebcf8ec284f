import type { LiveJob } from '@lcs/contract';
import { expect, it } from 'vitest';
import { jobOfRun, runStateText } from './run-state.ts';

const started_at = '2026-05-02T09:14:03.120Z';
const job: LiveJob = {
  reactor_unit: 'lead',
  experiment: 'a',
  job_name: 'experiment_profile',
  job_id: 7,
  state: 'sleeping',
  since: started_at,
  reason: null,
  settings: { start_time_utc: started_at },
};

it('the job of a run is the one in its experiment that began with it', () => {
  const others = [
    { ...job, experiment: 'b' },
    { ...job, job_name: 'stirring' },
    { ...job, settings: { start_time_utc: null } },
  ];
  expect(jobOfRun([...others, job], { experiment: 'a', started_at })).toBe(job);
  expect(jobOfRun(others, { experiment: 'a', started_at })).toBeUndefined();
});

it('the state of a run is a word', () => {
  expect(runStateText({ outcome: null, dry_run: false }, false)).toBe('Running');
  expect(runStateText({ outcome: null, dry_run: true }, true)).toBe('Paused (dry run)');
  expect(runStateText({ outcome: 'failed', dry_run: false }, false)).toBe('Failed');
});
