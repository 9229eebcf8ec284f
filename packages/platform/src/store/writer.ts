import type { DatabaseSync } from 'node:sqlite';
import type { Clock } from '../clock/clock.ts';
import type { ReachedPoint } from './crash-point.ts';
import { SampleLane } from './sample-lane.ts';
import { StatementCache, type StatementResult } from './statement-cache.ts';
import { StoreError, storeErrorData, toStoreError } from './store-error.ts';
import type { NumberedRequest, WriterAnswer } from './writer-protocol.ts';

/** Pause between two attempts of the sample lane on a database that another process has locked. */
const lockPauseMs = 50;

export interface WriterParts {
  readonly connection: DatabaseSync;
  readonly answer: (answer: WriterAnswer) => void;
  readonly onPoint: ReachedPoint;
  /** See `WriterSettings`. */
  readonly waitingCommands: Int32Array;
  readonly clock: Pick<Clock, 'monotonic' | 'after'>;
  /** Called after the connection was closed. */
  readonly end: () => void;
}

/**
 * Owns the writing connection: runs the main thread's commands step by step, and the sample lane between them.
 */
export class Writer {
  readonly #parts: WriterParts;
  readonly #statements: StatementCache;
  readonly #samples: SampleLane;
  #transaction: number | undefined;
  #synchronous = 'full';
  #isLaneDue = false;

  constructor(parts: WriterParts) {
    const { connection, answer, onPoint, clock } = parts;
    this.#parts = parts;
    this.#statements = new StatementCache(connection);
    this.#samples = new SampleLane({
      connection,
      statements: this.#statements,
      commandWaits: () => this.#commandWaits(),
      onPoint: onPoint,
      monotonic: () => clock.monotonic(),
      outcomes: {
        committed: () => answer({ type: 'committed' }),
        done: (id) => answer({ type: 'done', id, result: undefined }),
        failed: (id, error) => answer({ type: 'failed', id, error: storeErrorData(error) }),
        slow: (rows, durationMs) => answer({ type: 'slow_bulk', rows, durationMs }),
      },
    });
  }

  handle(request: NumberedRequest): void {
    if (request.type === 'bulk') {
      this.#samples.add(request);
      this.#scheduleLane();
      return;
    }
    try {
      this.#parts.answer({ type: 'done', id: request.id, result: this.#execute(request) });
    } catch (error) {
      this.#parts.answer({ type: 'failed', id: request.id, error: storeErrorData(toStoreError(error)) });
    }
    if (request.type === 'close') this.#parts.end();
  }

  #execute(request: Exclude<NumberedRequest, { type: 'bulk' }>): StatementResult | undefined {
    switch (request.type) {
      case 'begin':
        this.#begin(request.transaction);
        return undefined;
      case 'query':
        this.#expectOpen(request.transaction);
        return this.#statements.run(request.sql, request.values);
      case 'commit':
        this.#commit(request.transaction);
        return undefined;
      case 'rollback':
        this.#end();
        return undefined;
      case 'close':
        this.#close();
        return undefined;
    }
  }

  #begin(transaction: number): void {
    // Counted as waiting until here, so that a starving lane yields after one call.
    if (this.#samples.isStarving) this.#runLane();
    Atomics.sub(this.#parts.waitingCommands, 0, 1);
    this.#setSynchronous('full');
    this.#parts.connection.exec('begin immediate');
    this.#transaction = transaction;
    this.#parts.onPoint('write.begun');
  }

  #commit(transaction: number): void {
    const { connection, onPoint, answer } = this.#parts;
    try {
      this.#expectOpen(transaction);
      onPoint('write.before_commit');
      connection.exec('commit');
      onPoint('write.after_commit');
      answer({ type: 'committed' });
    } finally {
      this.#end();
    }
  }

  /** Ends the command and rolls back what is not committed. */
  #end(): void {
    if (this.#parts.connection.isTransaction) this.#parts.connection.exec('rollback');
    this.#transaction = undefined;
    this.#scheduleLane();
  }

  #expectOpen(transaction: number): void {
    if (this.#transaction !== transaction) {
      throw new StoreError('transaction_ended', 'The transaction has ended.');
    }
    // Some failures (a full disk) make SQLite roll back the transaction; later statements would then be committed alone.
    if (!this.#parts.connection.isTransaction) {
      throw new StoreError('transaction_rolled_back', 'The transaction was rolled back because of an earlier failure.');
    }
  }

  #scheduleLane(): void {
    if (this.#isLaneDue || this.#samples.isEmpty) return;
    this.#isLaneDue = true;
    const run = () => {
      this.#isLaneDue = false;
      // The main thread has abandoned this database.
      if (!this.#parts.connection.isOpen) return;
      // A waiting or running command calls `#end`, which schedules the lane again.
      if (this.#transaction !== undefined || this.#commandWaits()) return;
      this.#runLane();
      this.#scheduleLane();
    };
    // One turn later, so that pending messages (a command, more samples) come first.
    if (this.#samples.isLockedOut) this.#parts.clock.after(lockPauseMs, run);
    else setImmediate(run);
  }

  #runLane(): void {
    this.#setSynchronous(this.#samples.isDurable ? 'full' : 'normal');
    this.#samples.runPack();
  }

  #commandWaits(): boolean {
    return Atomics.load(this.#parts.waitingCommands, 0) > 0;
  }

  /** Only possible between transactions. */
  #setSynchronous(level: 'full' | 'normal'): void {
    if (this.#synchronous === level) return;
    this.#parts.connection.exec(`pragma synchronous = ${level}`);
    this.#synchronous = level;
  }

  #close(): void {
    const { connection } = this.#parts;
    this.#end();
    while (!this.#samples.isEmpty) this.#runLane();
    connection.close();
  }
}
