import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { checkIntegrity, errnoOf, fileTimestamp } from '@lcs/platform';
import { compareVersions } from '../archives/versions.ts';
import { openDataFolder } from '../data-folder/data-folder.ts';
import { type BackupManifest, BackupUnusable, readManifest } from './backup-manifest.ts';
import { copyDurably, hashFile, syncPath } from './durable-copy.ts';

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
  readonly signal: AbortSignal;
}

export interface Restored {
  readonly manifest: BackupManifest;
  /** The new path of the earlier data; undefined when there were none. */
  readonly setAside: string | undefined;
}

/**
 * Makes a data folder from a backup. Everything is copied beside it and checked before existing data are renamed and kept.
 * @throws BackupUnusable; StartupError when a node is running on the data folder
 */
export async function restoreBackup(order: BackupToRestore): Promise<Restored> {
  const { backup, dataFolder, version, replace, nowMs } = order;
  const manifest = await readManifest(backup);
  if (compareVersions(manifest.version, version) > 0)
    throw new BackupUnusable(`${backup} was made by version ${manifest.version}; this program is version ${version}.`);
  const isThere = await hasContent(dataFolder);
  if (isThere && !replace) {
    throw new BackupUnusable(`${dataFolder} is not empty. Use --replace to set its contents aside.`);
  }
  // A running node holds this lock, and no node can start while this function holds it.
  const held = isThere ? await openDataFolder(dataFolder) : undefined;
  const fresh = join(dirname(dataFolder), `.${basename(dataFolder)}.restoring`);
  try {
    await rm(fresh, { recursive: true, force: true });
    await mkdir(fresh, { recursive: true, mode: 0o700 });
    await copyChecked(order, manifest, fresh);
    const setAside = isThere ? `${dataFolder}.before-restore-${fileTimestamp(nowMs)}` : undefined;
    if (setAside === undefined) await rm(dataFolder, { recursive: true, force: true });
    else await rename(dataFolder, setAside);
    await rename(fresh, dataFolder);
    await syncPath(dirname(dataFolder));
    return { manifest, setAside };
  } finally {
    await rm(fresh, { recursive: true, force: true });
    await held?.close();
  }
}

async function hasContent(folder: string): Promise<boolean> {
  try {
    return (await readdir(folder)).length > 0;
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return false;
    if (errnoOf(error) === 'ENOTDIR') throw new BackupUnusable(`${folder} is a file.`, { cause: error });
    throw error;
  }
}

async function copyChecked({ backup, signal }: BackupToRestore, manifest: BackupManifest, fresh: string) {
  const folders = new Set([fresh]);
  for (const [name, expected] of Object.entries(manifest.files)) {
    const target = join(fresh, name);
    await mkdir(dirname(target), { recursive: true, mode: 0o700 });
    folders.add(dirname(target));
    await copyChanged(join(backup, name), target, { name, signal });
    const found = await hashFile(target, signal);
    if (found.sha256 !== expected.sha256 || found.bytes !== expected.bytes)
      throw new BackupUnusable(`${name} in ${backup} has changed since the backup: its SHA-256 differs.`);
    if (!name.endsWith('.sqlite')) continue;
    const [fault] = await checkIntegrity(target, signal);
    if (fault !== undefined) throw new BackupUnusable(`${name} in ${backup} is damaged: ${fault}`);
  }
  for (const folder of folders) await syncPath(folder);
}

async function copyChanged(
  from: string,
  to: string,
  { name, signal }: { readonly name: string; readonly signal: AbortSignal },
): Promise<void> {
  try {
    await copyDurably(from, to, signal);
  } catch (cause) {
    if (errnoOf(cause) === 'ENOENT') throw new BackupUnusable(`The backup lacks ${name}.`, { cause });
    throw cause;
  }
}
