import type { Assignment, Experiment, Worker } from '@lcs/contract';
import { describe, expect, it } from 'vitest';
import {
  withActivityOf,
  withAssignment,
  withExperiment,
  withFreedWorkers,
  withoutExperiment,
  withoutUnit,
  withWorker,
} from './lists.ts';

const experiment = (name: string, description = ''): Experiment => ({
  experiment: name,
  created_at: '2026-05-02T09:14:03.120Z',
  description,
  delta_hours: 0,
  worker_count: 0,
  tags: [],
});
const worker = (reactor_unit: string, is_active: 0 | 1 = 1): Worker => ({
  reactor_unit,
  added_at: '2026-05-02T09:14:03.120Z',
  is_active,
  model_name: null,
  model_version: null,
});
const assignment = (reactor_unit: string, to: string | null, is_active: 0 | 1 = 1): Assignment => ({
  reactor_unit,
  experiment: to,
  is_active,
});

describe('experiments', () => {
  it('puts a new one first and a changed one in its place', () => {
    const list = [experiment('b'), experiment('a')];
    expect(withExperiment(list, experiment('c')).map((each) => each.experiment)).toEqual(['c', 'b', 'a']);
    expect(withExperiment(list, experiment('a', 'new'))).toEqual([experiment('b'), experiment('a', 'new')]);
  });

  it('distinguishes names that differ by case only', () => {
    expect(withoutExperiment([experiment('A'), experiment('a')], 'a')).toEqual([experiment('A')]);
  });

  it('never changes the list that is shown', () => {
    const list = Object.freeze([experiment('a')]);
    expect(withExperiment(list, experiment('a', 'new'))).not.toBe(list);
    expect(list[0]?.description).toBe('');
  });
});

describe('workers and assignments', () => {
  it('keeps workers in the order of their names', () => {
    expect(withWorker([worker('a'), worker('c')], worker('b')).map((each) => each.reactor_unit)).toEqual([
      'a',
      'b',
      'c',
    ]);
  });

  it('moves a worker without duplicating it', () => {
    const list = [assignment('u1', 'x'), assignment('u2', null)];
    expect(withAssignment(list, assignment('u1', 'y'))).toEqual([assignment('u1', 'y'), assignment('u2', null)]);
  });

  it('frees the workers of a deleted experiment and no others', () => {
    const list = [assignment('u1', 'x'), assignment('u2', 'y')];
    expect(withFreedWorkers(list, 'x')).toEqual([assignment('u1', null), assignment('u2', 'y')]);
  });

  it('changes the activity of a worker without unassigning it', () => {
    expect(withActivityOf([assignment('u1', 'x')], worker('u1', 0))).toEqual([assignment('u1', 'x', 0)]);
  });

  it('lists a worker that was just added as free', () => {
    expect(withActivityOf([], worker('u1'))).toEqual([assignment('u1', null)]);
  });

  it('removes a deleted unit', () => {
    expect(withoutUnit([assignment('u1', 'x'), assignment('u2', 'x')], 'u1')).toEqual([assignment('u2', 'x')]);
  });
});
