import { type LogLevel, logLevels } from '@lcs/contract';
import { explain } from '@lcs/platform';
import fc from 'fast-check';
import { CompiledQuery, sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { startTestLeader } from '../testing/test-leader.ts';
import { type LogFilter, levelsFrom } from './log-filter.ts';
import { logQuery, type StoredLog } from './log-store.ts';

type Row = Omit<StoredLog, 'experiment'> & { readonly experiment_id: number | null };

const words = [
  'stirring',
  'Stir',
  'ring 100 %',
  'a_b',
  '"quoted" OR x',
  'µ ü Ü',
  '温度计',
  '|1|',
  '*',
  'nörd -',
  "it's",
  'e',
];
const units = ['rx01', 'rx010', '$broadcast', 'lead'];
const sources = ['app', 'ui', 'ap'];
const texts = fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: 3 }).map((parts) => parts.join(' '));
const experiments = fc.constantFrom(null, 1, 2, 12);
const moments = fc.integer({ min: 1000, max: 1006 });

const rows = fc.array(
  fc.record({
    experiment_id: experiments,
    reactor_unit: fc.constantFrom(...units),
    at: moments,
    level: fc.constantFrom(...logLevels),
    message: texts,
    source: fc.constantFrom(...sources),
    task: fc.constantFrom('', 'stirring', 'Task'),
  }),
  { maxLength: 40 },
);

const some = <Value>(values: fc.Arbitrary<Value>) => fc.uniqueArray(values, { minLength: 1, maxLength: 2 });
const filters: fc.Arbitrary<LogFilter> = fc.record(
  {
    levels: fc.constantFrom(...logLevels).map((level) => levelsFrom(level)),
    skip: fc.integer({ min: 0, max: 3 }),
    limit: fc.integer({ min: 1, max: 10 }),
    experiments: some(experiments),
    units: some(fc.constantFrom(...units)),
    since: moments,
    before: fc.record({ at: moments, id: fc.integer({ min: 0, max: 45 }) }),
    source: fc.constantFrom(...sources),
    search: fc.oneof(
      fc.constantFrom(
        'stir',
        'RING',
        '00 %',
        '_',
        '%',
        '"',
        '" OR',
        '1|',
        '温',
        '温度计',
        "it's",
        '*',
        'ör',
        'x',
        ' ',
        'µ ü',
        '|1|',
      ),
      texts,
    ),
  },
  { requiredKeys: ['levels', 'skip', 'limit'] },
);

/** SQLite compares letters of other alphabets exactly. */
const folded = (text: string) => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());

/** What the filter means, in plain code. */
function selected(all: readonly Row[], filter: LogFilter): readonly number[] {
  const { levels, experiments, units, since = 0, before, source, search = '', skip, limit } = filter;
  return all
    .filter(
      (row) =>
        levels.some((level: LogLevel) => level === row.level) &&
        (!experiments || experiments.includes(row.experiment_id)) &&
        (!units || units.includes(row.reactor_unit)) &&
        row.at >= since &&
        (!before || row.at < before.at || (row.at === before.at && row.id < before.id)) &&
        (!source || row.source === source) &&
        [row.message, row.task].some((text) => folded(text).includes(folded(search))),
    )
    .sort((a, b) => b.at - a.at || b.id - a.id)
    .slice(skip, skip + limit)
    .map(({ id }) => id);
}

