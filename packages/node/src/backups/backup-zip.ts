import { join } from 'node:path';
import { ApiError } from '@lcs/contract';
import { isSecretOfBackup } from '../archives/data-folder-files.ts';
import { storedZip } from '../archives/stored-zip.ts';
import { manifestFileName, readManifest } from './backup-manifest.ts';

/**
 * A backup as a zip with one folder, which `lcs restore` accepts; without compression, file by file. It fails before its last member when
 * a file is missing, so that an incomplete archive cannot be opened.
 * @throws ApiError backup_not_found, backup_damaged
 */
export async function backupZip(place: string, folder: string): Promise<AsyncGenerator<Uint8Array>> {
  const path = join(place, folder);
  const made = await readManifest(path);
  // Backups of earlier versions have secrets in plain text that must not leave the machine.
  const manifest = {
    ...made,
    files: Object.fromEntries(Object.entries(made.files).filter(([name]) => !isSecretOfBackup(name, name))),
  };
  const files = Object.keys(manifest.files).map((name) => ({ name: `${folder}/${name}`, path: join(path, name) }));
  const summary = (packed: readonly string[]) => {
    const missing = files.find(({ name }) => !packed.includes(name));
    if (missing !== undefined)
      throw new ApiError('backup_damaged', { backup: folder, cause: `It lacks ${missing.name}.` });
    return { name: `${folder}/${manifestFileName}`, text: `${JSON.stringify(manifest, null, 1)}\n` };
  };
  return storedZip(files, summary, manifest.created_at);
}
