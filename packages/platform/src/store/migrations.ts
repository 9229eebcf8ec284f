import { createHash } from 'node:crypto';
import { StoreError } from './store-error.ts';

/** One numbered step of the schema. What was once released is never changed: add another step instead. */
export interface Migration {
  /** The feature that owns the tables, for instance `tasks`. Sets are numbered independently. */
  readonly set: string;
  /** 1, 2, 3 … without gaps within the set. */
  readonly id: number;
  readonly name: string;
  /** The SQL to run, without transaction commands. */
  readonly up: string;
}

/** A step that a database has gone through. */
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
        `The migration ${label(migration)} is out of order: a set is numbered 1, 2, 3 and so on.`,
      );
    }
    lastIds.set(migration.set, migration.id);
  }
};

/**
 * Which steps a database still needs, in the order of `migrations`.
 * @throws StoreError `database_newer` when it has steps this program does not know, `migration_changed` when a step it has
 * is not the one known under that number, `migrations_invalid` for a list that is not numbered properly.
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
        `The database is from a newer version of this program (it has ${label(step)}, which this one does not know).`,
      );
    }
    if (migrationHash(known) !== step.sha256) {
      throw new StoreError(
        'migration_changed',
        `The database was built with another version of the migration ${label(step)}: use the program that built it.`,
      );
    }
  }
  const done = new Map<string, number>();
  for (const { set, id } of applied) done.set(set, Math.max(done.get(set) ?? 0, id));
  return migrations.filter(({ set, id }) => id > (done.get(set) ?? 0));
};
