import type { ProfileRunAction, ProfileRunDetails } from '@lcs/contract';
import { expect, it } from 'vitest';
import { completeWaiting, doneGroups, nextGroups } from './step-groups.ts';

const path = 'common.jobs.stirring.actions[0]';
const planned_at = '2026-05-02T09:14:03.000Z';
const next = (reactor_unit: string, more: Partial<ProfileRunDetails['waiting'][number]> = {}) => ({
  reactor_unit,
  path,
  iteration: 0,
  job_name: 'stirring',
  action: 'stop',
  planned_at,
  ...more,
});
const done = (reactor_unit: string, more: Partial<ProfileRunAction> = {}): ProfileRunAction => ({
  reactor_unit,
  path,
  iteration: 0,
  job_name: 'stirring',
  action: 'start',
  planned_at,
  settled_at: planned_at,
  outcome: 'done',
  reason: null,
  ...more,
});

it('one row has all units with the same next step; each unit has its own wait', () => {
  const groups = nextGroups([
    next('unit1'),
    next('unit2'),
    next('unit3', { iteration: 1 }),
    next('unit1', { action: 'when', path: 'w' }),
    next('unit2', { action: 'when', path: 'w' }),
  ]);
  expect(groups.map(({ units }) => units)).toEqual([['unit1', 'unit2'], ['unit3'], ['unit1'], ['unit2']]);
});

it('of what was read of many actions, those of the last moment are left out: other units may have them, too', () => {
  const later = '2026-05-02T10:14:03.000Z';
  const waiting = [next('unit1'), next('unit2'), next('unit1', { planned_at: later })];
  expect(completeWaiting({ waiting, waiting_count: 3 })).toEqual(waiting);
  expect(completeWaiting({ waiting, waiting_count: 4 })).toEqual(waiting.slice(0, 2));
  // There is only one moment.
  expect(completeWaiting({ waiting: waiting.slice(0, 2), waiting_count: 4 })).toEqual(waiting.slice(0, 2));
});

it('a paused step has no time: each unit has its own', () => {
  const groups = nextGroups([next('unit1', { planned_at: null }), next('unit2', { planned_at: null })]);
  expect(groups.map(({ units }) => units)).toEqual([['unit1'], ['unit2']]);
});

it('a late unit has a row of its own; the pace of the leader makes no rows', () => {
  const groups = doneGroups([
    done('unit1'),
    done('unit2', { settled_at: '2026-05-02T09:21:03.000Z' }),
    done('unit3', { settled_at: '2026-05-02T09:14:03.400Z' }),
  ]);
  expect(groups.map(({ units }) => units)).toEqual([['unit1', 'unit3'], ['unit2']]);
});

it('units with another outcome or reason have another row', () => {
  const groups = doneGroups([
    done('unit1'),
    done('unit2', { outcome: 'failed', reason: 'busy' }),
    done('unit3'),
    done('unit4', { outcome: 'failed', reason: 'off' }),
  ]);
  expect(groups.map(({ units }) => units)).toEqual([['unit1', 'unit3'], ['unit2'], ['unit4']]);
});
