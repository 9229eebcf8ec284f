import { isBasicItem, parseProfile, profileItems } from '@lcs/domain';
import { silentLog, VirtualClock } from '@lcs/platform';
import { expect, it } from 'vitest';
import { PlannedStops } from './planned-stops.ts';

/** After how many minutes the unit ends a job by itself that starts with the first action. */
function endAfter(actions: string, job = 'stirring', clock_offset_ms: number | null = null): number | undefined {
  const text = `version: "1.0"\nexperiment_profile_name: p\ncommon: {jobs: {${job}: {actions: [{type: start, t: 0}, ${actions}]}}}\nreactors: {rx01: {jobs: {${job}: {actions: [{type: stop, t: 1m}]}}}}\n`;
  const parsed = parseProfile(text);
  if (parsed.is !== 'valid') throw new Error(JSON.stringify(parsed.diagnostics));
  const waiting = profileItems(parsed.profile, { common: ['rx01'], own: ['rx01'] }).get('rx01') ?? [];
  const [start] = waiting.filter(isBasicItem);
  if (start === undefined) throw new Error('It has a start.');
  const stops = new PlannedStops({
    context: {
      clock: new VirtualClock(),
      log: silentLog(),
      units: { statusOf: () => ({ clock_offset_ms }) },
    },
    run: { uid: 'a', isDryRun: false },
    time: { isPaused: false, elapsedMs: 0, dueAt: (atMs) => atMs },
    delivery: { changeEnd: async () => {} },
  });
  const end = stops.endOf(start, waiting);
  return end === undefined ? undefined : (Date.parse(end) - 2_000) / 60_000;
}

it('a start has the time of the next stop in its list, if that is certain', () => {
  expect(endAfter('{type: stop, t: 20m}, {type: stop, t: 10m}')).toBe(10);
  expect(endAfter('{type: update, t: 5m, options: {a: 1}}, {type: stop, t: 10m, if: true}')).toBe(10);
  expect(endAfter('{type: stop, t: 10m, if: random() > 0.5}, {type: stop, t: 20m}')).toBe(20);
  expect(endAfter('{type: stop, t: 10m, if: random() > 0.5}')).toBeUndefined();
  expect(endAfter('{type: when, t: 1m, wait_until: true, actions: [{type: stop, t: 1m}]}')).toBeUndefined();
  expect(endAfter('{type: pause, t: 10m}')).toBeUndefined();
  expect(endAfter('{type: stop, t: 10m}', 'led_intensity')).toBeUndefined();
});

it('a unit whose clock is wrong is not told when to end a job', () => {
  expect(endAfter('{type: stop, t: 10m}', 'stirring', 4_000)).toBe(10);
  expect(endAfter('{type: stop, t: 10m}', 'stirring', 600_000)).toBeUndefined();
  expect(endAfter('{type: stop, t: 10m}', 'stirring', -6_000)).toBeUndefined();
});
