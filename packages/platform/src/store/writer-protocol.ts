import type { SQLInputValue } from 'node:sqlite';
import type { MessagePort } from 'node:worker_threads';
import type { CrashAt } from './crash-point.ts';
import type { BulkStatement } from './database.ts';
import type { Migration } from './migrations.ts';
import type { StatementResult } from './statement-cache.ts';
import type { StoreErrorData } from './store-error.ts';

/** A database that the writer's thread serves on `port`. */
export interface WriterOpening {
  readonly settings: WriterSettings;
  readonly port: MessagePort;
}

/** The settings of an opened database. */
export interface WriterSettings {
  readonly path: string;
  readonly migrations: readonly Migration[];
  readonly nowMs: number;
  readonly onDamaged: 'fail' | 'set-aside';
  readonly crashAt: CrashAt | undefined;
  /** One shared 32-bit counter of commands that have not begun. The sample lane reads it between rows. */
  readonly waitingCommands: Int32Array;
}

/** The requests of the main thread; each is answered once, under its `id`. */
export type WriterRequest =
  | { readonly type: 'begin'; readonly transaction: number }
  | {
      readonly type: 'query';
      readonly transaction: number;
      readonly sql: string;
      readonly values: readonly SQLInputValue[];
    }
  | { readonly type: 'commit'; readonly transaction: number }
  | { readonly type: 'rollback'; readonly transaction: number }
  | {
      readonly type: 'bulk';
      readonly statements: readonly BulkStatement[];
      readonly isDivisible: boolean;
      readonly durable: boolean;
    }
  | { readonly type: 'close' };

export type NumberedRequest = WriterRequest & { readonly id: number };

export interface ReadyReport {
  readonly applied: readonly { readonly set: string; readonly id: number; readonly name: string }[];
  readonly backupPath: string | undefined;
  readonly setAside: string | undefined;
}

export type WriterAnswer =
  | { readonly type: 'ready'; readonly report: ReadyReport }
  | { readonly type: 'refused'; readonly error: StoreErrorData }
  | { readonly type: 'done'; readonly id: number; readonly result: StatementResult | undefined }
  | { readonly type: 'failed'; readonly id: number; readonly error: StoreErrorData }
  /** Something was committed; always sent before the answers that depend on it. */
  | { readonly type: 'committed' }
  /** A call to the sample lane was rolled back so often for commands that it then ran to its end. */
  | { readonly type: 'slow_bulk'; readonly rows: number; readonly durationMs: number };
