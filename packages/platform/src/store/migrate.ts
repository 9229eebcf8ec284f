import { constants, type DatabaseSync } from 'node:sqlite';
import { backUp } from './backup.ts';
import type { ReachedPoint } from './crash-point.ts';
import { type AppliedMigration, type Migration, migrationHash, pendingMigrations } from './migrations.ts';
import { StoreError, toStoreError } from './store-error.ts';

/** The application ID in the file's header ('LCS1'); it distinguishes databases of this program from others. */
const applicationId = 0x4c435331;

const ledger = `create table if not exists schema_migrations (
  migration_set text not null,
  id integer not null,
  name text not null,
  sha256 text not null,
  applied_at_ms integer not null,
  primary key (migration_set, id)
) strict, without rowid`;

export interface MigrationRun {
  readonly path: string;
  readonly migrations: readonly Migration[];
  /** Milliseconds since 1970, for the ledger and the backup's name. */
  readonly nowMs: number;
  readonly onPoint: ReachedPoint;
}

export interface MigrationOutcome {
  readonly applied: readonly Migration[];
  readonly backupPath: string | undefined;
}

export const hasTable = (connection: DatabaseSync, name: string) =>
  connection.prepare("select 1 from sqlite_schema where type = 'table' and name = ?").get(name) !== undefined;

const isEmpty = (connection: DatabaseSync) =>
  connection.prepare('select 1 from sqlite_schema limit 1').get() === undefined;

/** The migrations that this database has had. */
export const appliedMigrations = (connection: DatabaseSync): readonly AppliedMigration[] => {
  if (!hasTable(connection, 'schema_migrations')) return [];
  const rows = connection
    .prepare('select migration_set, id, name, sha256 from schema_migrations order by migration_set, id')
    .all();
  return rows.map((row) => ({
    set: String(row.migration_set),
    id: Number(row.id),
    name: String(row.name),
    sha256: String(row.sha256),
  }));
};

const prepareLedger = (connection: DatabaseSync, path: string) => {
  if (hasTable(connection, 'schema_migrations')) return;
  if (!isEmpty(connection)) {
    throw new StoreError('database_foreign', `${path} is a database of another program. Choose another data folder.`);
  }
  connection.exec(`pragma application_id = ${applicationId}`);
  connection.exec(ledger);
};

/** A migration that ends its own transaction could remain incomplete; SQLite rejects such commands as "not authorized". */
const withoutTransactionCommands = (connection: DatabaseSync, run: () => void) => {
  connection.setAuthorizer((action) =>
    action === constants.SQLITE_TRANSACTION ? constants.SQLITE_DENY : constants.SQLITE_OK,
  );
  try {
    run();
  } finally {
    connection.setAuthorizer(null);
  }
};

const applyOne = (connection: DatabaseSync, migration: Migration, { nowMs, onPoint }: MigrationRun) => {
  connection.exec('begin immediate');
  withoutTransactionCommands(connection, () => connection.exec(migration.up));
  const orphan = connection.prepare('pragma foreign_key_check').get();
  if (orphan !== undefined) {
    throw new StoreError('foreign_key_violation', `it leaves rows of ${String(orphan.table)} without their parent`);
  }
  connection
    .prepare('insert into schema_migrations (migration_set, id, name, sha256, applied_at_ms) values (?, ?, ?, ?, ?)')
    .run(migration.set, migration.id, migration.name, migrationHash(migration), nowMs);
  onPoint('migration.before_commit');
  connection.exec('commit');
  onPoint('migration.after_commit');
};

const apply = (connection: DatabaseSync, migration: Migration, run: MigrationRun) => {
  try {
    applyOne(connection, migration, run);
  } catch (error) {
    if (connection.isTransaction) connection.exec('rollback');
    const cause = toStoreError(error);
    const { set, id, name } = migration;
    throw new StoreError(
      'migration_failed',
      `The database ${run.path} could not be migrated to this version and is unchanged: ${set} ${id} (${name}): ${cause.message}`,
      { cause },
    );
  }
};

/**
 * Migrates the database to this program's schema, each step in a transaction of its own. A database that has a schema is copied first, and
 * the copy verified.
 * @throws StoreError, see `pendingMigrations`; also `database_foreign`, `migration_failed`, `backup_failed`.
 */
export const migrate = (connection: DatabaseSync, run: MigrationRun): MigrationOutcome => {
  prepareLedger(connection, run.path);
  const applied = appliedMigrations(connection);
  const pending = pendingMigrations(run.migrations, applied);
  const first = pending[0];
  if (first === undefined) return { applied: [], backupPath: undefined };
  let backupPath: string | undefined;
  if (applied.length > 0) {
    backupPath = backUp(connection, { path: run.path, before: `${first.set}-${first.id}`, nowMs: run.nowMs });
    run.onPoint('migration.backup_done');
  }
  // Off while tables are rebuilt, as https://www.sqlite.org/lang_altertable.html asks; each step ends with the check.
  connection.exec('pragma foreign_keys = off');
  for (const migration of pending) apply(connection, migration, run);
  connection.exec('pragma foreign_keys = on');
  return { applied: pending, backupPath };
};
