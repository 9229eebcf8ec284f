import { randomUUID } from 'node:crypto';
import { jobMigrations } from '@lcs/node';
import { MemoryDatabase, type Migration, PostgresDatabase, realClock, silentLog, taskMigrations } from '@lcs/platform';
import { isPostgresInstalled, testPostgres } from '@lcs/platform/testing';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { auditMigrations } from '../audit/audit-tables.ts';
import { leaderMigrations } from './migrations.ts';

interface Column {
  readonly table: string;
  readonly name: string;
  readonly type: string;
  readonly is_nullable: number;
  readonly in_key: number;
}

interface Index {
  readonly table: string;
  readonly name: string;
  readonly is_unique: number;
  readonly is_partial: number;
  readonly parts: number;
}

interface Reference {
  readonly table: string;
  readonly column: string;
  readonly target: string;
  readonly on_delete: string;
}

const postgresColumns = sql<Column>`
  select c.relname as "table", a.attname as name, format_type(a.atttypid, null) as type,
    not a.attnotnull as is_nullable, coalesce(array_position(i.indkey::int[], a.attnum::int), -1) + 1 as in_key
  from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
  left join pg_index i on i.indrelid = c.oid and i.indisprimary
  where c.relkind in ('r', 'p') and not c.relispartition and c.relnamespace = current_schema()::regnamespace order by 1, a.attnum`;

const sqliteColumns = sql<Column>`
  select t.name as "table", c.name as name,
    case c.type when 'INTEGER' then 'bigint' when 'REAL' then 'double precision' when 'BLOB' then 'bytea' else 'text' end as type,
    c."notnull" = 0 and c.pk = 0 as is_nullable, c.pk as in_key
  from sqlite_schema t join pragma_table_info(t.name) c
  where t.type = 'table' and t.name not like 'sqlite\\_%' escape '\\' and t.name not like 'logs\\_search%' escape '\\'
  order by 1, c.cid`;

/** Those of constraints have no names in SQLite. */
const postgresIndexes = sql<Index>`
  select t.relname as "table", c.relname as name, i.indisunique as is_unique, i.indpred is not null as is_partial,
    i.indnkeyatts as parts
  from pg_index i join pg_class c on c.oid = i.indexrelid join pg_class t on t.oid = i.indrelid
  where t.relnamespace = current_schema()::regnamespace and not t.relispartition
    and not exists (select 1 from pg_constraint k where k.conindid = c.oid and k.contype in ('p', 'u')) order by 2`;

const sqliteIndexes = sql<Index>`
  select t.name as "table", i.name as name, i."unique" as is_unique, i.partial as is_partial,
    (select count(*) from pragma_index_info(i.name)) as parts
  from sqlite_schema t join pragma_index_list(t.name) i
  where t.type = 'table' and i.origin = 'c' and i.name <> 'logs_by_search_row' order by 2`;

const postgresUniques = sql<{ table: string; parts: number }>`
  select t.relname as "table", cardinality(k.conkey) as parts from pg_constraint k join pg_class t on t.oid = k.conrelid
  where k.contype = 'u' and t.relnamespace = current_schema()::regnamespace order by 1, 2`;

const sqliteUniques = sql<{ table: string; parts: number }>`
  select t.name as "table", (select count(*) from pragma_index_info(i.name)) as parts
  from sqlite_schema t join pragma_index_list(t.name) i where t.type = 'table' and i.origin = 'u' order by 1, 2`;

const postgresReferences = sql<Reference>`
  select t.relname as "table", a.attname as "column", f.relname as target,
    case k.confdeltype when 'c' then 'CASCADE' when 'r' then 'RESTRICT' when 'n' then 'SET NULL' else 'NO ACTION' end as on_delete
  from pg_constraint k join pg_class t on t.oid = k.conrelid join pg_class f on f.oid = k.confrelid
  join pg_attribute a on a.attrelid = t.oid and a.attnum = any (k.conkey)
  where k.contype = 'f' and t.relnamespace = current_schema()::regnamespace order by 1, 2`;

const sqliteReferences = sql<Reference>`
  select t.name as "table", f."from" as "column", f."table" as target, f.on_delete as on_delete
  from sqlite_schema t join pragma_foreign_key_list(t.name) f where t.type = 'table' order by 1, 2`;

async function databases(migrations: readonly Migration[]) {
  const sqlite = new MemoryDatabase<object>(migrations, 0);
  const postgres = new PostgresDatabase<object>({
    url: (await testPostgres()).url('postgres'),
    schema: `schema_${randomUUID()}`,
    migrations,
    clock: realClock(),
    log: silentLog(),
  });
  await postgres.start(new AbortController().signal);
  return {
    sqlite: sqlite.read,
    postgres: postgres.read,
    [Symbol.asyncDispose]: async () => {
      sqlite[Symbol.dispose]();
      await postgres.stop();
    },
  };
}

describe.skipIf(!isPostgresInstalled)('the tables on PostgreSQL', () => {
  it.each([
    ['of the leader', [...taskMigrations, ...jobMigrations, ...leaderMigrations]],
    ['of the audit', auditMigrations],
  ])('have the columns, keys and indexes that they have on SQLite: those %s', async (_, migrations) => {
    await using both = await databases(migrations);
    const pairs = [
      [postgresColumns, sqliteColumns],
      [postgresIndexes, sqliteIndexes],
      [postgresUniques, sqliteUniques],
      [postgresReferences, sqliteReferences],
    ] as const;
    expect((await sqliteColumns.execute(both.sqlite)).rows.length).toBeGreaterThan(20);
    for (const [onPostgres, onSqlite] of pairs)
      expect((await onPostgres.execute(both.postgres)).rows).toEqual((await onSqlite.execute(both.sqlite)).rows);
  });
});
