import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ApiError } from '@lcs/contract';
import { errnoOf } from '@lcs/platform';
import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';

/** In each backup; written last, so that a folder without it is not a backup. */
export const manifestFileName = 'backup.json';

export const BackupManifest = Type.Object({
  format: Type.Literal(1),
  product: Type.Literal('reactor'),
  /** The node whose data folder it was. */
  name: Type.String({ minLength: 1 }),
  version: Type.String({ minLength: 1 }),
  /** Milliseconds since 1970 UTC. */
  created_at: Type.Integer(),
  /** By path, relative and with slashes. */
  files: Type.Record(
    Type.String({ pattern: '^(?!/)(?!.*(^|/)\\.\\.(/|$))[^\\\\\\0]+$' }),
    Type.Object({
      bytes: Type.Integer({ minimum: 0 }),
      sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }),
    }),
    { additionalProperties: false },
  ),
});
export type BackupManifest = Static<typeof BackupManifest>;

/** @throws ApiError backup_not_found, backup_damaged */
export async function readManifest(backup: string): Promise<BackupManifest> {
  const path = join(backup, manifestFileName);
  let manifest: unknown;
  try {
    manifest = JSON.parse(await readFile(path, 'utf8'));
  } catch (cause) {
    if (errnoOf(cause) === 'ENOENT' || errnoOf(cause) === 'ENOTDIR')
      throw new ApiError('backup_not_found', { backup, cause: `It has no ${manifestFileName}.` });
    if (cause instanceof SyntaxError) throw new ApiError('backup_damaged', { backup, cause: `${path} is not JSON.` });
    throw cause;
  }
  if (!Value.Check(BackupManifest, manifest)) {
    const [fault] = Value.Errors(BackupManifest, manifest);
    const cause = `${path} is not valid: ${fault?.instancePath ?? ''} ${fault?.message ?? ''}.`;
    throw new ApiError('backup_damaged', { backup, cause });
  }
  return manifest;
}

export const bytesOf = ({ files }: BackupManifest): number =>
  Object.values(files).reduce((sum, { bytes }) => sum + bytes, 0);
