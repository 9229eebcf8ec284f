import { closeSync, existsSync, fstatSync, openSync, readSync, renameSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { backupsOf, createPrivateFile, fileTimestamp } from './backup.ts';
import { type MigrationOutcome, type MigrationRun, migrate } from './migrate.ts';
import { lockedDatabase, StoreError, toStoreError } from './store-error.ts';

export interface OpenRequest extends MigrationRun {
  /** What to do with a damaged file: refuse to start, or move it aside and start with an empty one. */
  readonly onDamaged: 'fail' | 'set-aside';
}

export interface OpenedDatabase extends MigrationOutcome {
  readonly connection: DatabaseSync;
  /** The new path of a damaged file. */
  readonly setAside: string | undefined;
}

const magic = 'SQLite format 3\0';
const headerBytes = 100;
/** The other files of a database; they must be moved with it. */
const companions = ['', '-wal', '-shm'];

/** The fault of the file's header; undefined for a valid header, an empty or a missing file. */
const headerFault = (path: string): string | undefined => {
  if (!existsSync(path)) return undefined;
  const descriptor = openSync(path, 'r');
  try {
    const size = fstatSync(descriptor).size;
    if (size === 0) return undefined;
    const header = Buffer.alloc(headerBytes);
    if (readSync(descriptor, header, 0, headerBytes, 0) < headerBytes)
      return 'it is shorter than the header of a database';
    if (header.toString('latin1', 0, magic.length) !== magic) return 'it is not an SQLite database';
    return undefined;
  } finally {
    closeSync(descriptor);
  }
};

const unopenable = (path: string, cause: unknown) =>
  new StoreError(
    'database_unopenable',
    `The database ${path} cannot be opened. Check that its folder exists and is writable.`,
    { cause },
  );

const isDamage = (error: unknown) => toStoreError(error).code === 'damaged';

/** The writing connection; its journal and limits are set here, `synchronous` by the lanes. */
const connect = (path: string): DatabaseSync => {
  // SQLite creates its other files with the mode of this one.
  if (!existsSync(path)) createPrivateFile(path);
  const connection = new DatabaseSync(path, { timeout: 5_000, enableForeignKeyConstraints: true });
  try {
    connection.exec(`
      pragma journal_mode = wal;
      pragma synchronous = full;
      pragma wal_autocheckpoint = 2000;
      pragma journal_size_limit = 67108864;
      pragma cache_size = -16000;
    `);
    // Reads the whole schema, to detect damage before the first write.
    connection.prepare('select count(*) from sqlite_schema').get();
    return connection;
  } catch (error) {
    connection.close();
    throw error;
  }
};

const damaged = (path: string, fault: string) => {
  const newest = backupsOf(path)[0];
  const advice =
    newest === undefined ? 'restore it from a backup' : `restore it from a backup (the newest here is ${newest})`;
  return new StoreError('database_damaged', `The database ${path} is damaged (${fault}): ${advice}, or move it away.`);
};

const connectSound = (path: string): DatabaseSync => {
  let fault: string | undefined;
  try {
    fault = headerFault(path);
  } catch (error) {
    throw unopenable(path, error);
  }
  if (fault !== undefined) throw damaged(path, fault);
  try {
    return connect(path);
  } catch (error) {
    const { code, message } = toStoreError(error);
    if (code === 'damaged') throw damaged(path, message);
    throw code === 'busy' ? lockedDatabase(path, error) : unopenable(path, error);
  }
};

const setAside = (path: string, nowMs: number): string => {
  const target = `${path}.damaged-${fileTimestamp(nowMs)}`;
  for (const companion of companions) {
    if (existsSync(path + companion)) renameSync(path + companion, target + companion);
  }
  return target;
};

const connectOrSetAside = ({ path, nowMs, onDamaged }: OpenRequest) => {
  try {
    return { connection: connectSound(path), setAside: undefined };
  } catch (error) {
    const isDamaged = error instanceof StoreError && error.code === 'database_damaged';
    if (!isDamaged || onDamaged === 'fail') throw error;
    const target = setAside(path, nowMs);
    return { connection: connectSound(path), setAside: target };
  }
};

/**
 * Opens the database for writing, checks header and schema, and migrates it to this program's schema.
 * @throws StoreError, each message one sentence that names the file.
 */
export const openDatabase = (request: OpenRequest): OpenedDatabase => {
  const opened = connectOrSetAside(request);
  try {
    return { ...opened, ...migrate(opened.connection, request) };
  } catch (error) {
    opened.connection.close();
    throw isDamage(error) ? damaged(request.path, toStoreError(error).message) : error;
  }
};
