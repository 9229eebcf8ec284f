import { VirtualClock } from '@lcs/platform';
import { expect, it } from 'vitest';
import { interruptedEnd, PlannedEnds, plannedEnd } from './planned-ends.ts';

it('a job ends at its planned time, also when the wall clock is set meanwhile; a cleared or changed end replaces it', async () => {
  const clock = new VirtualClock();
  const ended: number[] = [];
  const ends = new PlannedEnds(clock, (jobId) => ended.push(jobId));
  const at = clock.now() + 3_600_000;
  for (const jobId of [1, 2, 3]) ends.set(jobId, at);
  ends.set(2, undefined);
  ends.set(3, at + 60_000);
  expect([ends.of(1), ends.of(2)]).toEqual([new Date(at).toISOString(), undefined]);
  clock.stepWallClock(-600_000);
  await clock.advance(3_600_000);
  expect(ended).toEqual([]);
  await clock.advance(600_000);
  expect(ended).toEqual([1]);
  clock.stepWallClock(600_000);
  await clock.advance(30_000);
  expect(ended).toEqual([1, 3]);
  ends.set(4, clock.now() + 1_000);
  ends.clear();
  expect(clock.pendingTimers).toBe(0);
});

it('the newest value counts after a restart', () => {
  const [first, second] = ['2026-01-31T12:00:00.000Z', '2026-01-31T13:00:00.000Z'];
  const body = { ends_at: first };
  expect(interruptedEnd({ body: {}, settings: {} })).toBeNull();
  expect(interruptedEnd({ body, settings: {} })).toBe(first);
  expect(interruptedEnd({ body, settings: { $ends_at: second } })).toBe(second);
  expect(interruptedEnd({ body, settings: { $ends_at: null } })).toBeNull();
});

it('other values are refused', () => {
  expect(plannedEnd('stirring', null)).toBeUndefined();
  for (const value of [7, 'later', '2026-01-31', true, '2026-13-99T12:00:00.000Z'])
    expect(() => plannedEnd('stirring', value)).toThrow(
      expect.objectContaining({ body: expect.objectContaining({ code: 'job_setting_invalid' }) }),
    );
});
