import { realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { errnoOf } from '@lcs/platform';
import { isSourceFault } from './source-database.ts';
import { isBelow, localCachesPlace, type SourceFolder } from './source-folder.ts';

/** Devices of one machine; the other system has ten. */
const mostDevices = 1_000;

export type UnitFileKind = 'calibration' | 'estimator';

/** Longer texts are no names of files. */
const longestName = 1_000;

/** Names of the active calibrations and estimators of the machine that the folder is from, by device. */
export type ActiveFiles = Readonly<Record<UnitFileKind, ReadonlyMap<string, string>>>;

const none: ReadonlyMap<string, string> = new Map();

function readCache(database: DatabaseSync, kind: UnitFileKind): ReadonlyMap<string, string> {
  const table = `cache_active_${kind}s`;
  const isThere = database.prepare("select 1 from sqlite_schema where type = 'table' and name = ?").get(table);
  if (isThere === undefined) return none;
  const rows = database
    .prepare(`select cast(key as text) as device, value as name from ${table} where typeof(value) = 'text'
      and length(value) <= ?1 and length(key) <= ?1 limit ?2`)
    .all(longestName, mostDevices);
  return new Map(rows.map(({ device, name }) => [String(device), String(name)]));
}

/** A file that is missing or damaged names none: then nothing becomes active. */
export async function activeFiles({ root }: SourceFolder): Promise<ActiveFiles> {
  let path: string;
  try {
    path = await realpath(join(root, localCachesPlace));
    // Opening a pipe would wait for ever.
    if (!(await stat(path)).isFile()) return { calibration: none, estimator: none };
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return { calibration: none, estimator: none };
  }
  if (!isBelow(root, path)) return { calibration: none, estimator: none };
  const url = pathToFileURL(path);
  url.searchParams.set('immutable', '1');
  try {
    using database = new DatabaseSync(url, { readOnly: true });
    database.exec('pragma trusted_schema = off');
    return { calibration: readCache(database, 'calibration'), estimator: readCache(database, 'estimator') };
  } catch (error) {
    if (isSourceFault(error)) return { calibration: none, estimator: none };
    throw error;
  }
}
