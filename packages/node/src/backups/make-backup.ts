import { link, mkdir, readdir, readFile, rename, rm, stat, statfs, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ApiError } from '@lcs/contract';
import {
  checkIntegrity,
  errnoOf,
  fileTimestamp,
  snapshotDatabase,
  withoutPlainSecrets,
  writeFileDurably,
} from '@lcs/platform';
import { type ArchivedFile, backedUpFiles } from '../archives/data-folder-files.ts';
import { type BackupManifest, manifestFileName } from './backup-manifest.ts';
import { type CopiedFile, copyDurably, hashFile, syncPath } from './durable-copy.ts';
import { sealedKeys, sealedKeysName } from './sealed-keys.ts';

export interface BackupToMake {
  readonly dataFolder: string;
  /** An existing folder, preferably on another disk: the backup becomes a folder in it. */
  readonly destination: string;
  /** Of the node. */
  readonly name: string;
  readonly version: string;
  readonly nowMs: number;
  /** Encrypts the keys of the machine; undefined: the backup omits them. */
  readonly passphrase?: string | undefined;
  /**
   * Whether a file, by its path in the data folder, is only ever written as a whole under a new name. On the disk of the node such a file is
   * linked, so that each backup does not store it again; a defect of that disk would reach a copy as well.
   */
  readonly isUnchanging?: (name: string) => boolean;
  readonly signal: AbortSignal;
  /** `fraction` 0..1 of the bytes. */
  readonly progress: (fraction: number, message: string) => void;
}

export interface MadeBackup {
  readonly path: string;
  readonly manifest: BackupManifest;
}

/** Space that a backup leaves free on its disk. */
const spareBytes = 64 * 1_048_576;

const partialPrefix = '.partial-';

/** The prefix of backups of a node; the timestamp after it sorts. */
export const backupPrefix = (name: string): string => `backup-${name}-`;

/**
 * Copies everything that a node needs to continue on another machine. Databases are copied in a consistent state and checked; the backup
 * receives its name when it is complete and on disk. Only its owner can read it. Secrets of `leader.ini` and keys
 * are in it only encrypted.
 * @throws ApiError backup_failed when the disk is full or a database is damaged; StoreError; the signal's reason
 */
export async function makeBackup(order: BackupToMake): Promise<MadeBackup> {
  const { destination: place, name, nowMs } = order;
  const folder = `${backupPrefix(name)}${fileTimestamp(nowMs)}`;
  const partial = join(place, partialPrefix + folder);
  await clearPartials(place, name);
  const found = await backedUpFiles(order.dataFolder);
  await expectFreeSpace(order, found);
  try {
    await mkdir(partial, { mode: 0o700 });
    const databases = found.filter(({ kind }) => kind === 'database');
    const copied = await copyAll(order, databases, { partial, done: 0, of: found.length });
    // A file is on disk before the row that names it: those of the copied rows are found now.
    const files = (await backedUpFiles(order.dataFolder)).filter(({ kind }) => kind !== 'database');
    const counts = { done: databases.length, of: databases.length + files.length };
    Object.assign(copied, await copyAll(order, files, { partial, ...counts }));
    await addKeys(order, partial, copied);
    const manifest: BackupManifest = {
      format: 1,
      product: 'reactor',
      name,
      version: order.version,
      created_at: nowMs,
      files: copied,
    };
    await writeFile(join(partial, manifestFileName), `${JSON.stringify(manifest, null, 1)}\n`, { mode: 0o600 });
    await syncPath(join(partial, manifestFileName));
    for (const { name: inside } of files.filter(({ kind }) => kind === 'folder')) await syncPath(join(partial, inside));
    await syncPath(partial);
    order.signal.throwIfAborted();
    await rename(partial, join(place, folder));
    await syncPath(place);
    return { path: join(place, folder), manifest };
  } catch (error) {
    await rm(partial, { recursive: true, force: true });
    throw error;
  }
}

/** Removes what an interrupted backup has left. */
async function clearPartials(place: string, name: string): Promise<void> {
  const left = (await readdir(place)).filter((entry) => entry.startsWith(partialPrefix + backupPrefix(name)));
  for (const entry of left) await rm(join(place, entry), { recursive: true, force: true });
}

