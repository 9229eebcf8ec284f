import type { LiveJob, UnitStatus } from '@lcs/contract';
import { expect, it } from 'vitest';
import { doubtOf, isMeasured, isUncertain, isUnfounded, lastKnownText, oldNote, ownAge } from './reading-note.ts';

const nowMs = new Date(2026, 4, 2, 10).getTime();

const job = (job_name: string, state: LiveJob['state'] = 'ready'): LiveJob => ({
  reactor_unit: 'u1',
  experiment: 'a',
  job_name,
  state,
  job_id: 1,
  reason: null,
  settings: {},
  since: '2026-05-02T09:14:03.120Z',
});

it('a value is current while the job that measures it runs; no job measures volumes', () => {
  const jobs = [job('od_reading'), job('temperature_automation', 'lost')];
  const isSo = (source: string) => isMeasured(source, jobs);
  expect(['od', 'growth_rate', 'temperature', 'liquid_volume'].map(isSo)).toEqual([true, false, false, true]);
});

it('a value is not current when it is old, when its time is in the future, when its job is off, or when the unit is away', () => {
  const all = [job('od_reading'), job('stirring')];
  const noteOf = (source: string, ageMs: number, jobs: readonly LiveJob[] | undefined = all, knownAt = '') =>
    oldNote({ source, reading: { xMs: nowMs - ageMs }, jobs, knownAt }, nowMs);
  const isCurrent = (source: string, ageMs: number) => noteOf(source, ageMs) === '';
  expect([119_000, 121_000, -1000, -3_600_000].map((ageMs) => isCurrent('od', ageMs))).toEqual([
    true,
    false,
    true,
    false,
  ]);
  expect([86_400_000, -3_600_000].map((ageMs) => isCurrent('liquid_volume', ageMs))).toEqual([true, false]);
  expect(noteOf('od', 121_000)).toMatch(/^last known \d\d:57$/);
  expect(noteOf('od', 1000, [])).toMatch(/^job stopped, last known \d\d:59$/);
  // A time of the day alone would be that of today.
  const days = 3 * 86_400_000;
  for (const jobs of [all, []]) expect(noteOf('od', days, jobs)).toMatch(/last known .*29.* 10:00$/);
  expect(noteOf('od', 1000, undefined)).toBe('');
  expect(noteOf('od', 1000, all, 'last known 09:14')).toBe('last known 09:14');
  expect(oldNote({ source: 'od', reading: undefined, jobs: all, knownAt: '' }, nowMs)).toBe('');
});

it('a value says its own age where it is much older than the newest of its unit', () => {
  const age = (source: string, ageMs: number) => ownAge(source, { xMs: nowMs - ageMs }, nowMs);
  expect([age('od', 59_000), age('temperature', 200_000)]).toEqual(['', '']);
  expect([age('od', 70_000), age('temperature', 240_000)]).toEqual([
    expect.stringMatching(/^1.* ago$/),
    expect.stringMatching(/^4.* ago$/),
  ]);
  // The note of an old value has its time.
  expect(age('temperature', 451_000)).toBe('');
  expect(age('liquid_volume', 200_000)).toBe('');
});

it('OD and growth rate are doubtful without the stirrer, and a growth rate without readings of OD', () => {
  expect(doubtOf('od', [job('od_reading'), job('stirring')])).toBe('');
  expect(doubtOf('od', [job('od_reading'), job('stirring', 'lost')])).toBe('stirring off');
  expect(doubtOf('growth_rate', [job('growth_rate_calculating')])).toBe('OD off, stirring off');
  expect(doubtOf('temperature', [])).toBe('');
  expect(doubtOf('od', undefined)).toBe('');
});

it('a value that is measured without the stirrer is not one to rely on; one that is only uncertain is', () => {
  const jobs = ['growth_rate_calculating', 'od_reading', 'dosing_automation'].map((name) => job(name));
  expect([isUnfounded('od', jobs), isUnfounded('growth_rate', jobs)]).toEqual([true, true]);
  const stirred = [...jobs, job('stirring')];
  expect([isUnfounded('growth_rate', stirred), isUnfounded('growth_rate', undefined)]).toEqual([false, false]);
});

it('a negative growth rate while doses dilute is doubtful', () => {
  const measured = ['growth_rate_calculating', 'od_reading', 'stirring'].map((name) => job(name));
  expect(doubtOf('growth_rate', measured, -0.15)).toBe('');
  const dosed = [...measured, job('dosing_automation')];
  expect(doubtOf('growth_rate', dosed, 0.22)).toBe('');
  expect(doubtOf('growth_rate', dosed, -0.15)).not.toBe('');
});

it('the values of a unit that does not answer are those of its last message', () => {
  const textOf = (liveness: UnitStatus['liveness'], ageMs: number | null) =>
    lastKnownText({ liveness, last_heard_at: ageMs === null ? null : new Date(nowMs - ageMs).toISOString() }, nowMs);
  expect(textOf('online', 60_000)).toBeNull();
  expect(textOf('stale', 60_000)).toBe('last known 09:59');
  expect(textOf('offline', 86_460_000)).toMatch(/ 1.* 09:59$|1 09:59$/);
  expect(textOf('offline', null)).not.toMatch(/\d/);
});

it('a growth rate is not known until its deviation is small', () => {
  const of = (source: string, sd?: number) =>
    isUncertain(source, new Map(sd === undefined ? [] : [['growth_rate_sd', { y: sd }]]));
  expect([of('growth_rate', 0.18), of('growth_rate', 0.05), of('growth_rate'), of('od', 0.18)]).toEqual([
    ...[true, false, false, false],
  ]);
});
