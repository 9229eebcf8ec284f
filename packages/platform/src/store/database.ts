import type { Kysely, Transaction } from 'kysely';
import type { Service } from '../lifecycle/in-order.ts';

/**
 * Called at named points of a write; crash tests end the process there. Does nothing in production.
 */
export type Probe = (point: string) => void;

/** One prepared statement with its bound values, for the sample lane. */
export interface BulkStatement {
  readonly sql: string;
  /** One row of bound values per execution. */
  readonly rows: readonly (readonly (string | number | bigint | null | Uint8Array)[])[];
  /**
   * Statements to run, in this order and with the same values, after a row that changed nothing (`on conflict do nothing`).
   * They cost nothing for other rows.
   */
  readonly otherwise?: readonly string[];
}

export interface BulkOptions {
  /**
   * The rows are independent: when a command waits, the first rows may be committed before the others. Without it a call is one
   * transaction of any size, and a long one is rolled back and repeated to let a command pass.
   */
  readonly isDivisible?: boolean;
  /** When the promise resolves the rows are on disk (`synchronous` FULL), like those of a command. */
  readonly durable?: boolean;
  /** Virtual time does not wait for it: its rows came from the network, which runs in real time. */
  readonly isRealTime?: boolean;
}

/**
 * The node's database: one writing connection, reading connections beside it.
 * `Schema` is the Kysely table map.
 */
export interface Database<Schema> {
  /**
   * Short reads on the main thread, from a read-only connection that sees everything committed before the call.
   * Only queries whose plan is tested to be short belong here.
   */
  readonly read: Kysely<Schema>;
  /**
   * Runs `work` in one exclusive transaction of the command lane (`synchronous` FULL): when the promise resolves the change is on disk;
   * when `work` throws nothing is changed. Commands run one after the other, in the order of the calls. A command that exceeds the time
   * limit is rolled back and rejected.
   */
  write<Result>(work: (transaction: Transaction<Schema>) => Promise<Result>): Promise<Result>;
  /**
   * Appends to the sample lane (`synchronous` NORMAL unless `durable`), in the order of the calls: all statements of a call in one
   * transaction, small calls together in one. A waiting command begins after about 20 ms; see `isDivisible` for calls of
   * more than a few thousand rows.
   */
  bulk(statements: readonly BulkStatement[], options?: BulkOptions): Promise<void>;
  /** What answers the queries, where one needs its own text. Absent: SQLite. */
  readonly engine?: 'postgres';
  /** Number of commits so far that may have changed what `read` sees; a cache keyed by it is never stale. */
  readonly version: number;
}

/** A database that outlives its process. */
export interface StoredDatabase<Schema> extends Database<Schema>, Service {
  /** Reads everything, after the node is ready. One sentence per fault; empty when it is sound. */
  integrityCheck(): Promise<string[]>;
}
