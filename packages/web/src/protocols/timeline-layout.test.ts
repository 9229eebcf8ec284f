import type { PlannedAction } from '@lcs/contract';
import { describe, expect, it } from 'vitest';
import { actionLineAt, elapsedTicks, isForEachUnit, lastActionS, timelineOf } from './timeline-layout.ts';

const path = (at: number) => `common.jobs.stirring.actions[${at}]`;
const action = (at_s: number, type: string, more: Partial<PlannedAction> = {}): PlannedAction => ({
  at_s,
  job_name: 'stirring',
  path: path(0),
  iteration: 0,
  action: type,
  options: {},
  condition: null,
  depends_on: null,
  line: 1,
  column: 1,
  ...more,
});
const planOf = (...actions: PlannedAction[]) => ({
  units: [{ reactor_unit: 'rx01', label: null, is_truncated: false, actions }],
});

describe('the timeline of a plan', () => {
  it('shows when a job runs and is paused, to the end of the axis', () => {
    const { endS, units } = timelineOf(
      planOf(
        action(0, 'start'),
        action(50, 'update'),
        action(100, 'pause'),
        action(150, 'resume'),
        action(200, 'stop'),
        action(1000, 'start'),
      ),
    );
    expect(endS).toBe(1050);
    const certain = { isUncertain: false };
    expect(units[0]?.lanes[0]?.bars).toEqual([
      { fromS: 0, toS: 100, isPaused: false, ...certain },
      { fromS: 100, toS: 150, isPaused: true, ...certain },
      { fromS: 150, toS: 200, isPaused: false, ...certain },
      { fromS: 1000, toS: 1050, isPaused: false, ...certain },
    ]);
    expect(units[0]?.lanes[0]?.marks).toHaveLength(6);
  });

  it('marks what follows a wait as uncertain, also inside a loop', () => {
    const wait = action(10, 'when', { path: path(1), condition: 'true' });
    const after = action(20, 'start', { path: `${path(1)}.actions[0]`, depends_on: path(1) });
    const other = action(20, 'start', { path: path(12), job_name: 'od_reading' });
    const lanes = timelineOf(planOf(wait, after, other)).units[0]?.lanes;
    expect(lanes?.map(({ jobName, marks }) => [jobName, marks.map(({ isUncertain }) => isUncertain)])).toEqual([
      ['stirring', [false, true]],
      ['od_reading', [false]],
    ]);
    expect(lanes?.[0]?.bars).toMatchObject([{ isUncertain: true }]);
  });

  it('ends with the last action that is planned, and is of each unit where the profile names none', () => {
    const plan = {
      ...planOf(action(0, 'start'), action(90, 'stop')),
      length_s: 100,
      is_open_ended: false,
      omitted_units: 0,
    };
    expect(lastActionS(plan)).toBe(90);
    expect(lastActionS({ ...plan, length_s: null })).toBeNull();
    expect(lastActionS({ ...plan, omitted_units: 1 })).toBe(100);
    expect(isForEachUnit(plan)).toBe(true);
    expect(isForEachUnit(planOf(action(0, 'start', { path: 'reactors.rx01.jobs.stirring.actions[0]' })))).toBe(false);
  });

  it('of no actions has an axis', () => {
    expect(timelineOf({ units: [] })).toEqual({ endS: 60, units: [] });
  });
});

it('the axis has round times', () => {
  expect(elapsedTicks(60).map(({ text }) => text)).toEqual(['0', '30 s', '60 s']);
  expect(elapsedTicks(3600).map(({ text }) => text)).toEqual(['0', '30 min', '60 min']);
  expect(elapsedTicks(2 * 86_400).map(({ text }) => text)).toEqual(['0', '12 h', '24 h', '36 h', '48 h']);
  expect(elapsedTicks(1e9).length).toBeLessThan(40);
});

it('the caret is in the action at or above it', () => {
  const plan = planOf(action(0, 'start', { line: 4 }), action(1, 'stop', { line: 8 }));
  expect([3, 4, 7, 20].map((line) => actionLineAt(plan, line))).toEqual([undefined, 4, 4, 8]);
});
