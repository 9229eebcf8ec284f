import type { DatabaseSync } from 'node:sqlite';
import type { Clock } from '../clock/clock.ts';
import type { ReachedPoint } from './crash-point.ts';
import { SampleLane } from './sample-lane.ts';
import { StatementCache, type StatementResult } from './statement-cache.ts';
import { StoreError, storeErrorData, toStoreError } from './store-error.ts';
import type { NumberedRequest, WriterAnswer } from './writer-protocol.ts';

/** Between two attempts of the sample lane to have a database that another process has locked. */
const lockPauseMs = 50;

export interface WriterParts {
  readonly connection: DatabaseSync;
  readonly answer: (answer: WriterAnswer) => void;
  readonly passage: ReachedPoint;
  /** See `WriterSettings`. */
  readonly waitingCommands: Int32Array;
  readonly clock: Pick<Clock, 'monotonic' | 'after'>;
  /** Ends the service after the connection was closed. */
  readonly end: () => void;
}

/**
 * Owns the writing connection: runs commands as the main thread asks, step by step, and the sample lane between them.
 */
export class Writer {
  readonly #parts: WriterParts;
  readonly #statements: StatementCache;
  readonly #samples: SampleLane;
  #transaction: number | undefined;
  #synchronous = 'full';
  #isLaneDue = false;

  constructor(parts: WriterParts) {
    const { connection, answer, passage, clock } = parts;
    this.#parts = parts;
    this.#statements = new StatementCache(connection);
    this.#samples = new SampleLane({
      connection,
      statements: this.#statements,
      commandWaits: () => this.#commandWaits(),
      passage,
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
    // Counted as waiting until here, so that the starving lane makes way after one call.
    if (this.#samples.isStarving) this.#runLane();
    Atomics.sub(this.#parts.waitingCommands, 0, 1);
    this.#setSynchronous('full');
    this.#parts.connection.exec('begin immediate');
    this.#transaction = transaction;
    this.#parts.passage('write.begun');
  }

  #commit(transaction: number): void {
    const { connection, passage, answer } = this.#parts;
    try {
      this.#expectOpen(transaction);
      passage('write.before_commit');
      connection.exec('commit');
      passage('write.after_commit');
      answer({ type: 'committed' });
    } finally {
      this.#end();
    }
  }

  /** Ends the command, undoing what is not committed. */
  #end(): void {
    if (this.#parts.connection.isTransaction) this.#parts.connection.exec('rollback');
    this.#transaction = undefined;
    this.#scheduleLane();
  }

  #expectOpen(transaction: number): void {
    if (this.#transaction !== transaction) {
      throw new StoreError('transaction_ended', 'The transaction has ended; nothing more can be done in it.');
    }
    // Some failures (a full disk) make SQLite undo the transaction by itself; what followed would then be committed alone.
    if (!this.#parts.connection.isTransaction) {
      throw new StoreError(
        'transaction_rolled_back',
        'The transaction was undone because of an earlier failure in it.',
      );
    }
  }

  #scheduleLane(): void {
    if (this.#isLaneDue || this.#samples.isEmpty) return;
    this.#isLaneDue = true;
    const run = () => {
      this.#isLaneDue = false;
      // The main thread has given this database up.
      if (!this.#parts.connection.isOpen) return;
      // Whoever waits or is at it comes by `begin` and `#end`, which schedules the lane again.
      if (this.#transaction !== undefined || this.#commandWaits()) return;
      this.#runLane();
      this.#scheduleLane();
    };
    // A turn later, so that the messages already here (a command, more samples to put together) come first.
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
