import { closeSync, fsyncSync, openSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { StoreError, toStoreError } from './store-error.ts';

/** How many backups from before migrations are kept beside the database. */
const keptBackups = 3;

export interface BackupRequest {
  readonly path: string;
  /** The migration that follows the backup; part of its name. */
  readonly before: string;
  readonly nowMs: number;
}

/** A time for a file name: `20260131T120000000Z` for `2026-01-31T12:00:00.000Z`. */
export const fileTimestamp = (nowMs: number): string => new Date(nowMs).toISOString().replaceAll(/[-:.]/g, '');

const syncToDisk = (path: string) => {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
};

const schemaOf = (connection: DatabaseSync): string =>
  JSON.stringify([
    connection.prepare('select type, name, tbl_name, sql from sqlite_schema order by type, name').all(),
    connection.prepare('select * from schema_migrations order by migration_set, id').all(),
  ]);

const verify = (original: DatabaseSync, copyPath: string) => {
  const copy = new DatabaseSync(copyPath, { readOnly: true });
  try {
    const fault = copy.prepare('pragma quick_check(1)').get();
    if (fault?.quick_check !== 'ok') throw new StoreError('damaged', String(fault?.quick_check));
    if (schemaOf(copy) !== schemaOf(original)) throw new StoreError('damaged', 'the copy has another schema');
  } finally {
    copy.close();
  }
};

/** The backups of a database, newest first. */
export const backupsOf = (path: string): readonly string[] => {
  const prefix = `${basename(path)}.before-`;
  const stamp = (name: string) => name.slice(name.lastIndexOf('-'));
  return readdirSync(dirname(path))
    .filter((name) => name.startsWith(prefix) && name.endsWith('.sqlite'))
    .sort((a, b) => (stamp(a) < stamp(b) ? 1 : -1))
    .map((name) => join(dirname(path), name));
};

/**
 * Copies the database to `<path>.before-<before>-<timestamp>.sqlite`, opens the copy and checks it, and keeps the newest
 * three such copies. The copy receives its final name when it is complete and on disk.
 * @returns the path of the copy
 * @throws StoreError `backup_failed`
 */
export const backUp = (connection: DatabaseSync, { path, before, nowMs }: BackupRequest): string => {
  const target = `${path}.before-${before}-${fileTimestamp(nowMs)}.sqlite`;
  const partial = `${target}.partial`;
  try {
    rmSync(partial, { force: true });
    createPrivateFile(partial);
    connection.prepare('vacuum into ?').run(partial);
    verify(connection, partial);
    syncToDisk(partial);
    renameSync(partial, target);
    syncToDisk(dirname(target));
    for (const old of backupsOf(path).slice(keptBackups)) rmSync(old);
    return target;
  } catch (error) {
    rmSync(partial, { force: true });
    const cause = toStoreError(error);
    throw new StoreError(
      'backup_failed',
      `The database ${path} was not migrated to this version because its backup failed: ${cause.message}`,
      { cause },
    );
  }
};

/** Creates an empty file that only its owner can read; for SQLite it is a new database. Throws when the file exists. */
export const createPrivateFile = (path: string): void => closeSync(openSync(path, 'wx', 0o600));
