import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ApiError } from '@lcs/contract';
import { type BackupManifest, bytesOf, readManifest } from './backup-manifest.ts';
import { type BackupRetention, expiredBackups } from './backup-retention.ts';
import { backupPrefix } from './make-backup.ts';

export interface FoundBackup {
  /** Its folder below the place. */
  readonly folder: string;
  readonly createdAtMs: number;
  readonly version: string;
  readonly bytes: number;
}

/** The backups of a node in a folder, newest first; incomplete ones are omitted. */
export async function listBackups(place: string, name: string): Promise<readonly FoundBackup[]> {
  const folders = (await readdir(place)).filter((entry) => entry.startsWith(backupPrefix(name)));
  const found: FoundBackup[] = [];
  for (const folder of folders) {
    const manifest = await manifestOf(join(place, folder));
    if (manifest?.name !== name) continue;
    const { created_at: createdAtMs, version } = manifest;
    found.push({ folder, createdAtMs, version, bytes: bytesOf(manifest) });
  }
  return found.sort((a, b) => b.createdAtMs - a.createdAtMs);
}

/** Removes expired backups; resolves to their folders. */
export async function pruneBackups(place: string, name: string, retention: BackupRetention): Promise<string[]> {
  const found = await listBackups(place, name);
  const expired = new Set(
    expiredBackups(
      found.map(({ createdAtMs }) => createdAtMs),
      retention,
    ),
  );
  const removed = found.filter(({ createdAtMs }) => expired.has(createdAtMs)).map(({ folder }) => folder);
  for (const folder of removed) await rm(join(place, folder), { recursive: true });
  return removed;
}

async function manifestOf(backup: string): Promise<BackupManifest | undefined> {
  try {
    return await readManifest(backup);
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}