describe('the event log', () => {
  it('gives what a filter means, whatever was written and removed', async () => {
    await using leader = await startTestLeader();
    const { database } = leader.context;
    const store = (entries: readonly Omit<Row, 'id'>[]) =>
      database.write(async (transaction) => {
        await transaction.deleteFrom('logs').execute();
        for (const [index, entry] of entries.entries())
          await transaction
            .insertInto('logs')
            .values({ id: index + 1, ...entry, experiment: `${entry.experiment_id}` })
            .execute();
        await transaction.deleteFrom('logs').where(sql`id % 5`, '=', 0).execute();
      });
    await fc.assert(
      fc.asyncProperty(rows, fc.array(filters, { minLength: 5, maxLength: 5 }), async (entries, wanted) => {
        await store(entries);
        const kept = entries.map((entry, index) => ({ id: index + 1, ...entry })).filter(({ id }) => id % 5 !== 0);
        for (const filter of wanted) {
          const found = (await logQuery(filter).execute(database.read)).rows.map(({ id }) => id);
          expect(found, JSON.stringify(filter)).toEqual(selected(kept, filter));
        }
      }),
      { numRuns: 60 },
    );
  });

  it('finds what is left of a moment whose entries share a row of the search', async () => {
    await using leader = await startTestLeader();
    const { database } = leader.context;
    const entry = { experiment_id: 1, experiment: 'e', reactor_unit: 'rx01', at: 1000, level: 'INFO', source: 'app' };
    const ids = [7, 7 + 1024, 7 + 2048];
    await database.write(async (transaction) => {
      for (const id of ids)
        await transaction
          .insertInto('logs')
          .values({ ...entry, id, message: `the pump ${id}`, task: '' })
          .execute();
    });
    const found = async (search: string) => {
      const filter = { levels: levelsFrom('DEBUG'), skip: 0, limit: 10, search };
      return (await logQuery(filter).execute(database.read)).rows.map(({ id }) => id);
    };
    const remove = (id: number) =>
      database.write((transaction) => transaction.deleteFrom('logs').where('id', '=', id).execute());
    expect(await found('pump')).toEqual(ids.toReversed());
    await remove(7);
    expect(await found('pump')).toEqual([2055, 1031]);
    await remove(2055);
    expect([await found('pump'), await found('pump 1031'), await found('pump 2055')]).toEqual([[1031], [1031], []]);
    await remove(1031);
    expect(await found('pump')).toEqual([]);
  });

  it('removes an entry without a look at all others of its moment', async () => {
    await using leader = await startTestLeader();
    const { read } = leader.context.database;
    for (const name of ['logs_search_delete', 'logs_search_update']) {
      const trigger = sql<{ text: string }>`select sql as text from sqlite_master where name = ${name}`;
      const [{ text = '' } = {}] = (await trigger.execute(read)).rows;
      const [others = ''] = /select (?!.*select).* order by id/s.exec(text) ?? [];
      const plan = await explain(read, { compile: () => CompiledQuery.raw(others.replaceAll(/old\.\w+/g, '1')) });
      expect(plan, name).toContainEqual(expect.stringContaining('SEARCH logs USING INDEX logs_by_search_row'));
    }
  });

  it('is read by indexes that give the order too, and only as far as needed', async () => {
    await using leader = await startTestLeader();
    const { read } = leader.context.database;
    const page = { levels: levelsFrom('INFO'), skip: 0, limit: 100 };
    const scopes: Partial<LogFilter>[] = [
      {},
      { experiments: [1] },
      { experiments: [null, 1], units: ['rx01', '$broadcast'], since: 5 },
      { units: ['rx01', '$broadcast'], before: { at: 1, id: 1 } },
      { experiments: [1], units: ['rx01'], whileAssigned: { unit: 'rx01', experimentId: 1 } },
    ];
    const planOf = async (filter: Partial<LogFilter>) =>
      explain(read, { compile: () => logQuery({ ...page, ...filter }).compile(read) });
    for (const scope of scopes) {
      const plan = await planOf(scope);
      expect(plan.join()).toContain('MERGE (UNION ALL)');
      expect(plan.filter((step) => step.includes('TEMP B-TREE')).length).toBeLessThanOrEqual(1);
      const steps = plan.filter((step) => /^(SCAN|SEARCH) l /.test(step));
      expect(steps.length).toBeGreaterThan(levelsFrom('INFO').length);
      for (const step of steps.slice(0, -1))
        expect(step).toMatch(/^SEARCH l USING COVERING INDEX logs_by_\w+ \(.*level=\?/);
      expect(steps.at(-1)).toContain('PRIMARY KEY');
      for (const text of [{ search: 'stirring' }, { source: 'app' }]) {
        const plan = await planOf({ ...scope, ...text });
        expect(plan.slice(0, 2)).toEqual([
          expect.stringMatching(/^SCAN s VIRTUAL TABLE INDEX \d+:.*M/),
          'SEARCH l USING INDEX logs_by_time (at=?)',
        ]);
        expect(plan.join()).not.toContain('TEMP B-TREE');
      }
    }
  });
});
