import type { Log } from '../../log/log.ts';
import type { Migration } from '../migrations.ts';
import type { MoveSource, MoveTarget } from './move-end.ts';

/** One of the stores of a node, with its names in both engines. */
export interface NamedStore {
  readonly name: string;
  /** Of SQLite. */
  readonly path: string;
  /** Of PostgreSQL. */
  readonly schema: string;
  readonly migrations: readonly Migration[];
}

/** Stores that are read; nothing else changes them until `close`. */
export interface SourcePlace {
  /** In the order of the names that were asked for. */
  readonly stores: readonly MoveSource[];
  close(): void;
}

/** Stores that receive rows. They have their names after `finish` only, all at once, so that no leader starts with half a store. */
export interface TargetPlace {
  readonly stores: readonly MoveTarget[];
  /** They are complete. */
  finish(): Promise<void>;
  close(): void;
}

export interface PlaceTools {
  /** Milliseconds since 1970, for the ledger of the migrations. */
  readonly nowMs: number;
  readonly log: Log;
}
