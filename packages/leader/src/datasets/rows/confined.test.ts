import { describe, expect, it } from 'vitest';
import { previewRows } from '../../exports/preview-rows.ts';
import { startMs, testDatasetStore } from '../../testing/test-dataset-store.ts';
import { builtInDatasets } from '../built-in-datasets.ts';
import { sqlQueryDataset } from '../query-rows.ts';

const secret = '[mqtt]\nusername=u\npassword=geheim\n';

async function withSecret() {
  const store = await testDatasetStore();
  store.addExperiment('a', startMs);
  store.database
    .prepare('insert into config_histories (at, filename, data) values (?, ?, ?)')
    .run(startMs, 'config.ini', secret);
  return store;
}

describe('a query that people wrote', () => {
  it.each([
    ['the view that a view of its name stands before', 'select data from main.config_files_histories'],
    ['the table of a view', 'select data from main.config_histories'],
    ['the table that a view of its name stands before', 'select deleting_at from main.experiments'],
    [
      'that view under the name of another',
      'with experiments as (select data from main.config_files_histories) select * from experiments',
    ],
    [
      'a table under the name of a view',
      'with od_readings as (select data from main.config_histories) select * from od_readings',
    ],
    [
      'the table of a view under its name',
      'with config_files_histories as (select data from main.config_histories) select * from config_files_histories',
    ],
    [
      'a table in quotes',
      'with "Logs" (data) as materialized (select data from main.config_histories) select * from "Logs"',
    ],
    ['a table in a text', "with 'logs' as (select reactor_unit from main.workers) select * from logs"],
    ['a table that has no view', 'select * from main.workers'],
    ['rows counted', 'select count(*) from main.workers'],
    ['the schema', 'select sql from main.sqlite_schema'],
    ['the schema of what is its own', 'select sql from temp.sqlite_schema'],
    ['a pragma', 'select * from pragma_database_list'],
  ])('does not reach %s', async (_, sql) => {
    await using store = await withSecret();
    const connection = store.connect();
    expect(() => connection.confined(() => connection.database.prepare(sql).all())).toThrow();
  });

  it.each([
    'select experiment from experiments',
    'with x as (select experiment from temp.experiments) select * from x',
    'select e.experiment from experiments e left join od_readings o on o.experiment = e.experiment',
    'select (select experiment from experiments limit 1) as experiment from logs union all select experiment from experiments',
  ])('reads %s', async (sql) => {
    await using store = await withSecret();
    const connection = store.connect();
    expect(connection.confined(() => connection.database.prepare(sql).all())).toEqual([{ experiment: 'a' }]);
  });
});

it('does not take more memory than a reader can have', async () => {
  await using store = await testDatasetStore();
  const connection = store.connect();
  expect(() => connection.database.prepare('select length(zeroblob(900000000))').all()).toThrow('too big');
  const dataset = sqlQueryDataset("select printf('%.*c', 1000000, 'x') as x from (values (1), (2), (3), (4), (5))");
  const order = { dataset, experiment: undefined, isNewestFirst: false };
  expect(previewRows(connection, { ...order, rows: 4 })).toHaveLength(4);
  expect(() => previewRows(connection, { ...order, rows: 5 })).toThrow('more than 4194304 characters');
});

it('counts and reads every dataset of the program', async () => {
  await using store = await withSecret();
  const connection = store.connect();
  for (const { descriptor } of builtInDatasets) {
    const { table } = descriptor;
    if (table === null || table.startsWith('reactor_unit_activity_data')) continue;
    for (const what of ['count(*)', '*', '1']) {
      const sql = `select ${what} from ${table}`;
      expect(() => connection.confined(() => connection.database.prepare(sql).all()), sql).not.toThrow();
    }
  }
});

it('removes passwords, however they are written', async () => {
  await using store = await testDatasetStore();
  const written = '[mqtt]\r\n Password : geheim\r\n   geheim\r\nother = 1\napi_key=\n\tgeheim\nend = 2\n';
  store.database
    .prepare('insert into config_histories (at, filename, data) values (?, ?, ?)')
    .run(startMs, 'config.ini', written);
  const [row] = store.connect().database.prepare('select data from config_files_histories').all();
  expect(row?.data).not.toContain('geheim');
  expect(row?.data).toMatch(/other = 1[\s\S]*end = 2/);
});
