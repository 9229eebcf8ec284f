import type { LiveJob } from '@lcs/contract';
import { expect, it } from 'vitest';
import { ageNote, isMeasured, lastKnownText } from './reading-note.ts';

const job = (job_name: string, state: LiveJob['state'] = 'ready'): LiveJob => ({
  ...{ reactor_unit: 'u1', experiment: 'a', job_name, state, job_id: 1, reason: null, settings: {} },
  since: '2026-05-02T09:14:03.120Z',
});

it('a value is current while the job that measures it runs; no job measures volumes', () => {
  const jobs = [job('od_reading'), job('temperature_automation', 'lost')];
  const isSo = (source: string) => isMeasured(source, jobs);
  expect(['od', 'growth_rate', 'temperature', 'liquid_volume'].map(isSo)).toEqual([true, false, false, true]);
});

it('a value is not current when it is old or when its time is in the future', () => {
  const nowMs = 1_000_000_000;
  const noteOf = (source: string, ageMs: number) => ageNote(source, { xMs: nowMs - ageMs }, nowMs);
  const isCurrent = (source: string, ageMs: number) => noteOf(source, ageMs) === '';
  expect([119_000, 121_000, -1000, -3_600_000].map((ageMs) => isCurrent('od', ageMs))).toEqual([
    true,
    false,
    true,
    false,
  ]);
  expect([86_400_000, -3_600_000].map((ageMs) => isCurrent('liquid_volume', ageMs))).toEqual([true, false]);
  expect(ageNote('od', undefined, nowMs)).toBe('');
});

it('the values of a unit that does not answer are those of its last message', () => {
  const heardAt = '2026-05-02T09:14:03.120Z';
  expect(lastKnownText({ liveness: 'online', last_heard_at: heardAt })).toBeNull();
  expect(lastKnownText({ liveness: 'stale', last_heard_at: heardAt })).toMatch(/\d\d[:.]14/);
  expect(lastKnownText({ liveness: 'offline', last_heard_at: null })).not.toMatch(/\d/);
});
