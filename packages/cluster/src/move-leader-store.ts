import { existsSync } from 'node:fs';
import { dirname, join, resolve, sep } from 'node:path';
import { auditDatabaseFile, auditMigrations, leaderDatabaseFile, leaderMigrations } from '@lcs/leader';
import { jobMigrations, openDataFolder } from '@lcs/node';
import {
  type CrashAt,
  crashPoint,
  type Log,
  type MoveEngine,
  MoveRefused,
  moveStores,
  type NamedStore,
  realClock,
  type StoreReport,
  type StoresMove,
  taskMigrations,
} from '@lcs/platform';
import { createFolder } from './create-folder.ts';
import { auditSchema, storeSchema } from './leader-schemas.ts';

/** Where the store of a leader is: its data folder, or a database of PostgreSQL. */
export type StorePlace = { readonly is: 'folder'; readonly path: string } | Extract<MoveEngine, { is: 'postgres' }>;

export interface LeaderStoreMove extends Pick<StoresMove, 'onProgress'> {
  readonly from: StorePlace;
  readonly to: StorePlace;
  readonly log: Log;
  readonly crashAt?: CrashAt | undefined;
}

/** A place as people write it: `postgres://…`, a data folder, or the file of its store; both also behind `sqlite:`. */
export function storePlace(text: string): StorePlace {
  if (/^postgres(ql)?:\/\//.test(text)) return { is: 'postgres', url: text };
  const path = resolve(text.replace(/^sqlite:/, ''));
  const file = `${sep}${leaderDatabaseFile}`;
  return { is: 'folder', path: path.endsWith(file) ? path.slice(0, -file.length) : path };
}

const storesIn = (folder: string): readonly NamedStore[] => [
  { name: 'audit', path: join(folder, auditDatabaseFile), schema: auditSchema, migrations: auditMigrations },
  {
    name: 'store',
    path: join(folder, leaderDatabaseFile),
    schema: storeSchema,
    migrations: [...taskMigrations, ...jobMigrations, ...leaderMigrations],
  },
];

const engineOf = (place: StorePlace): MoveEngine => (place.is === 'folder' ? { is: 'sqlite' } : place);

/**
 * Moves the store and the audit of a leader that does not run from one engine to the other.
 * @throws StartupError when a leader uses the data folder; MoveRefused; StoreError
 */
export async function moveLeaderStore({
  from,
  to,
  log,
  crashAt,
  onProgress,
}: LeaderStoreMove): Promise<readonly StoreReport[]> {
  const path = from.is === 'folder' ? from.path : to.is === 'folder' ? to.path : undefined;
  if (path === undefined || from.is === to.is)
    throw new MoveRefused(
      'Both places have the same engine.',
      'Move from a data folder to PostgreSQL, or from PostgreSQL to a data folder.',
    );
  if (from.is === 'folder' && !existsSync(join(path, leaderDatabaseFile)))
    throw new MoveRefused(`There is no store of a leader in ${path}.`, 'Name the data folder of the leader.');
  const folder = await openDataFolder(path);
  try {
    await createFolder(join(folder.path, dirname(leaderDatabaseFile)));
    return await moveStores({
      from: engineOf(from),
      to: engineOf(to),
      stores: storesIn(folder.path),
      clock: realClock(),
      log,
      onProgress,
      onPoint: crashPoint(crashAt),
    });
  } finally {
    await folder.close();
  }
}
