import { constants, createWriteStream } from 'node:fs';
import { copyFile, lstat, mkdir, open, readdir, readFile, realpath, stat } from 'node:fs/promises';
import { dirname, isAbsolute, join, sep } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { ApiError } from '@lcs/contract';
import { openZip, ZipFault, type ZipMember } from '@lcs/node';
import { errnoOf, reasonOf } from '@lcs/platform';

/** Of an archive: years of readings in one database, some hundred small files. */
const archiveLimits = { entries: 20_000, totalBytes: 64 * 1024 ** 3, ratio: 200 };

/** Larger files are neither profiles nor calibrations nor configuration. */
const mostTextBytes = 1_048_576;
const mostFiles = 5_000;

const databaseName = 'pioreactor.sqlite';
/** Where the database is, below a folder that a person may give. */
const databasePlaces = [join('storage', databaseName), join('.pioreactor', 'storage', databaseName), databaseName];

/** Caches of the machine: which calibrations are active. */
export const localCachesPlace = 'storage/local_persistent_metadata.sqlite';

const sqliteHeader = 'SQLite format 3\0';

/** A folder of the other system. Paths of its files are relative to it. */
export interface SourceFolder {
  /** Without links. */
  readonly root: string;
  /** Absolute, without links. */
  readonly databasePath: string;
}

const invalid = (cause: string) => new ApiError('import_source_invalid', { cause });

export const isBelow = (root: string, path: string): boolean => path.startsWith(root.endsWith(sep) ? root : root + sep);

/** The folder that contains the database. @throws ApiError import_source_invalid */
export async function findSource(folder: string): Promise<SourceFolder> {
  if (!isAbsolute(folder) || folder.includes('\0')) throw invalid(`${folder} is not the full path of a folder.`);
  let root: string;
  try {
    root = await realpath(folder);
    if (!(await stat(root)).isDirectory()) throw invalid(`${folder} is not a folder.`);
  } catch (error) {
    if (error instanceof ApiError || errnoOf(error) === undefined) throw error;
    throw invalid(`${folder} cannot be read: ${reasonOf(error)}.`);
  }
  for (const place of databasePlaces) {
    const path = join(root, place);
    try {
      const databasePath = await realpath(path);
      if (!isBelow(root, databasePath)) throw invalid(`${place} is a link that leads out of the folder.`);
      await expectDatabase(databasePath);
      // Files are beside `storage`; its links do not move them.
      const base = await realpath(dirname(place) === '.' ? root : dirname(dirname(path)));
      if (base !== root && !isBelow(root, base))
        throw invalid(`${place} is below a link that leads out of the folder.`);
      await expectNoJournal(databasePath);
      return { root: base, databasePath };
    } catch (error) {
      if (errnoOf(error) === 'ENOENT' || errnoOf(error) === 'ENOTDIR') continue;
      if (error instanceof ApiError || errnoOf(error) === undefined) throw error;
      throw invalid(`${path} cannot be read: ${reasonOf(error)}.`);
    }
  }
  throw invalid(`${folder} does not contain ${databasePlaces[0]}.`);
}

/** @throws ApiError import_source_invalid */
async function expectDatabase(path: string): Promise<void> {
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    if (!(await file.stat()).isFile()) throw invalid(`${databaseName} is not a file.`);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(sqliteHeader.length), 0, sqliteHeader.length, 0);
    if (bytesRead < sqliteHeader.length || buffer.toString('latin1') !== sqliteHeader)
      throw invalid(`${databaseName} is not an SQLite database.`);
  } finally {
    await file.close();
  }
}

/** The first bytes of a journal that has not been ended (https://sqlite.org/fileformat.html, section 3). */
const journalHeader = 'd9d505f920a163d7';

/** A transaction that was not ended: the database alone is not consistent. @throws ApiError import_source_invalid */
async function expectNoJournal(databasePath: string): Promise<void> {
  const header = await bytesOf(`${databasePath}-journal`, 0, 8);
  if (header === journalHeader)
    throw invalid(
      `${databaseName}-journal is beside the database: something is writing it. Stop the services of the other leader first.`,
    );
}

/** Some bytes of a file as hexadecimal text; empty: it does not exist or is not a file. */
async function bytesOf(path: string, from: number, length: number): Promise<string> {
  let file: Awaited<ReturnType<typeof open>>;
  try {
    file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return '';
    throw error;
  }
  try {
    if (!(await file.stat()).isFile()) return '';
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, from);
    return buffer.toString('hex', 0, bytesRead);
  } finally {
    await file.close();
  }
}

/** Whether a member of an archive is needed, its path relative to the folder of the other system. */
const isNeeded = (path: string): boolean =>
  path === `storage/${databaseName}` ||
  path === `storage/${databaseName}-wal` ||
  path === localCachesPlace ||
  /^(unit_)?config[^/]*\.ini$/.test(path) ||
  /^experiment_profiles\/[^/]+\.ya?ml$/.test(path) ||
  /^storage\/(calibrations|estimators)\/[^/]+\/[^/]+\.ya?ml$/.test(path);

/** The folder in an archive above `storage/pioreactor.sqlite`; the shortest one. */
function prefixIn(members: readonly ZipMember[]): string {
  const end = `storage/${databaseName}`;
  const places = members
    .filter(({ name }) => name === end || name.endsWith(`/${end}`))
    .map(({ name }) => name.slice(0, -end.length));
  const [shortest] = places.toSorted((a, b) => a.length - b.length);
  if (shortest === undefined) throw invalid(`The archive does not contain ${end}.`);
  return shortest;
}

