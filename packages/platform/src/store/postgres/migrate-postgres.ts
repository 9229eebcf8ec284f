import type { Log } from '../../log/log.ts';
import { type AppliedMigration, type Migration, migrationHash, pendingMigrations } from '../migrations.ts';
import { StoreError } from '../store-error.ts';
import { identifier, literal } from './identifier.ts';
import { PostgresConnection } from './postgres-connection.ts';
import { toPostgresError } from './postgres-errors.ts';
import { type PublicViews, ViewsOfStore } from './public-views.ts';
import { sqliteFunctions } from './sqlite-functions.ts';
import { useStore } from './store-use.ts';
import { translatedSchema } from './translated-schema.ts';

const ledger = `create table if not exists schema_migrations (
  migration_set text not null,
  id bigint not null,
  name text not null,
  sha256 text not null,
  applied_at_ms bigint not null,
  primary key (migration_set, id)
)`;

export interface PostgresMigrationRun {
  readonly url: string;
  readonly schema: string;
  readonly migrations: readonly Migration[];
  /** For SQL that people write; absent: none. */
  readonly views?: PublicViews;
  /** Milliseconds since 1970, for the ledger. */
  readonly nowMs: number;
  readonly log: Log;
}

/** Texts sort by their bytes in SQLite, and so must they here. */
async function checkDatabase(connection: PostgresConnection): Promise<void> {
  const { rows } = await connection.run({
    text: `select current_database() as name, datcollate as collation, pg_encoding_to_char(encoding) as encoding
      from pg_database where datname = current_database()`,
    values: [],
  });
  const row = rows[0];
  if (/^(C|POSIX|C\.(UTF-?8))$/i.test(String(row?.collation)) && row?.encoding === 'UTF8') return;
  throw new StoreError(
    'database_unopenable',
    `The database ${row?.name} has the encoding ${row?.encoding} and the collation ${row?.collation}. Create it with \`create database ${row?.name} template template0 encoding 'UTF8' locale 'C'\`.`,
  );
}

export async function appliedMigrations(connection: PostgresConnection): Promise<readonly AppliedMigration[]> {
  const { rows } = await connection.run({
    text: 'select migration_set, id, name, sha256 from schema_migrations order by migration_set, id',
    values: [],
  });
  return rows.map((row) => ({
    set: String(row.migration_set),
    id: Number(row.id),
    name: String(row.name),
    sha256: String(row.sha256),
  }));
}

async function prepare(connection: PostgresConnection, schema: string): Promise<void> {
  const present = await connection.run({ text: sqliteFunctions.presentSql, values: [] });
  if (present.rows[0]?.fingerprint !== sqliteFunctions.fingerprint) await connection.script(sqliteFunctions.makeSql);
  await connection.script(`create schema if not exists ${identifier(schema)}; ${ledger}`);
}

async function applyOne(connection: PostgresConnection, migration: Migration, nowMs: number): Promise<void> {
  const { set, id, name } = migration;
  await connection.script('savepoint migration');
  await connection.script(translatedSchema(migration.upPostgres ?? migration.up));
  await connection.run({
    text: 'insert into schema_migrations (migration_set, id, name, sha256, applied_at_ms) values ($1, $2, $3, $4, $5)',
    values: [set, BigInt(id), name, migrationHash(migration), BigInt(nowMs)],
  });
  await connection.script('release migration');
}

async function migrateWith(connection: PostgresConnection, run: PostgresMigrationRun): Promise<void> {
  const { schema, migrations, views, nowMs, log } = run;
  // Other processes that start at the same time wait here.
  await connection.script(`begin; select pg_advisory_xact_lock(hashtext('lcs'), hashtext(${literal('migrations')}))`);
  await prepare(connection, schema);
  const applied = await appliedMigrations(connection);
  const pending = pendingMigrations(migrations, applied);
  const publicViews = views && new ViewsOfStore(schema, views);
  const makesViews = publicViews && (pending.length > 0 || !(await publicViews.arePresent(connection)));
  if (makesViews) await publicViews.remove(connection);
  for (const migration of pending) {
    const { set, id, name } = migration;
    try {
      await applyOne(connection, migration, nowMs);
    } catch (error) {
      const cause = toPostgresError(error);
      throw new StoreError(
        'migration_failed',
        `The schema ${schema} could not be migrated to this version and is unchanged: ${set} ${id} (${name}): ${cause.message}`,
        { cause },
      );
    }
    log[applied.length === 0 ? 'debug' : 'info']('Migration done', { schema, set, id, name });
  }
  if (makesViews) await publicViews.make(connection);
  await connection.script('commit');
}

/**
 * Makes the schema, or migrates it to this program's, in one transaction: after a failure it is as it was before.
 * @throws StoreError, see `pendingMigrations`; also `database_unopenable`, `migration_failed`, `connection_lost`.
 */
export async function migratePostgres(run: PostgresMigrationRun): Promise<void> {
  const connection = await PostgresConnection.open({ url: run.url, schema: run.schema, readOnly: false });
  try {
    await checkDatabase(connection);
    await useStore(connection, run.schema);
    await migrateWith(connection, run);
  } finally {
    connection.close();
  }
}
