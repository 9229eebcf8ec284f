import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import { toSqlValues } from './bindings.ts';
import type { ReachedPoint } from './crash-point.ts';
import type { BulkStatement } from './database.ts';
import type { StatementCache } from './statement-cache.ts';
import { type StoreError, toStoreError } from './store-error.ts';

/** How long a call may continue while a command waits; with the commit, the command waits about 20 ms. */
const graceMs = 15;
/** How long calls are collected in one transaction while no command waits. */
const packMs = 50;
/** Rows between two checks for waiting commands. */
const rowsPerCheck = 16;
/** How often a call is rolled back for commands before it runs to its end. */
const maxRollbacks = 3;
/** After this wait the lane precedes the next command, so that commands cannot starve it. */
const starvingMs = 100;

/** How long a call waits for the lock of another process. */
const lockWaitMs = 5_000;

export interface BulkCall {
  readonly id: number;
  readonly statements: readonly BulkStatement[];
  readonly isDivisible: boolean;
  readonly durable: boolean;
}

interface QueuedCall extends BulkCall {
  readonly queuedMs: number;
  /** Where it continues: everything before is committed. */
  statement: number;
  row: number;
  rollbackCount: number;
}

/** `cut`: its first rows are committed, the others follow; `undone`: all is rolled back and repeated later. */
type CallEnd = 'whole' | 'cut' | 'undone';

/** Callbacks for the outcomes of calls. */
interface LaneOutcomes {
  committed(): void;
  done(id: number): void;
  failed(id: number, error: StoreError): void;
  slow(rows: number, durationMs: number): void;
}

export interface SampleLaneParts {
  readonly connection: DatabaseSync;
  readonly statements: StatementCache;
  readonly commandWaits: () => boolean;
  readonly onPoint: ReachedPoint;
  readonly outcomes: LaneOutcomes;
  /** Monotonic milliseconds. */
  readonly monotonic: () => number;
}

/**
 * The queue of bulk writes. Each transaction (a pack) has as many calls as time allows and ends early when a command waits. Each call has
 * its own savepoint, so that its failure does not affect others.
 */
export class SampleLane {
  readonly #parts: SampleLaneParts;
  readonly #queue: QueuedCall[] = [];
  #commandSeenMs: number | undefined;
  #isLockedOut = false;

  constructor(parts: SampleLaneParts) {
    this.#parts = parts;
  }

  get isEmpty(): boolean {
    return this.#queue.length === 0;
  }

  /** Whether the oldest call has waited so long that it precedes the next command. */
  get isStarving(): boolean {
    const oldest = this.#queue[0];
    return oldest !== undefined && this.#parts.monotonic() - oldest.queuedMs > starvingMs;
  }

  /** Whether another process had the database locked at the last attempt. */
  get isLockedOut(): boolean {
    return this.#isLockedOut;
  }

  /** Whether a call of the next transaction may need it on disk before it is answered. */
  get isDurable(): boolean {
    return this.#queue.some(({ durable }) => durable);
  }

  add(call: BulkCall): void {
    this.#queue.push({ ...call, queuedMs: this.#parts.monotonic(), statement: 0, row: 0, rollbackCount: 0 });
  }