async function withArchive<Result>(
  path: string,
  use: (needed: readonly (ZipMember & { readonly place: string })[]) => Promise<Result>,
): Promise<Result> {
  let zip: Awaited<ReturnType<typeof openZip>> | undefined;
  try {
    zip = await openZip(path, archiveLimits);
    const prefix = prefixIn(zip.members);
    const needed = zip.members.flatMap((member) => {
      const place = member.name.slice(prefix.length);
      const isWanted = member.name.startsWith(prefix) && !member.isFolder && isNeeded(place);
      return isWanted ? [{ ...member, place, open: () => member.open() }] : [];
    });
    return await use(needed);
  } catch (error) {
    if (error instanceof ZipFault) throw invalid(error.message);
    throw error;
  } finally {
    zip?.close();
  }
}

/** Checks what can be checked without unpacking. @throws ApiError import_source_invalid */
export const checkArchive = (path: string): Promise<void> => withArchive(path, async () => {});

/**
 * Unpacks the needed files of an archive into a new folder.
 * @throws ApiError import_source_invalid, storage_full
 */
export const unpackArchive = (
  path: string,
  target: string,
  { freeBytes, signal }: { readonly freeBytes: number; readonly signal: AbortSignal },
): Promise<SourceFolder> =>
  withArchive(path, async (needed) => {
    const bytes = needed.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    if (bytes > freeBytes) throw new ApiError('storage_full', {});
    for (const member of needed) {
      const place = join(target, member.place);
      await mkdir(dirname(place), { recursive: true, mode: 0o700 });
      try {
        await pipeline(await member.open(), createWriteStream(place, { flags: 'wx', mode: 0o600 }), { signal });
      } catch (error) {
        signal.throwIfAborted();
        if (errnoOf(error) === 'ENOSPC') throw new ApiError('storage_full', {});
        throw invalid(`${member.name} is damaged (${reasonOf(error)}).`);
      }
    }
    return findSource(target);
  });

const sizeOf = async (path: string): Promise<number> => {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return 0;
    throw error;
  }
};

/** Where the salts of a write-ahead log are; a log that starts again has others (https://sqlite.org/fileformat.html, section 4.1). */
const walSalts = { from: 16, length: 8 };

/** Size and time of the database and of its write-ahead log, with the salts of that: they differ when something has written them. */
export async function fingerprintOf({ databasePath }: SourceFolder): Promise<string> {
  const { size, mtimeMs } = await stat(databasePath);
  const wal = `${databasePath}-wal`;
  const log = await stat(wal).catch((error: unknown) => {
    if (errnoOf(error) === 'ENOENT') return undefined;
    throw error;
  });
  const salts = await bytesOf(wal, walSalts.from, walSalts.length);
  return JSON.stringify([size, mtimeMs, log?.size ?? 0, log?.mtimeMs ?? 0, salts]);
}

/** The database as it can be read without writing anything beside it. */
export interface ReadableDatabase {
  readonly path: string;
  readonly isImmutable: boolean;
  readonly bytes: number;
}

/**
 * With a write-ahead log the database is copied: reading it in its place would write there.
 * @throws ApiError storage_full
 */
export async function readableDatabase(
  { databasePath }: SourceFolder,
  workFolder: string,
  freeBytes: number,
): Promise<ReadableDatabase> {
  const [bytes, walBytes] = [await sizeOf(databasePath), await sizeOf(`${databasePath}-wal`)];
  if (walBytes === 0) return { path: databasePath, isImmutable: true, bytes };
  if (bytes + walBytes > freeBytes) throw new ApiError('storage_full', {});
  const path = join(workFolder, 'source.sqlite');
  await copyFile(databasePath, path);
  await copyFile(`${databasePath}-wal`, `${path}-wal`);
  return { path, isImmutable: false, bytes: bytes + walBytes };
}

/** A text of the folder, or why it cannot be used. */
export type SourceText =
  | { readonly file: string; readonly text: string }
  | { readonly file: string; readonly fault: string };

/** Files of a folder of the source whose names match, with their texts; links that lead out of it are not followed. */
export async function* textsIn({ root }: SourceFolder, folder: string, matches: RegExp): AsyncGenerator<SourceText> {
  for (const name of (await namesIn(join(root, folder))).slice(0, mostFiles)) {
    if (!matches.test(name)) continue;
    const file = join(folder, name);
    yield { file, ...(await textOf(root, file)) };
  }
}

/** Names of the folders in a folder of the source. */
export const foldersIn = async ({ root }: SourceFolder, folder: string): Promise<readonly string[]> => {
  const names = (await namesIn(join(root, folder))).slice(0, mostFiles);
  const folders = await Promise.all(
    names.map(async (name) => ((await isFolder(join(root, folder, name))) ? [name] : [])),
  );
  return folders.flat();
};

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await lstat(path)).isDirectory();
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return false;
  }
}

async function namesIn(path: string): Promise<readonly string[]> {
  try {
    return (await readdir(path)).toSorted();
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return [];
  }
}

async function textOf(root: string, file: string): Promise<{ readonly text: string } | { readonly fault: string }> {
  try {
    const path = await realpath(join(root, file));
    if (!isBelow(root, path)) return { fault: 'It is a link that leads out of the folder.' };
    const found = await stat(path);
    if (!found.isFile()) return { fault: 'It is not a file.' };
    if (found.size > mostTextBytes) return { fault: `It is larger than ${mostTextBytes} bytes.` };
    return { text: await readFile(path, 'utf8') };
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return { fault: `It cannot be read: ${reasonOf(error)}.` };
  }
}
