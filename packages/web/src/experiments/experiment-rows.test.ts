import type { Assignment, Experiment } from '@lcs/contract';
import { describe, expect, it } from 'vitest';
import { stateOf, tagsInUse, toRows } from './experiment-rows.ts';

const experiment = (name: string, tags: string[] = []): Experiment => ({
  experiment: name,
  created_at: '2026-05-02T09:14:03.120Z',
  description: null,
  delta_hours: 0,
  worker_count: 0,
  tags,
});
const assignments: readonly Assignment[] = [
  { reactor_unit: 'u1', experiment: 'a', is_active: 1 },
  { reactor_unit: 'u2', experiment: 'a', is_active: 0 },
  { reactor_unit: 'u3', experiment: 'b', is_active: 0 },
  { reactor_unit: 'u4', experiment: null, is_active: 1 },
];

describe('the rows of the list', () => {
  it('count workers, and active ones among them', () => {
    const { rows } = toRows([experiment('a'), experiment('b'), experiment('c')], assignments);
    expect(rows.map(({ workers }) => workers)).toEqual([
      { assigned: 2, active: 1 },
      { assigned: 1, active: 0 },
      { assigned: 0, active: 0 },
    ]);
  });

  it('run with one active unit, not with inactive ones only', () => {
    const { rows } = toRows([experiment('a'), experiment('b'), experiment('c')], assignments);
    expect(rows.map(stateOf)).toEqual(['running', 'idle', 'idle']);
  });

  it('run also in the archive, which only hides what has ended', () => {
    const archived = { archived: true as const };
    const ended = { ...experiment('b'), ...archived, ended_at: '2026-05-03T09:14:03.120Z' };
    const { rows } = toRows([{ ...experiment('a'), ...archived }, ended], assignments);
    expect(rows.map(stateOf)).toEqual(['running', 'archived']);
  });

  it('have no worker count before assignments are known', () => {
    expect(toRows([experiment('a')], undefined).rows[0]?.workers).toBeNull();
  });

  it('leave out a record that cannot be shown, report its name, and keep all others', () => {
    // What a leader of another version, or a fault of it, might send.
    const strange: readonly Experiment[] = JSON.parse(
      '[{"experiment":"no tags","created_at":"2026-05-02T09:14:03.120Z","description":null,"tags":null},' +
        '{"experiment":"no time","created_at":"soon","description":null,"tags":[]}, null, {}]',
    );
    const { rows, broken } = toRows([experiment('a'), ...strange, experiment('b')], []);
    expect(rows.map((row) => row.experiment.experiment)).toEqual(['a', 'b']);
    expect(broken).toEqual(['no tags', 'no time', 'without a name', 'without a name']);
  });
});

it('suggests the tags in use, the most used first, each once, case ignored', () => {
  const { rows } = toRows(
    [experiment('a', ['yeast', 'Ramp']), experiment('b', ['ramp', 'batch']), experiment('c', ['RAMP'])],
    [],
  );
  expect(tagsInUse(rows)).toEqual(['Ramp', 'batch', 'yeast']);
});