async function expectFreeSpace(
  { destination: place, dataFolder, isUnchanging = () => false }: BackupToMake,
  files: readonly ArchivedFile[],
): Promise<void> {
  const { bavail, bsize } = await statfs(place);
  const isSameDisk = (await stat(place)).dev === (await stat(dataFolder)).dev;
  let needed = spareBytes;
  for (const { name, path, kind } of files)
    if (kind !== 'folder' && !(isSameDisk && isUnchanging(name)))
      needed += await unlessRemoved(
        path,
        stat(path).then(({ size }) => size),
        0,
      );
  if (bavail * bsize >= needed) return;
  const megabytes = (bytes: number) => Math.ceil(bytes / 1_048_576);
  const cause = `${place} has ${megabytes(bavail * bsize)} MB free; the backup needs ${megabytes(needed)} MB.`;
  throw new ApiError('backup_failed', { cause });
}

interface CopyRun {
  readonly partial: string;
  /** Files that are copied already, of so many. */
  readonly done: number;
  readonly of: number;
}

async function copyAll(order: BackupToMake, files: readonly ArchivedFile[], { partial, of, ...run }: CopyRun) {
  const copied: Record<string, CopiedFile> = {};
  let { done } = run;
  for (const file of files) {
    order.signal.throwIfAborted();
    const target = join(partial, file.name);
    order.progress(done / of, `Copying ${file.name}.`);
    await mkdir(file.kind === 'folder' ? target : dirname(target), { recursive: true, mode: 0o700 });
    if (file.kind !== 'folder' && (await copyOne(file, target, order)))
      copied[file.name] = await hashFile(target, order.signal);
    done += 1;
  }
  return copied;
}

async function addKeys(
  { dataFolder, passphrase, signal }: BackupToMake,
  partial: string,
  copied: Record<string, CopiedFile>,
): Promise<void> {
  if (passphrase === undefined || passphrase === '') return;
  const path = join(partial, sealedKeysName);
  await writeFileDurably(path, await sealedKeys(dataFolder, passphrase));
  copied[sealedKeysName] = await hashFile(path, signal);
}

/** `leader.ini` without the secrets that a person has written since the last start: the start encrypts them. */
async function copyLeaderFile(path: string, target: string): Promise<boolean> {
  await writeFileDurably(target, withoutPlainSecrets(await readFile(path, 'utf8')), { mode: 0o600 });
  return true;
}

/** Another disk, or a file system without links. */
const linkFaults: ReadonlySet<string | undefined> = new Set(['EXDEV', 'EPERM', 'EMLINK', 'ENOTSUP', 'EOPNOTSUPP']);

async function linkOrCopy(path: string, target: string, signal: AbortSignal): Promise<void> {
  try {
    await link(path, target);
  } catch (error) {
    if (!linkFaults.has(errnoOf(error))) throw error;
    await copyDurably(path, target, signal);
  }
}

/** Whether the file still existed: a running node may remove files meanwhile. */
async function copyOne(
  { name, path, kind }: ArchivedFile,
  target: string,
  { signal, isUnchanging = () => false }: BackupToMake,
): Promise<boolean> {
  if (name === 'leader.ini') return unlessRemoved(path, copyLeaderFile(path, target), false);
  if (kind === 'file')
    return unlessRemoved(
      path,
      (isUnchanging(name) ? linkOrCopy(path, target, signal) : copyDurably(path, target, signal)).then(() => true),
      false,
    );
  await snapshotDatabase(path, target, signal);
  await syncPath(target);
  const [fault] = await checkIntegrity(target, signal);
  if (fault !== undefined) throw new ApiError('backup_failed', { cause: `The copy of ${name} is damaged: ${fault}` });
  return true;
}

/** `otherwise`: the result if the file was removed before. */
async function unlessRemoved<Result>(path: string, work: Promise<Result>, otherwise: Result): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    if (errnoOf(error) === 'ENOENT' && Reflect.get(Object(error), 'path') === path) return otherwise;
    throw error;
  }
}
