import { randomUUID } from 'node:crypto';
import { jobMigrations } from '@lcs/node';
import { PostgresDatabase, realClock, silentLog, taskMigrations } from '@lcs/platform';
import { withHiddenSecrets } from '@lcs/platform/config-secrets';
import { ViewsReader } from '@lcs/platform/sql-reader';
import { isPostgresInstalled, testPostgres } from '@lcs/platform/testing';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { testDatasetStore } from '../testing/test-dataset-store.ts';
import { leaderMigrations } from './migrations.ts';
import { postgresViews } from './postgres-views.ts';

const migrations = [...taskMigrations, ...jobMigrations, ...leaderMigrations];

describe.skipIf(!isPostgresInstalled)('the public views on PostgreSQL', () => {
  let stop = async () => {};
  let reader: ViewsReader;
  beforeAll(async () => {
    const place = { url: (await testPostgres()).url('postgres'), schema: `schema_${randomUUID()}` };
    const database = new PostgresDatabase<object>({
      ...place,
      migrations,
      views: postgresViews,
      clock: realClock(),
      log: silentLog(),
      readers: 1,
    });
    await database.start(new AbortController().signal);
    reader = ViewsReader.open({ ...place, statementLimitMs: 60_000 });
    stop = () => database.stop();
  });
  afterAll(async () => {
    reader.close();
    await stop();
  });

  it('have the names and columns that they have on SQLite', async () => {
    await using store = await testDatasetStore();
    const { database } = store.connect();
    const views = database
      .prepare(
        `select distinct name from (select name from main.sqlite_schema where type = 'view'
        union select name from temp.sqlite_schema where type = 'view' and name not like 'hidden %') order by name`,
      )
      .all()
      .map(({ name }) => String(name));
    const found = reader.database
      .prepare(
        'select relname as name from pg_class where relkind = ? and relnamespace = current_schema()::regnamespace order by 1',
      )
      .all('v')
      .map(({ name }) => String(name));
    expect(found).toEqual(views);
    const columnsOf = (connection: typeof reader.database, view: string) =>
      connection
        .prepare(`select * from ${view}`)
        .columns()
        .map(({ name }) => name);
    for (const view of views)
      expect([view, columnsOf(reader.database, view)]).toEqual([view, columnsOf(database, view)]);
  });

  it.each([
    'select * from config_histories',
    'select * from people',
    'select * from main.sessions',
    'select * from lcs_audit.entries',
    'select query_to_xml($$select 1$$, true, true, $$x$$)',
    "select query_to_xml('select * from people', true, true, '')",
    "select set_config('search_path', 'lcs', false)",
    'with config_files_histories as (select data from main.config_histories) select * from config_files_histories',
  ])('are all that a query of a person reaches: %s', (query) => {
    expect(() => reader.prepareForeign(query, (relation) => `select * from ${relation} T`).all()).toThrow(
      expect.objectContaining({ code: 'query_failed' }),
    );
  });

  it('blank secrets as the program does', () => {
    const hidden = reader.database.prepare('select hide_secrets(?) as text');
    const piece = fc.constantFrom(
      ...['password', 'Api_Key', 'my_token', 'name', '=', ':', ' ', '\t', '\n', '\r\n', '\n  ', '[mqtt]', '#', '; '],
      ...['x', 'geheim', 'encrypted:abc', '\u00a0', '\u2028', '\ufeff', 'ſecret', '********'],
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 24 }), (pieces) => {
        const text = pieces.join('');
        expect(hidden.get(text)).toEqual({ text: withHiddenSecrets(text) });
      }),
      { numRuns: 300 },
    );
  });
});
