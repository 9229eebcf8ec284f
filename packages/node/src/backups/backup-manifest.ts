import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
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

/** A backup that is missing, incomplete or damaged. The message is a sentence for users. */
export class BackupUnusable extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'BackupUnusable';
  }
}

/** @throws BackupUnusable */
export async function readManifest(backup: string): Promise<BackupManifest> {
  const path = join(backup, manifestFileName);
  let manifest: unknown;
  try {
    manifest = JSON.parse(await readFile(path, 'utf8'));
  } catch (cause) {
    if (errnoOf(cause) === 'ENOENT' || errnoOf(cause) === 'ENOTDIR')
      throw new BackupUnusable(`${backup} is not a backup: it has no ${manifestFileName}.`, { cause });
    if (cause instanceof SyntaxError) throw new BackupUnusable(`${path} is not JSON.`, { cause });
    throw cause;
  }
  if (!Value.Check(BackupManifest, manifest)) {
    const [fault] = Value.Errors(BackupManifest, manifest);
    throw new BackupUnusable(`${path} is not valid: ${fault?.instancePath ?? ''} ${fault?.message ?? ''}.`);
  }
  return manifest;
}

export const bytesOf = ({ files }: BackupManifest): number =>
  Object.values(files).reduce((sum, { bytes }) => sum + bytes, 0);
