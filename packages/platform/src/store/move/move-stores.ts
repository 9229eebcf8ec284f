import type { Clock } from '../../clock/clock.ts';
import type { Log } from '../../log/log.ts';
import { toStoreError } from '../store-error.ts';
import { checkVersion, type MoveProgress, moveStore, type TableReport } from './move-store.ts';
import { openPostgresSource, openPostgresTarget } from './postgres-place.ts';
import { openSqliteSource, openSqliteTarget } from './sqlite-place.ts';
import type { NamedStore, SourcePlace, TargetPlace } from './stores-of-place.ts';

/** Where stores are: in files, or in a database of this URL. */
export type MoveEngine = { readonly is: 'sqlite' } | { readonly is: 'postgres'; readonly url: string };

export interface StoresMove {
  readonly from: MoveEngine;
  readonly to: MoveEngine;
  readonly stores: readonly NamedStore[];
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Log;
  readonly onProgress: (progress: MoveProgress & { readonly store: string }) => void;
  /** Called at points of the move, for crash tests; also at `move.compared`. */
  readonly onPoint: (point: string) => void;
}

export interface StoreReport {
  readonly name: string;
  readonly tables: readonly TableReport[];
}

/**
 * Moves the stores of a node that does not run to the other engine, and compares both sides. The source is not changed. The target has its
 * names at the end only; until then a new call continues.
 * @throws MoveRefused; StoreError
 */
export async function moveStores(move: StoresMove): Promise<readonly StoreReport[]> {
  try {
    return await openAndMove(move);
  } catch (error) {
    // Of SQLite, on this thread.
    if (error instanceof Error && 'code' in error && error.code === 'ERR_SQLITE_ERROR') throw toStoreError(error);
    throw error;
  }
}

async function openAndMove(move: StoresMove): Promise<readonly StoreReport[]> {
  const { from, to, stores, clock, log } = move;
  const source = from.is === 'sqlite' ? openSqliteSource(stores) : await openPostgresSource(from.url, stores);
  try {
    for (const [at, { migrations }] of stores.entries()) {
      const store = source.stores[at];
      if (store !== undefined) await checkVersion(store, migrations);
    }
    const tools = { nowMs: clock.now(), log };
    const target =
      to.is === 'sqlite' ? openSqliteTarget(stores, tools) : await openPostgresTarget(to.url, stores, tools);
    try {
      return await moveAll(move, source, target);
    } finally {
      target.close();
    }
  } finally {
    source.close();
  }
}

async function moveAll(
  { stores, onProgress, onPoint }: StoresMove,
  source: SourcePlace,
  target: TargetPlace,
): Promise<readonly StoreReport[]> {
  const reports: StoreReport[] = [];
  for (const [at, { name }] of stores.entries()) {
    const [from, to] = [source.stores[at], target.stores[at]];
    if (from === undefined || to === undefined) throw new RangeError(`The store ${name} is not open on both sides.`);
    const tables = await moveStore({
      source: from,
      target: to,
      onProgress: (progress) => onProgress({ ...progress, store: name }),
      onPoint,
    });
    reports.push({ name, tables });
  }
  onPoint('move.compared');
  await target.finish();
  return reports;
}
