import type { LiveJob } from '@lcs/contract';
import { expect, it } from 'vitest';
import { hasFailures, jobOfRun, runStateText, stopOfRun } from './run-state.ts';

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

it('a run was stopped by its own control, or by the last stop of everything before its end', () => {
  const action = (at: string, more: Partial<Parameters<typeof stopOfRun>[0][number]>) => ({
    at: `2026-05-02T${at}.000Z`,
    by: 'ada',
    run_id: null,
    stops: null,
    ...more,
  });
  const endedMs = Date.parse('2026-05-02T10:00:00.000Z');
  const others = [
    action('10:00:30', { by: 'bob', stops: 'everything' }),
    action('09:59:59', { by: 'cleo' }),
    action('09:59:58', { by: 'dora', stops: 'experiment' }),
    action('09:50:00', { by: 'eve', stops: 'everything' }),
  ];
  expect(stopOfRun(others, 'r1', endedMs)?.by).toBe('dora');
  expect(stopOfRun([...others, action('09:55:00', { run_id: 'r1' })], 'r1', endedMs)?.by).toBe('ada');
  expect(stopOfRun([action('09:59:59', { run_id: 'r2' })], 'r1', endedMs)).toBeUndefined();
});
