import type { Experiment } from '@lcs/contract';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { designOf } from './experiment-design.ts';
import type { ExperimentRow } from './experiment-rows.ts';
import {
  changeListSearch,
  firstOrder,
  type ListSearch,
  listPage,
  matches,
  readListSearch,
  rowsPerPage,
  sortColumns,
  sortRows,
  toggleSort,
} from './list-search.ts';

interface RowFacts extends Partial<Experiment> {
  readonly createdAtMs?: number;
  readonly endedAtMs?: number | null;
  readonly assigned?: number;
  readonly active?: number;
}

const row = (
  name: string,
  { createdAtMs = 0, endedAtMs = null, assigned = 0, active = 0, ...experiment }: RowFacts = {},
): ExperimentRow => ({
  experiment: {
    experiment: name,
    created_at: new Date(createdAtMs).toISOString(),
    description: null,
    delta_hours: 0,
    worker_count: assigned,
    tags: [],
    ...experiment,
  },
  design: designOf(experiment.tags ?? []),
  createdAtMs,
  endedAtMs,
  workers: { assigned, active },
});
const names = (rows: readonly ExperimentRow[]): readonly string[] =>
  rows.map(({ experiment }) => experiment.experiment);

describe('the address of the list', () => {
  it('is empty for the default list', () => {
    expect(readListSearch({ q: '  ', tags: [], status: 'all', sort: 'created', order: 'desc', page: 1 })).toEqual({});
  });

  it('keeps the choices', () => {
    const search: ListSearch = { q: 'yeast', tags: ['ramp'], status: 'idle', sort: 'name', order: 'desc', page: 3 };
    expect(readListSearch({ ...search })).toEqual(search);
  });

  it('parses a search for digits, and a single tag', () => {
    expect(readListSearch({ q: 42, tags: 'ramp' })).toEqual({ q: '42', tags: ['ramp'] });
  });

  it('may contain anything, and parsing it twice changes nothing', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.constantFrom('q', 'tags', 'status', 'sort', 'order', 'page', 'other'), fc.jsonValue()),
        (raw) => {
          const search = readListSearch(raw);
          expect(readListSearch({ ...search })).toEqual(search);
          expect(() => listPage([row('a')], search)).not.toThrow();
        },
      ),
    );
  });

  it('goes back to the first page after any other change', () => {
    expect(changeListSearch({ page: 3 }, { q: 'a' })).toEqual({ q: 'a' });
    expect(changeListSearch({ q: 'a' }, { page: 2 })).toEqual({ q: 'a', page: 2 });
  });
});

describe('searching', () => {
  const yeast = row('Yeast ramp-7', { description: 'Turbidostat at OD 0.6', tags: ['GFP', 'long run'] });

  it('finds words of name, description and tags in any case and order', () => {
    expect(matches(yeast, { q: 'gfp yeast' })).toBe(true);
    expect(matches(yeast, { q: 'od RAMP' })).toBe(true);
    expect(matches(yeast, { q: 'yeast batch' })).toBe(false);
  });

  it('does not match across fields', () => {
    expect(matches(yeast, { q: '7turbidostat' })).toBe(false);
  });

  it('requires all chosen tags', () => {
    expect(matches(yeast, { tags: ['gfp', 'long run'] })).toBe(true);
    expect(matches(yeast, { tags: ['gfp', 'batch'] })).toBe(false);
    expect(matches(yeast, { tags: ['long'] })).toBe(false);
  });

  it('filters by state; archived ones show on request, or with a search', () => {
    expect(matches(row('a', { assigned: 2, active: 1 }), { status: 'running' })).toBe(true);
    expect(matches(row('a', { assigned: 2 }), { status: 'running' })).toBe(false);
    expect(matches(row('a', { assigned: 2 }), { status: 'idle' })).toBe(true);
    const old = row('old', { endedAtMs: 5, archived: true, created_by: 'ada' });
    expect(matches(old, {})).toBe(false);
    expect(matches(old, { q: 'old' })).toBe(true);
    expect(matches(old, { q: 'ada' })).toBe(true);
    expect(matches(old, { status: 'archived' })).toBe(true);
    expect(matches(old, { status: 'ended' })).toBe(false);
    expect(matches(row('a', { endedAtMs: 5, assigned: 1, active: 1 }), { status: 'ended' })).toBe(true);
    // An address of an earlier version.
    expect(readListSearch({ status: 'active' })).toEqual({ status: 'running' });
  });
});

