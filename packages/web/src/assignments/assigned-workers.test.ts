import type { Assignment, Model, Worker } from '@lcs/contract';
import { describe, expect, it } from 'vitest';
import { modelText } from '../ui/model-text.ts';
import { assignedWorkers, candidates } from './assigned-workers.ts';

const worker = (reactor_unit: string, model_name: string | null, model_version: string | null): Worker => ({
  reactor_unit,
  added_at: '2026-05-02T09:14:03.120Z',
  is_active: 1,
  model_name,
  model_version,
});
const models: readonly Model[] = [
  {
    model_name: 'reactor_20ml',
    model_version: '1.1',
    display_name: 'Reactor 20 mL, v1.1',
    reactor_capacity_ml: 20,
    reactor_diameter_mm: 27,
    reactor_max_fill_volume_ml: 18,
    max_temp_to_reduce_heating: 63,
    max_temp_to_disable_heating: 65,
    max_temp_to_shutdown: 66,
    is_legacy: false,
    is_contrib: false,
  },
];
const assignments: readonly Assignment[] = [
  { reactor_unit: 'u1', experiment: 'a', is_active: 1 },
  { reactor_unit: 'u2', experiment: 'b', is_active: 1 },
  { reactor_unit: 'u3', experiment: 'a', is_active: 0 },
  { reactor_unit: 'u4', experiment: null, is_active: 1 },
];

describe('the workers of an experiment', () => {
  it('are shown with label, model and activity', () => {
    const workers = [worker('u1', 'reactor_20ml', '1.1'), worker('u3', null, null)];
    expect(assignedWorkers('a', { assignments, workers, models, labels: { u1: 'control' } })).toEqual([
      { unit: 'u1', label: 'control', model: 'Reactor 20 mL, v1.1', isActive: true },
      { unit: 'u3', label: null, model: null, isActive: false },
    ]);
  });

  it('are shown before labels and models are known', () => {
    expect(assignedWorkers('a', { assignments, workers: [], models: [], labels: {} })).toHaveLength(2);
  });

  it('show the plain name of a model that is no longer registered', () => {
    expect(modelText(worker('u1', 'old_one', '0.9'), models)).toBe('old one 0.9');
  });
});

it('offers free workers first, then those of other experiments, never its own', () => {
  expect(candidates('a', assignments)).toEqual([
    { unit: 'u4', isActive: true, from: null },
    { unit: 'u2', isActive: true, from: 'b' },
  ]);
});
