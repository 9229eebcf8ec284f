import { createHash } from 'node:crypto';
import { StoreError } from './store-error.ts';

/** One numbered step of the schema. Never change a released one: add another instead. */
export interface Migration {
  /** The feature that owns the tables, for instance `tasks`. Sets are numbered independently. */
  readonly set: string;
  /** 1, 2, 3 … without gaps within the set. */
  readonly id: number;
  readonly name: string;
  /** The SQL to run, without transaction commands. */
  readonly up: string;
  /**
   * The same for PostgreSQL, where `up` cannot be translated; tables may have the words of SQLite. The ledger has the hash of `up`.
   */
  readonly upPostgres?: string;
}

/** A migration that a database has had. */
export interface AppliedMigration {
  readonly set: string;
  readonly id: number;
  readonly name: string;
  readonly sha256: string;
}

export const migrationHash = (migration: Migration): string =>
  createHash('sha256').update(migration.up, 'utf8').digest('hex');

const label = ({ set, id, name }: { set: string; id: number; name: string }) => `${set} ${id} (${name})`;

const checkNumbering = (migrations: readonly Migration[]) => {
  const lastIds = new Map<string, number>();
  for (const migration of migrations) {
    if (migration.id !== (lastIds.get(migration.set) ?? 0) + 1) {
      throw new StoreError(
        'migrations_invalid',
        `The migration ${label(migration)} is out of order: number the migrations of a set 1, 2, 3 and so on.`,
      );
    }
    lastIds.set(migration.set, migration.id);
  }
};

/**
 * The migrations that a database still needs, in the order of `migrations`.
 * @throws StoreError `database_newer` when it has steps that this program does not have, `migration_changed` when one of its steps differs
 * from the program's step of that number, `migrations_invalid` for a list that is not numbered properly.
 */
export const pendingMigrations = (
  migrations: readonly Migration[],
  applied: readonly AppliedMigration[],
): readonly Migration[] => {
  checkNumbering(migrations);
  for (const step of applied) {
    const known = migrations.find(({ set, id }) => set === step.set && id === step.id);
    if (known === undefined) {
      throw new StoreError(
        'database_newer',
        `The database is from a newer version of this program (it has the migration ${label(step)}). Install that version.`,
      );
    }
    if (migrationHash(known) !== step.sha256) {
      throw new StoreError(
        'migration_changed',
        `The database was made with another version of the migration ${label(step)}. Use the program that made it.`,
      );
    }
  }
  const done = new Map<string, number>();
  for (const { set, id } of applied) done.set(set, Math.max(done.get(set) ?? 0, id));
  return migrations.filter(({ set, id }) => id > (done.get(set) ?? 0));
};
