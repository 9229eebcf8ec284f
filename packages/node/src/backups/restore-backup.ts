import { mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { ApiError } from '@lcs/contract';
import { compareVersions } from '@lcs/domain';
import { checkIntegrity, errnoOf, fileTimestamp } from '@lcs/platform';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { openDataFolder } from '../data-folder/data-folder.ts';
import { type BackupManifest, readManifest } from './backup-manifest.ts';
import { copyDurably, hashFile, syncPath } from './durable-copy.ts';
import { writeRestoreRecord } from './restore-record.ts';
import { copyKeys, openSealedKeys, sealedKeysName } from './sealed-keys.ts';

export interface BackupToRestore {
  /** The folder of the backup. */
  readonly backup: string;
  /** The new data folder. */
  readonly dataFolder: string;
  /** The version of this program; it cannot read data of a newer one. */
  readonly version: string;
  /** Sets existing data aside instead of refusing. */
  readonly replace: boolean;
  readonly nowMs: number;
  /** Of the keys in the backup; undefined: they are not restored. */
  readonly passphrase?: string | undefined;
  readonly signal: AbortSignal;
}

export interface Restored {
  readonly manifest: BackupManifest;
  /** The new path of the earlier data; undefined when there were none. */
  readonly setAside: string | undefined;
  /**
   * `kept`: those of the earlier data, which are of the same node; `locked`: the backup has keys, and no passphrase was given.
   */
  readonly keys: 'none' | 'locked' | 'kept' | 'restored';
  /** Folders of the earlier data that stay in the data folder. */
  readonly kept: readonly string[];
}

/**
 * Makes a data folder from a backup. Everything is copied beside it and checked before existing data are renamed and kept.
 * @throws ApiError backup_not_found, backup_damaged, backup_passphrase_wrong, backup_newer, data_folder_not_empty; StartupError when a node is running on the
 * data folder
 */
export async function restoreBackup(order: BackupToRestore): Promise<Restored> {
  const { backup, dataFolder, version, replace, nowMs } = order;
  const manifest = await readManifest(backup);
  if (compareVersions(manifest.version, version) > 0)
    throw new ApiError('backup_newer', { backup, made: manifest.version, version });
  const isThere = await hasContent(dataFolder);
  if (isThere && !replace) throw new ApiError('data_folder_not_empty', { folder: dataFolder });
  // A running node holds this lock, and no node can start while this function holds it.
  const held = isThere ? await openDataFolder(dataFolder) : undefined;
  const fresh = join(dirname(dataFolder), `.${basename(dataFolder)}.restoring`);
  try {
    await rm(fresh, { recursive: true, force: true });
    await mkdir(fresh, { recursive: true, mode: 0o700 });
    await copyChecked(order, manifest, fresh);
    const ofBackup = await restoreKeys(order, manifest, fresh);
    const keepsKeys = ofBackup !== 'restored' && isThere && (await isSameNode(dataFolder, fresh));
    if (keepsKeys) await copyKeys(dataFolder, fresh);
    const setAside = isThere ? `${dataFolder}.before-restore-${fileTimestamp(nowMs)}` : undefined;
    const record = { backup, version: manifest.version, created_at: manifest.created_at, restored_at: nowMs };
    await writeRestoreRecord(fresh, { ...record, set_aside: setAside ?? null });
    if (setAside === undefined) await rm(dataFolder, { recursive: true, force: true });
    else await rename(dataFolder, setAside);
    await rename(fresh, dataFolder);
    const kept = setAside === undefined ? [] : await keepFolders(setAside, dataFolder);
    await syncPath(dirname(dataFolder));
    return { manifest, setAside, keys: keepsKeys ? 'kept' : ofBackup, kept };
  } finally {
    await rm(fresh, { recursive: true, force: true });
    await held?.close();
  }
}

/** No backup has them: the backups themselves, and the units of a demonstration. */
const keptFolders = ['backups', 'units'] as const;

async function keepFolders(setAside: string, dataFolder: string): Promise<readonly string[]> {
  const kept: string[] = [];
  for (const name of keptFolders) {
    try {
      await rename(join(setAside, name), join(dataFolder, name));
      kept.push(name);
    } catch (error) {
      if (errnoOf(error) !== 'ENOENT') throw error;
    }
  }
  await syncPath(dataFolder);
  return kept;
}

const Identity = Type.Object({ id: Type.String({ minLength: 1 }) });

/** The ID of the node whose data folder it is; undefined: it has none that can be read. */
async function nodeIdOf(dataFolder: string): Promise<string | undefined> {
  try {
    const identity: unknown = JSON.parse(await readFile(join(dataFolder, 'identity.json'), 'utf8'));
    return Value.Check(Identity, identity) ? identity.id : undefined;
  } catch (error) {
    if (errnoOf(error) === 'ENOENT' || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

async function isSameNode(one: string, other: string): Promise<boolean> {
  const id = await nodeIdOf(one);
  return id !== undefined && id === (await nodeIdOf(other));
}

async function restoreKeys(
  { backup, passphrase }: BackupToRestore,
  { files }: BackupManifest,
  fresh: string,
): Promise<Exclude<Restored['keys'], 'kept'>> {
  if (!Object.hasOwn(files, sealedKeysName)) return 'none';
  await rm(join(fresh, sealedKeysName));
  if (passphrase === undefined) return 'locked';
  if (!(await openSealedKeys(backup, passphrase, fresh))) throw new ApiError('backup_passphrase_wrong', { backup });
  return 'restored';
}

async function hasContent(folder: string): Promise<boolean> {
  try {
    return (await readdir(folder)).length > 0;
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return false;
    if (errnoOf(error) === 'ENOTDIR') throw new ApiError('data_folder_not_empty', { folder, isFile: true });
    throw error;
  }
}

async function copyChecked({ backup, signal }: BackupToRestore, manifest: BackupManifest, fresh: string) {
  const folders = new Set([fresh]);
  for (const [name, expected] of Object.entries(manifest.files)) {
    const target = join(fresh, name);
    await mkdir(dirname(target), { recursive: true, mode: 0o700 });
    folders.add(dirname(target));
    await copyMember(backup, name, { target, signal });
    const found = await hashFile(target, signal);
    if (found.sha256 !== expected.sha256 || found.bytes !== expected.bytes)
      throw new ApiError('backup_damaged', { backup, cause: `${name} has changed: its SHA-256 differs.` });
    if (!name.endsWith('.sqlite')) continue;
    const [fault] = await checkIntegrity(target, signal);
    if (fault !== undefined) throw new ApiError('backup_damaged', { backup, cause: `${name} is damaged: ${fault}` });
  }
  for (const folder of folders) await syncPath(folder);
}

async function copyMember(
  backup: string,
  name: string,
  { target, signal }: { readonly target: string; readonly signal: AbortSignal },
): Promise<void> {
  try {
    await copyDurably(join(backup, name), target, signal);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') throw new ApiError('backup_damaged', { backup, cause: `It lacks ${name}.` });
    throw error;
  }
}
