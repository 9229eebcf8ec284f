import type { LiveJob } from '@lcs/contract';
import { expect, it } from 'vitest';
import {
  blankObstacle,
  blankState,
  blankText,
  followedState,
  sessionOn,
  withoutRefused,
  withSessions,
} from './blank-runs.ts';

const job = (settings: LiveJob['settings']): LiveJob => ({
  reactor_unit: 'unit1',
  experiment: 'ramp',
  job_name: 'od_calibration',
  job_id: 7,
  state: 'ready',
  since: '2026-11-26T12:00:00.000Z',
  reason: null,
  settings,
});

it('is followed by what its job publishes', () => {
  expect(blankState([], 'unit1')).toEqual({ phase: 'ended' });
  expect(blankState([job({})], 'unit2')).toEqual({ phase: 'ended' });
  const measuring = [job({ step_id: 'place_blank', percent_progress: 40, session_id: 's1' })];
  expect(blankState(measuring, 'unit1')).toEqual({ phase: 'measuring', percent: 40 });
  expect(sessionOn(measuring, 'unit1')).toBe('s1');
  expect(sessionOn([job({})], 'unit1')).toBeUndefined();
  expect(blankState([job({ step_id: 'review', instruction: 'It drifted.' })], 'unit1')).toEqual({
    phase: 'doubtful',
    problem: 'It drifted.',
  });
  expect(blankState([job({ problem: 'No signal.' })], 'unit1')).toEqual({ phase: 'doubtful', problem: 'No signal.' });
});

it('has one value for each photodiode', () => {
  expect(blankText({ means: { '2': 0.01213 }, noise: { '2': 0.000214 } })).toBe('photodiode 2: 0.0121 ± 0.00021 V');
  expect(blankText({})).toBe('');
});

it('is possible only where its start is not refused', () => {
  const facts = { experiment: 'ramp', isActive: true, isOnline: true, isCalibrating: false };
  expect(blankObstacle(facts)).toBeUndefined();
  for (const changed of [{ experiment: null }, { isActive: false }, { isOnline: false }, { isCalibrating: true }])
    expect(blankObstacle({ ...facts, ...changed })).toBeTypeOf('string');
});

it('is followed only on units where it was started here, and not where the start was refused', () => {
  const running = [job({ session_id: 's1' }), { ...job({ session_id: 's2' }), reactor_unit: 'unit2' }];
  const followed = withSessions(
    new Map([
      ['unit1', undefined],
      ['unit3', undefined],
    ]),
    running,
  );
  expect([...followed]).toEqual([
    ['unit1', 's1'],
    ['unit3', undefined],
  ]);
  expect(withSessions(followed, [])).toBe(followed);
  // What somebody starts later on the unit is not adopted.
  const later = [job({ session_id: 's9' })];
  expect(withSessions(followed, later)).toBe(followed);
  expect(followedState(later, 'unit1', 's1')).toEqual({ phase: 'ended' });
  expect(followedState(running, 'unit1', 's1').phase).toBe('measuring');
  expect([...withoutRefused(followed, ['unit3']).keys()]).toEqual(['unit1']);
  expect([...withoutRefused(followed, [null]).keys()]).toEqual(['unit1']);
  expect([...withoutRefused(followed, []).keys()]).toEqual(['unit1', 'unit3']);
});
