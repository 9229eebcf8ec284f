import type { Kysely, Transaction } from 'kysely';

/**
 * Named points of a write at which crash tests end the process. `probe` is called with one of these words; in production it
 * does nothing.
 */
export type Probe = (point: string) => void;

/** One prepared statement with its bound values, for the sample lane. */
export interface BulkStatement {
  readonly sql: string;
  /** One row of bound values per execution. */
  readonly rows: readonly (readonly (string | number | bigint | null | Uint8Array)[])[];
  /**
   * Statements to run, in this order and with the same values, after a row that changed nothing (`on conflict do nothing`).
   * They cost nothing for the other rows.
   */
  readonly otherwise?: readonly string[];
}

export interface BulkOptions {
  /**
   * Every row stands for itself: when a command waits, the rows so far (always the first ones, in order) may be committed
   * before the others. Without it a call is one transaction whatever its size, and a long one is undone and begun again to
   * let a command pass.
   */
  readonly mayBeCut?: boolean;
  /** When the promise resolves the rows are on disk (`synchronous` FULL), as those of a command are. */
  readonly durable?: boolean;
  /** Virtual time does not wait for it: what it writes came by a network that knows nothing of virtual time. */
  readonly isNews?: boolean;
}

/**
 * The node's SQLite database: one writing connection in a worker, reading connections beside it.
 * `Schema` is the Kysely table map.
 */
export interface Database<Schema> {
  /**
   * Short reads on the main thread, from a read-only connection that sees everything committed before the call.
   * Only queries whose plan is tested to be short belong here.
   */
  readonly read: Kysely<Schema>;
  /**
   * Runs `work` in one exclusive transaction of the command lane (`synchronous` FULL): when the promise resolves the change
   * is on disk; when `work` throws nothing is changed. Commands run one after the other, in the order of the calls. A work
   * that lasts longer than the time limit is rolled back and rejected.
   */
  write<Result>(work: (transaction: Transaction<Schema>) => Promise<Result>): Promise<Result>;
  /**
   * Appends to the sample lane (`synchronous` NORMAL unless `durable`), in the order of the calls: all statements of a call in one
   * transaction, small calls together in one. A waiting command is let in after about 20 ms; see `mayBeCut` for calls of
   * more than a few thousand rows.
   */
  bulk(statements: readonly BulkStatement[], options?: BulkOptions): Promise<void>;
  /** Number of commits so far that may have changed what `read` sees; a cache keyed by it is never stale. */
  readonly version: number;
}
