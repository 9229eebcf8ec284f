import type { FeedJob } from '@lcs/contract';
import { describe, expect, it } from 'vitest';
import { UnitJobs } from './unit-jobs.ts';

const stirring: FeedJob = {
  job_id: 41,
  job_name: 'stirring',
  experiment: 'a',
  experiment_uid: 'uid',
  state: 'ready',
  since: 1_000,
};
const at = (ms: number) => new Date(ms).toISOString();
const states = (changes: readonly { readonly job: { readonly state: string }; readonly wasLost: boolean }[]) =>
  changes.map(({ job, wasLost }) => [job.state, wasLost]);

describe('the jobs of a unit', () => {
  it('are those of its heartbeat, published once', () => {
    const jobs = new UnitJobs();
    expect(states(jobs.heartbeat('u', [stirring], 2_000))).toEqual([['ready', false]]);
    expect(jobs.heartbeat('u', [stirring], 3_000)).toEqual([]);
    const { experiment_uid: _, since, ...same } = stirring;
    expect(jobs.all()).toEqual([{ ...same, reactor_unit: 'u', since: at(since), reason: null, settings: {} }]);
    expect(states(jobs.heartbeat('u', [{ ...stirring, state: 'sleeping', since: 4_000 }], 4_000))).toEqual([
      ['sleeping', false],
    ]);
    expect(states(jobs.heartbeat('u', [], 5_000))).toEqual([['disconnected', false]]);
    expect(jobs.all()).toEqual([]);
  });

  it('are lost with the unit, and have their state again when it returns', () => {
    const jobs = new UnitJobs();
    jobs.heartbeat('u', [stirring, { ...stirring, job_id: 42, job_name: 'od_reading' }], 2_000);
    expect(jobs.lost('u', 60_000).map(({ state, job_id }) => [state, job_id])).toEqual([
      ['lost', 41],
      ['lost', 42],
    ]);
    expect(jobs.lost('u', 61_000)).toEqual([]);
    expect(jobs.all().map(({ state }) => state)).toEqual(['lost', 'lost']);
    expect(states(jobs.heartbeat('u', [stirring], 70_000))).toEqual([
      ['ready', true],
      ['disconnected', true],
    ]);
  });

  it('take the reason of a state from its record, and nothing from records of the past', () => {
    const jobs = new UnitJobs();
    jobs.heartbeat('u', [{ ...stirring, state: 'sleeping' }], 2_000);
    const record = { experiment: 'a', job_id: 41, job_name: 'stirring', atMs: 1_000, reason: null };
    expect(jobs.record('u', { ...record, state: 'ready', atMs: 500 })).toBeUndefined();
    expect(jobs.record('u', { ...record, state: 'sleeping' })).toBeUndefined();
    expect(jobs.record('u', { ...record, state: 'sleeping', reason: 'Paused.' })).toMatchObject({ reason: 'Paused.' });
    expect(jobs.record('u', { ...record, job_id: 7, state: 'ready', atMs: 9_000 })).toBeUndefined();
    expect(jobs.all()).toMatchObject([{ job_id: 41, state: 'sleeping', reason: 'Paused.' }]);
  });

  it('have their newest settings, also those stored before this leader began', () => {
    const jobs = new UnitJobs();
    expect(jobs.setting('u', 41, 'target_rpm', 400)).toBe(false);
    jobs.heartbeat('u', [stirring], 2_000);
    expect(jobs.setting('u', 41, 'target_rpm', 500)).toBe(true);
    jobs.restoreSettings('u', 41, { target_rpm: 400, duty_cycle: 20 });
    expect(jobs.all()[0]?.settings).toEqual({ target_rpm: 500, duty_cycle: 20 });
    jobs.setting('u', 41, 'duty_cycle', null);
    expect(jobs.all()[0]?.settings).toEqual({ target_rpm: 500 });
  });
});
