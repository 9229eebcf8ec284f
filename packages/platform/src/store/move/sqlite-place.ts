import { closeSync, existsSync, fsyncSync, openSync, renameSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { openDatabase } from '../open-database.ts';
import { MoveRefused } from './move-refused.ts';
import { SqliteMoveEnd } from './sqlite-move-end.ts';
import type { NamedStore, PlaceTools, SourcePlace, TargetPlace } from './stores-of-place.ts';

/** Of a file that is not complete. */
const movingPath = (path: string): string => `${path}.moving`;

function syncToDisk(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** @throws MoveRefused when a file is missing; StoreError */
export function openSqliteSource(stores: readonly NamedStore[]): SourcePlace {
  for (const { path } of stores)
    if (!existsSync(path))
      throw new MoveRefused(
        `There is no store in ${path}.`,
        'Check the path after --from: the data folder of the leader.',
      );
  const ends = stores.map(({ path }) => new SqliteMoveEnd(new DatabaseSync(path, { readOnly: true, timeout: 5_000 })));
  return {
    stores: ends,
    close: () => {
      for (const end of ends) end.close();
    },
  };
}

/** Where rows go. A file that has its name already is complete: the process ended between two names. */
function pathsToFill(stores: readonly NamedStore[]): readonly string[] {
  const last = stores.at(-1)?.path ?? '';
  const wasBegun = existsSync(movingPath(last));
  return stores.map(({ path }) => {
    if (!existsSync(path)) return movingPath(path);
    if (wasBegun && path !== last && !existsSync(movingPath(path))) return path;
    throw new MoveRefused(
      `The target has data: ${path}.`,
      'Choose another data folder, or move its files of the store to another place.',
    );
  });
}

/** The folder must exist. @throws MoveRefused when a store is there; StoreError */
export function openSqliteTarget(stores: readonly NamedStore[], { nowMs }: PlaceTools): TargetPlace {
  const paths = pathsToFill(stores);
  const connections = stores.map(({ migrations }, at) => {
    const path = paths[at] ?? '';
    const { connection } = openDatabase({ path, migrations, nowMs, onPoint: () => {}, onDamaged: 'fail' });
    // What is lost with the power is copied again.
    connection.exec('pragma synchronous = normal');
    return connection;
  });
  const ends = connections.map((connection) => new SqliteMoveEnd(connection));
  return {
    stores: ends,
    finish: async () => {
      for (const connection of connections) {
        connection.exec('pragma wal_checkpoint(truncate)');
        connection.close();
      }
      for (const path of paths) syncToDisk(path);
      for (const [at, { path }] of stores.entries()) {
        renameSync(paths[at] ?? path, path);
        syncToDisk(dirname(path));
      }
    },
    close: () => {
      for (const connection of connections) if (connection.isOpen) connection.close();
    },
  };
}
