import type { LiveJob, UnitStatus } from '@lcs/contract';
import { coolingPlan } from '@lcs/domain';
import { describe, expect, it } from 'vitest';
import { jobOf } from '../jobs/job-phase.ts';
import { oldAfterMs } from './reading-note.ts';
import { clockDifferenceText, livenessText, unitRemarks } from './unit-status.ts';

const moment = '2026-05-02T09:14:03.120Z';
const status: UnitStatus = {
  reactor_unit: 'u1',
  liveness: 'online',
  last_heard_at: moment,
  trouble: null,
  desired_version: 3,
  applied_version: 3,
  backlog: 12,
  clock_offset_ms: 40,
  outbox_full: false,
  app_version: null,
  url: null,
  is_simulated: false,
};
const after = (seconds: number): number => Date.parse(moment) + seconds * 1000;

it('a temperature is not old before the next one is expected', () => {
  for (const model_version of ['1.0', '1.1']) {
    const { periodS } = coolingPlan({ model_name: 'reactor_20ml', model_version });
    expect(oldAfterMs('temperature')).toBeGreaterThan(1000 * periodS);
  }
  expect(oldAfterMs('od')).toBe(120_000);
});

describe('a unit', () => {
  it('without a fault needs no remark', () => {
    expect(unitRemarks(status, true)).toEqual([]);
    expect(livenessText(status, after(3))).toBe('Online');
  });

  it('shows how its clock differs from that of the leader', () => {
    expect([null, 40, -1500, 45_000].map(clockDifferenceText)).toEqual([
      'not known',
      'as the leader',
      '1.5 s behind the leader',
      '45 s ahead of the leader',
    ]);
  });

  it('shows how long it has been silent', () => {
    expect(livenessText({ ...status, liveness: 'stale' }, after(34))).toBe('No contact for 34 s');
    expect(livenessText({ ...status, liveness: 'offline' }, after(300))).toBe('Offline for 5 min');
    expect(livenessText({ ...status, liveness: 'offline', last_heard_at: null }, after(300))).toBe('Never connected');
  });

  it('lists its faults, loss of readings first', () => {
    const remarks = unitRemarks(
      { ...status, outbox_full: true, backlog: 12_340, clock_offset_ms: -5000, applied_version: 2 },
      false,
    );
    expect(remarks.map(({ severity }) => severity)).toEqual(['error', 'warning', 'warning', 'info', 'warning']);
    expect(remarks[1]?.text).toContain('12,340');
  });

  it('shows the newest of several jobs of a name', () => {
    const job = (job_id: number, experiment = 'a'): LiveJob => ({
      reactor_unit: 'u1',
      experiment,
      job_name: 'stirring',
      job_id,
      state: 'ready',
      since: moment,
      reason: null,
      settings: {},
    });
    expect(jobOf([job(2), job(7), job(4), job(9, 'b')], 'u1', 'a', 'stirring')?.job_id).toBe(7);
  });
});
