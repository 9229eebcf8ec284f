import type { LiveJob } from '@lcs/contract';
import { expect, it } from 'vitest';
import { hasFailures, jobOfRun, runStateText } from './run-state.ts';

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
  const none = { failed_actions: 0 };
  expect(runStateText({ ...none, outcome: null, dry_run: false }, false)).toBe('Running');
  expect(runStateText({ ...none, outcome: null, dry_run: true }, true)).toBe('Paused (dry run)');
  expect(runStateText({ ...none, outcome: 'failed', dry_run: false }, false)).toBe('Failed');
});

it('a run with failed steps does not look like one that did all of them', () => {
  const state = (outcome: 'finished' | null, failed_actions: number) =>
    runStateText({ outcome, dry_run: false, failed_actions }, false);
  expect(state('finished', 3)).toBe('Finished with 3 failures');
  expect(state(null, 1)).toBe('Running with 1 failure');
  const isFaulty = (outcome: 'finished' | 'failed' | null, failed_actions: number) =>
    hasFailures({ outcome, failed_actions });
  expect([isFaulty('finished', 3), isFaulty('failed', 0), isFaulty(null, 1)]).toEqual([true, true, true]);
  expect([isFaulty('finished', 0), isFaulty(null, 0)]).toEqual([false, false]);
});
