import { describe, expect, it } from 'vitest';
import { moment, startMs, type TestDatasetStore, testDatasetStore } from '../../testing/test-dataset-store.ts';
import { builtInDatasets } from '../built-in-datasets.ts';
import type { Dataset } from '../dataset.ts';
import type { ClassicConnection } from './classic-connection.ts';
import { openRows } from './open-rows.ts';
import type { RowSelection } from './row-source.ts';

const dataset = (name: string): Dataset => {
  const found = builtInDatasets.find(({ descriptor }) => descriptor.dataset_name === name);
  if (!found) throw new Error(`no dataset ${name}`);
  return found;
};

const all: RowSelection = {
  experiments: undefined,
  byExperiment: false,
  byUnit: false,
  order: 'ascending',
  batch: 3,
};

/** Numbers that are always the same. */
function numbers(): () => number {
  let state = 1;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

const sources = ['od', 'od_fused', 'od_filtered', 'temperature', 'growth_rate', 'stirring_rpm', 'raw_od'];

/** Several experiments and units whose readings and events often fall on one moment. */
function fill(store: TestDatasetStore): void {
  const next = numbers();
  store.addExperiment('a', startMs - 60_000);
  store.addExperiment('b', startMs - 30_000);
  store.addExperiment('gone', startMs, startMs);
  for (const experiment of ['a', 'b', 'gone']) {
    for (const unit of ['rx02', 'rx01']) {
      for (const source of sources) {
        const channels = source === 'od' || source === 'raw_od' ? (['1', '2'] as const) : ([null] as const);
        for (const channel of channels) {
          const seconds = Array.from({ length: 40 }, (_, index) => index).filter(() => next() < 0.4);
          const samples = seconds.map((second) => [startMs + second * 7_000, next()] as const);
          store.addSamples([experiment, unit, source, channel, channel === null ? null : 90], samples);
        }
      }
      const at = () => startMs + Math.floor(next() * 40) * 7_000;
      store.addEvents(experiment, [
        ...['A', 'D', 'A', 'X'].map((channel) => ({
          unit,
          at: at(),
          name: 'led_change' as const,
          data: { channel, intensity: Math.round(next() * 100) },
        })),
        ...['add_media', 'add_media', 'remove_waste', 'add_alt_media', 'other'].map((event) => ({
          unit,
          at: at(),
          name: 'dosing' as const,
          data: { event, volume_change_ml: next() },
        })),
      ]);
    }
  }
}

/** Rows as JSON texts, so that they can be compared in any order. */
function rowsOf(connection: ClassicConnection, name: string, wanted: RowSelection): unknown[][] {
  const source = openRows(connection, dataset(name), wanted);
  return [...source.rows()].map((row) => row.map((cell) => (typeof cell === 'bigint' ? Number(cell) : cell)));
}

/** The same from the classic view, which sorts. Sums of several numbers may differ in the last digit. */
function viewRows(store: TestDatasetStore, name: string, where = '1 = 1'): unknown[][] {
  const columns = dataset(name).columns?.map((column) => column.name) ?? [];
  return store.database
    .prepare(`select ${columns.join(', ')} from ${name} where ${where}`)
    .all()
    .map((row) => columns.map((column) => row[column]));
}

const rounded = (rows: readonly (readonly unknown[])[]): string[] =>
  rows.map((row) => JSON.stringify(row.map((cell) => (typeof cell === 'number' ? cell.toFixed(10) : cell))));

const ofReadings = builtInDatasets
  .filter(({ reader }) => reader.is !== 'sql' && reader.is !== 'growth_fits')
  .map(({ descriptor }) => descriptor.dataset_name);

describe('rows that are merged instead of sorted', () => {
  it.each(ofReadings)('of %s are those of the classic view, in the order of time', async (name) => {
    await using store = await testDatasetStore();
    fill(store);
    const connection = store.connect();
    const rows = rowsOf(connection, name, all);
    expect(rounded(rows).sort()).toEqual(rounded(viewRows(store, name)).sort());
    const times = rows.map((row) => String(row[2]));
    expect(times).toEqual([...times].sort());
    const backwards = rowsOf(connection, name, { ...all, order: 'descending' }).map((row) => String(row[2]));
    expect(backwards).toEqual([...times].reverse());
  });

  it.each(ofReadings)('of %s keep to the window, both ends of it included, and to the experiment', async (name) => {
    await using store = await testDatasetStore();
    fill(store);
    const window = { fromMs: startMs + 7_000, toMs: startMs + 140_000 };
    const rows = rowsOf(store.connect(), name, { ...all, ...window, experiments: ['a'] });
    const where = `experiment = 'a' and timestamp >= '${moment(window.fromMs)}' and timestamp <= '${moment(window.toMs)}'`;
    const expected = viewRows(store, name, where);
    expect(rounded(rows).sort()).toEqual(rounded(expected).sort());
    if (sources.some((source) => JSON.stringify(dataset(name).reader).includes(`"${source}"`))) {
      expect(rows.length).toBeGreaterThan(0);
      expect(rows.length).toBeLessThan(viewRows(store, name).length);
    }
  });

  it('are grouped by experiment and unit on request', async () => {
    await using store = await testDatasetStore();
    fill(store);
    for (const name of ['od_readings', 'reactor_unit_activity_data', 'reactor_unit_activity_data_rollup']) {
      const rows = rowsOf(store.connect(), name, { ...all, byExperiment: true, byUnit: true });
      const keys = rows.map((row) => JSON.stringify(row.slice(0, 3)));
      expect(keys).toEqual([...keys].sort());
      expect(new Set(rows.map(([experiment, unit]) => `${experiment} ${unit}`))).toEqual(
        new Set(['a rx01', 'a rx02', 'b rx01', 'b rx02']),
      );
    }
  });

  it('have an expected number from their roll-ups', async () => {
    await using store = await testDatasetStore();
    store.addExperiment('a', startMs);
    store.addSamples(['a', 'rx01', 'od', '1'], [[startMs, 1]]);
    store.database.exec(
      `insert into rollup_1h select id, ${Math.floor(startMs / 3_600_000) * 3_600_000}, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0 from series`,
    );
    expect(openRows(store.connect(), dataset('od_readings'), all).expected).toBe(7);
  });
});

describe('rows of tables and queries', () => {
  it('have the names, columns and texts that people know', async () => {
    await using store = await testDatasetStore();
    const id = store.addExperiment('a', startMs);
    store.database.prepare('insert into experiment_tags values (?, 0, ?)').run(id, 'media: LB');
    const settings = { kind: 'led', automation_name: 'light_dark_cycle', settings: { hours: 12 }, started_at: startMs };
    store.addEvents('a', [{ unit: 'rx01', at: startMs, name: 'automation_settings', data: settings }]);
    store.database
      .prepare(
        `insert into profile_runs (uid, experiment_id, started_at, experiment_profile_name, profile_filename,
          profile_text, is_dry_run, common_units, own_units, first_job_id)
        values ('u', ?, ?, 'ramp', 'ramp.yaml', '', 0, '[]', '[]', 1)`,
      )
      .run(id, startMs);
    const secret = '[mqtt]\nusername=u\npassword=geheim\n';
    store.database
      .prepare('insert into config_histories (at, filename, data) values (?, ?, ?)')
      .run(startMs, 'config.ini', secret);
    store.database
      .prepare(
        `insert into logs (experiment_id, experiment, reactor_unit, at, level, message, source, task)
        values (?, ?, 'rx01', ?, 'INFO', 'hello', 'app', 'od_reading')`,
      )
      .run(id, 'a', startMs);
    const connection = store.connect();
    const only = { ...all, experiments: ['a'] };
    expect(rowsOf(connection, 'experiments', all)).toEqual([['a', moment(startMs), 'about a']]);
    expect(rowsOf(connection, 'experiment_tags', only)).toEqual([['a', 'media: LB', moment(startMs)]]);
    expect(rowsOf(connection, 'logs', only)).toEqual([
      ['a', 'rx01', moment(startMs), 'hello', 'app', 'INFO', 'od_reading'],
    ]);
    expect(rowsOf(connection, 'led_automation_settings', only)).toEqual([
      ['a', 'rx01', moment(startMs), null, 'light_dark_cycle', btoa('{"hours":12}'), '{"hours":12}'],
    ]);
    expect(rowsOf(connection, 'experiment_profile_runs', only)).toEqual([['a', moment(startMs), 'ramp']]);
    expect(rowsOf(connection, 'config_files_histories', only)).toEqual([
      [moment(startMs), 'config.ini', '[mqtt]\nusername=u\npassword=********\n'],
    ]);
  });

  it('can be read of every built-in dataset', async () => {
    await using store = await testDatasetStore();
    const connection = store.connect();
    for (const { descriptor } of builtInDatasets) expect(rowsOf(connection, descriptor.dataset_name, all)).toEqual([]);
  });

  it('show one snapshot: what is written later is not in it', async () => {
    await using store = await testDatasetStore();
    store.addExperiment('a', startMs);
    const connection = store.connect();
    store.addExperiment('b', startMs);
    expect(rowsOf(connection, 'experiments', all).map(([name]) => name)).toEqual(['a']);
  });
});

describe('queries of people', () => {
  const foreign = (query: string): Dataset => ({
    descriptor: {
      ...dataset('experiments').descriptor,
      dataset_name: 'mine',
      table: null,
      query,
      default_order_by: '',
      timestamp_columns: [],
    },
    columns: undefined,
    reader: { is: 'sql' },
    isForeign: true,
  });

  it('read the classic views with the type of each number', async () => {
    await using store = await testDatasetStore();
    fill(store);
    const query = `with of_a as (select * from od_readings where experiment = 'a')
      select count(*) as n, 500.0 as f, BASE64('aGVsbG8=') as t, x'0102' as b, null as z from of_a`;
    const source = openRows(store.connect(), foreign(query), all);
    expect(source.columns.map(({ name }) => name)).toEqual(['n', 'f', 't', 'b', 'z']);
    const [row = []] = source.rows();
    expect(typeof row[0]).toBe('bigint');
    expect(row.slice(1)).toEqual([500, 'hello', 'AQI=', null]);
  });

  it.each([
    'select * from tasks',
    'select * from enrolments',
    'select * from main.config_histories',
    'select * from sqlite_schema',
    'select (select count(*) from desired) as n',
    'delete from experiments',
    'pragma table_list',
    'with recursive n(i) as (select 1 union all select i + 1 from n) select * from n',
    'select 1) T; drop table experiments; --',
  ])('are refused where they reach for more: %s', async (query) => {
    await using store = await testDatasetStore();
    const connection = store.connect();
    expect(() => openRows(connection, foreign(query), all)).toThrow();
  });
});