  /** Runs one transaction of the lane. The connection must not be in a transaction. */
  runPack(): void {
    const { connection, onPoint, outcomes } = this.#parts;
    const pack: QueuedCall[] = [];
    this.#commandSeenMs = undefined;
    try {
      if (!this.#begin()) return;
      onPoint('bulk.begun');
      this.#fillPack(pack);
      onPoint('bulk.before_commit');
      connection.exec('commit');
      onPoint('bulk.after_commit');
    } catch (error) {
      this.#failPack(pack, toStoreError(error));
      return;
    }
    outcomes.committed();
    for (const call of pack) if (call !== this.#queue[0]) outcomes.done(call.id);
  }

  /** Begins a transaction. Returns false when another process has locked the database and the oldest call may still wait. */
  #begin(): boolean {
    const { connection, monotonic } = this.#parts;
    this.#isLockedOut = false;
    try {
      connection.exec('begin immediate');
      return true;
    } catch (error) {
      const oldest = this.#queue[0];
      if (toStoreError(error).code !== 'busy' || oldest === undefined) throw error;
      this.#isLockedOut = monotonic() - oldest.queuedMs < lockWaitMs;
      if (this.#isLockedOut) return false;
      throw error;
    }
  }

  /** Runs calls within the time limit; `pack` receives those that have rows in this transaction. */
  #fillPack(pack: QueuedCall[]): void {
    const { monotonic } = this.#parts;
    const startMs = monotonic();
    for (let call = this.#queue[0]; call !== undefined; call = this.#queue[0]) {
      pack.push(call);
      const end = this.#runCall(call, startMs);
      if (end === 'undone' || end === 'failed') pack.pop();
      const staysFirst = this.#queue[0] === call;
      if (staysFirst || this.#hasCommand() || monotonic() - startMs > packMs) return;
    }
  }

  /** Runs one call in a savepoint. A call that was cut or undone remains first in the queue. */
  #runCall(call: QueuedCall, packStartMs: number): CallEnd | 'failed' {
    const { connection, outcomes } = this.#parts;
    connection.exec('savepoint bulk_call');
    let end: CallEnd;
    try {
      end = this.#runRows(call, packStartMs);
    } catch (error) {
      // A full disk may have rolled back the whole transaction: then every call of the pack has failed.
      if (!connection.isTransaction) throw error;
      connection.exec('rollback to bulk_call; release bulk_call');
      this.#queue.shift();
      outcomes.failed(call.id, toStoreError(error));
      return 'failed';
    }
    connection.exec(end === 'undone' ? 'rollback to bulk_call; release bulk_call' : 'release bulk_call');
    if (end === 'whole') this.#queue.shift();
    return end;
  }

  #runRows(call: QueuedCall, packStartMs: number): CallEnd {
    const startMs = this.#parts.monotonic();
    let { statement, row } = call;
    let rows = 0;
    for (; statement < call.statements.length; statement += 1, row = 0) {
      const bulk = call.statements[statement];
      if (bulk === undefined) break;
      const prepared = this.#parts.statements.statement(bulk.sql);
      for (; row < bulk.rows.length; row += 1) {
        if (rows > 0 && rows % rowsPerCheck === 0) {
          if (call.isDivisible && this.#shouldCut(packStartMs)) {
            call.statement = statement;
            call.row = row;
            return 'cut';
          }
          if (this.#shouldUndo(call)) {
            call.rollbackCount += 1;
            return 'undone';
          }
        }
        const values = toSqlValues(bulk.rows[row] ?? []);
        const { changes } = prepared.run(...values);
        if (changes === 0) this.#runOtherwise(bulk, values);
        rows += 1;
      }
    }
    const durationMs = this.#parts.monotonic() - startMs;
    if (call.rollbackCount === maxRollbacks && !call.isDivisible) this.#parts.outcomes.slow(rows, durationMs);
    return 'whole';
  }

  #runOtherwise({ otherwise = [] }: BulkStatement, values: readonly SQLInputValue[]): void {
    for (const sql of otherwise) this.#parts.statements.statement(sql).run(...values);
  }

  #shouldCut(packStartMs: number): boolean {
    return this.#hasCommand() || this.#parts.monotonic() - packStartMs > packMs;
  }

  #shouldUndo(call: QueuedCall): boolean {
    if (call.isDivisible || call.rollbackCount >= maxRollbacks || !this.#hasCommand()) return false;
    return this.#parts.monotonic() - (this.#commandSeenMs ?? 0) > graceMs;
  }

  #hasCommand(): boolean {
    if (!this.#parts.commandWaits()) return false;
    this.#commandSeenMs ??= this.#parts.monotonic();
    return true;
  }

  /** The whole transaction was rolled back: the calls with rows in it have failed, or the next one, if it could not begin. */
  #failPack(pack: readonly QueuedCall[], error: StoreError): void {
    const { connection, outcomes } = this.#parts;
    if (connection.isTransaction) connection.exec('rollback');
    const first = this.#queue[0];
    if (first !== undefined && (pack.length === 0 || pack.includes(first))) {
      this.#queue.shift();
      outcomes.failed(first.id, error);
    }
    for (const call of pack) if (call !== first) outcomes.failed(call.id, error);
  }
}