describe('sorting', () => {
  it('compares numbers by value', () => {
    expect(names(sortRows([row('growth-10'), row('Growth-9'), row('alpha')], 'name', 'asc'))).toEqual([
      'alpha',
      'Growth-9',
      'growth-10',
    ]);
  });

  it('shows the newest first by default', () => {
    const { rows } = listPage([row('old', { createdAtMs: 1 }), row('new', { createdAtMs: 2 })], {});
    expect(names(rows)).toEqual(['new', 'old']);
  });

  it('keeps rows without tags or end at the end in both orders', () => {
    const ended = [row('goes on'), row('old', { endedAtMs: 1 }), row('new', { endedAtMs: 2 })];
    expect(names(sortRows(ended, 'ended', 'desc'))).toEqual(['new', 'old', 'goes on']);
    expect(names(sortRows(ended, 'ended', 'asc'))).toEqual(['old', 'new', 'goes on']);
    const rows = [row('none'), row('b', { tags: ['b'] }), row('a', { tags: ['a'] })];
    expect(names(sortRows(rows, 'tags', 'asc'))).toEqual(['a', 'b', 'none']);
    expect(names(sortRows(rows, 'tags', 'desc'))).toEqual(['b', 'a', 'none']);
  });

  it('puts active experiments and those with most workers first at the first click', () => {
    const rows = [row('idle'), row('active', { assigned: 1, active: 1 })];
    expect(names(sortRows(rows, 'status', firstOrder('status')))).toEqual(['active', 'idle']);
    expect(names(sortRows(rows, 'workers', firstOrder('workers')))).toEqual(['active', 'idle']);
  });

  it('reverses the order at the second click on the same column', () => {
    const once = toggleSort({ q: 'a', page: 4 }, 'name');
    expect(once).toEqual({ q: 'a', sort: 'name' });
    expect(toggleSort(once, 'name')).toEqual({ q: 'a', sort: 'name', order: 'desc' });
    expect(toggleSort({}, 'created')).toEqual({ order: 'asc' });
  });

  it('keeps each row once, for every column', () => {
    const anyRow = fc.record({
      createdAtMs: fc.nat(5),
      assigned: fc.nat(2),
      tags: fc.array(fc.constantFrom('x', 'y')),
    });
    fc.assert(
      fc.property(
        fc.array(anyRow),
        fc.constantFrom(...sortColumns),
        fc.constantFrom('asc', 'desc'),
        (facts, column, order) => {
          const rows = facts.map((each, index) => row(`e${index}`, each));
          expect([...names(sortRows(rows, column, order))].sort()).toEqual([...names(rows)].sort());
        },
      ),
    );
  });
});

describe('paging', () => {
  const many = Array.from({ length: 2 * rowsPerPage + 1 }, (_, index) => row(`e${index}`, { createdAtMs: index }));

  it('shows each experiment on exactly one page', () => {
    const shown = [1, 2, 3].flatMap((page) => names(listPage(many, { page }).rows));
    expect(shown).toHaveLength(many.length);
    expect(new Set(shown).size).toBe(many.length);
  });

  it('shows the last page when the list has become shorter', () => {
    expect(listPage(many, { page: 99 })).toMatchObject({ page: 3, pages: 3, matching: many.length });
    expect(listPage([], { page: 99 })).toEqual({ rows: [], page: 1, pages: 1, matching: 0 });
  });
});
