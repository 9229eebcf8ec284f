import type { PlannedAction } from '@lcs/contract';
import { expect, it } from 'vitest';
import { actionsByPath, changeText, delayText, itemText, notDone, outcomeText, untilText } from './run-words.ts';

const planned: PlannedAction = {
  at_s: 0,
  job_name: 'stirring',
  path: 'common.jobs.stirring.actions[0]',
  iteration: 0,
  action: 'start',
  options: { target_rpm: 400 },
  condition: null,
  depends_on: null,
  line: 1,
  column: 1,
};

it('outcomes are words, also unknown ones', () => {
  expect(outcomeText('held')).toBe('Condition held');
  expect(outcomeText('other')).toBe('other');
});

it('only a delay that counts is shown', () => {
  const planned_at = '2026-05-02T09:14:03.000Z';
  expect(delayText({ planned_at, settled_at: '2026-05-02T09:14:04.000Z' })).toBe('');
  expect(delayText({ planned_at, settled_at: '2026-05-02T09:15:13.000Z' })).toBe('1 min 10 s late');
});

it('the time until a moment', () => {
  expect(untilText(5_000, 5_000)).toBe('now');
  expect(untilText(65_000, 5_000)).toBe('in 1 min 0 s');
});

it('what a stopped run has not done, each step once, and who paused it', () => {
  const later = { ...planned, path: 'common.jobs.stirring.actions[1]', action: 'stop', at_s: 60, options: {} };
  const unit = { reactor_unit: 'a', label: null, is_truncated: false, actions: [planned, later] };
  const units = [unit, { ...unit, reactor_unit: 'b' }];
  expect(notDone({ units }, [planned]).map(({ action }) => action)).toEqual(['stop']);
  expect(notDone({ units }, [planned, later])).toEqual([]);
  expect(changeText({ kind: 'paused', account: 'ada' })).toBe('Paused by ada');
  expect(changeText({ kind: 'asked', account: null })).not.toContain(' by ');
});

it('an action of a run is that of its plan, with its iteration', () => {
  const known = actionsByPath({ units: [{ reactor_unit: 'a', label: null, is_truncated: false, actions: [planned] }] });
  expect(itemText({ ...planned }, known)).toBe('Start stirring: target stir RPM 400');
  expect(itemText({ ...planned, iteration: 2 }, known)).toBe('Start stirring: target stir RPM 400 (iteration 3)');
  expect(itemText({ ...planned, path: 'gone' }, actionsByPath(undefined))).toBe('Start stirring');
});

it('an action has its job before its plan is known', () => {
  const known = actionsByPath(undefined);
  const textOf = (action: string, job_name = 'od_reading') => itemText({ ...planned, job_name, action }, known);
  expect([textOf('update'), textOf('stop'), textOf('log')]).toEqual(['Change OD reading', 'Stop OD reading', 'log']);
  expect([textOf('start', ''), textOf('when')]).toEqual(['start', 'when']);
  expect(itemText({ path: 'x', action: 'x', iteration: 0 }, known)).toBe('x');
});
