import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { errnoOf, writeFileDurably } from '@lcs/platform';
import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';

/** In a restored data folder until the node has logged it. */
const recordPath = (dataFolder: string): string => join(dataFolder, 'restored.json');

const RestoreRecord = Type.Object({
  /** The folder of the backup. */
  backup: Type.String(),
  version: Type.String(),
  /** When the backup was made, milliseconds since 1970 UTC like `restored_at`. */
  created_at: Type.Integer(),
  restored_at: Type.Integer(),
  /** The former data folder; null: there was none. */
  set_aside: Type.Union([Type.String(), Type.Null()]),
});
export type RestoreRecord = Static<typeof RestoreRecord>;

export const writeRestoreRecord = (dataFolder: string, record: RestoreRecord): Promise<void> =>
  writeFileDurably(recordPath(dataFolder), `${JSON.stringify(record)}\n`, { mode: 0o600 });

/** The restore that no start has logged yet; undefined: none, or its record cannot be read. */
export async function readRestoreRecord(dataFolder: string): Promise<RestoreRecord | undefined> {
  try {
    const record: unknown = JSON.parse(await readFile(recordPath(dataFolder), 'utf8'));
    return Value.Check(RestoreRecord, record) ? record : undefined;
  } catch (error) {
    if (errnoOf(error) === 'ENOENT' || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

export const removeRestoreRecord = (dataFolder: string): Promise<void> => rm(recordPath(dataFolder), { force: true });
