import type { SQLInputValue } from 'node:sqlite';
import type { Clock } from '../../clock/clock.ts';
import type { BulkStatement } from '../database.ts';
import { type BulkRows, rowsPerStep, valuesOf } from './bulk-rows.ts';
import type { PostgresConnection } from './postgres-connection.ts';

/** How long calls are collected in one transaction while no command waits. */
const packMs = 50;
/** After this wait a call precedes the next command, so that commands cannot starve it. */
const starvingMs = 100;

export interface BulkCall {
  readonly statements: readonly BulkStatement[];
  readonly isDivisible: boolean;
  readonly durable: boolean;
}

interface QueuedCall extends BulkCall {
  readonly queuedMs: number;
  readonly done: PromiseWithResolvers<void>;
  /** Where it continues: everything before is committed. */
  statement: number;
  row: number;
}

type CallEnd = 'whole' | 'cut' | { readonly failed: unknown };

export interface WriteLaneParts {
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly rows: BulkRows;
  /** The writing connection. @throws StoreError connection_lost */
  readonly connection: () => PostgresConnection;
  /** Begins a transaction, alone among all processes. @throws StoreError busy */
  readonly begin: (connection: PostgresConnection, isDurable: boolean) => Promise<void>;
  readonly commit: (connection: PostgresConnection) => Promise<void>;
}

/**
 * Decides whose turn it is on the writing connection: commands in the order of their calls, and between them the calls of the sample
 * lane, as many in one transaction as time allows. Each call has its own savepoint, so that its failure does not affect others.
 */
export class WriteLane {
  readonly #parts: WriteLaneParts;
  readonly #commands: (() => Promise<void>)[] = [];
  readonly #calls: QueuedCall[] = [];
  #running: Promise<void> | undefined;

  constructor(parts: WriteLaneParts) {
    this.#parts = parts;
  }

  /** Runs `command` when it is its turn. It must not reject. */
  addCommand(command: () => Promise<void>): void {
    this.#commands.push(command);
    this.#start();
  }

  addCall(call: BulkCall): Promise<void> {
    const done = Promise.withResolvers<void>();
    this.#calls.push({ ...call, queuedMs: this.#parts.clock.monotonic(), done, statement: 0, row: 0 });
    this.#start();
    return done.promise;
  }

  /** Resolves when everything that was added is done. */
  async idle(): Promise<void> {
    while (this.#running !== undefined) await this.#running;
  }

  #start(): void {
    this.#running ??= this.#run();
  }

  async #run(): Promise<void> {
    // Calls of the same turn of the event loop come together.
    await Promise.resolve();
    // Calls that starve and commands take turns.
    let wasPack = false;
    for (;;) {
      const command: (() => Promise<void>) | undefined =
        !wasPack && this.#isStarving() ? undefined : this.#commands.shift();
      wasPack = command === undefined;
      if (command !== undefined) await command();
      else if (this.#calls.length > 0) await this.#runPack();
      else break;
    }
    this.#running = undefined;
  }

  #isStarving(): boolean {
    const oldest = this.#calls[0];
    return oldest !== undefined && this.#parts.clock.monotonic() - oldest.queuedMs > starvingMs;
  }

  /** One transaction with the next calls. */
  async #runPack(): Promise<void> {
    const { connection: connect, begin, commit } = this.#parts;
    const written: QueuedCall[] = [];
    let connection: PostgresConnection | undefined;
    try {
      connection = connect();
      await begin(
        connection,
        this.#calls.some(({ durable }) => durable),
      );
      await this.#fillPack(connection, written);
      await commit(connection);
    } catch (error) {
      // A connection that cannot even do that ends, and its transaction with it.
      await connection?.script('rollback').catch(() => {});
      this.#fail(written, error);
      return;
    }
    for (const call of written) if (call !== this.#calls[0]) call.done.resolve();
  }

  async #fillPack(connection: PostgresConnection, written: QueuedCall[]): Promise<void> {
    const startMs = this.#parts.clock.monotonic();
    for (let call = this.#calls[0]; call !== undefined; call = this.#calls[0]) {
      await connection.script('savepoint bulk_call');
      const end = await this.#runCall(connection, call, startMs);
      if (typeof end === 'object') {
        await connection.script('rollback to bulk_call; release bulk_call');
        this.#calls.shift();
        call.done.reject(end.failed);
      } else {
        await connection.script('release bulk_call');
        written.push(call);
        if (end === 'cut') return;
        this.#calls.shift();
      }
      if (this.#shouldEnd(startMs)) return;
    }
  }

  async #runCall(connection: PostgresConnection, call: QueuedCall, startMs: number): Promise<CallEnd> {
    try {
      let { statement, row } = call;
      for (let isFirst = true; statement < call.statements.length; statement += 1, row = 0) {
        const bulk = call.statements[statement];
        if (bulk === undefined) break;
        for (; row < bulk.rows.length; row += rowsPerStep) {
          if (!isFirst && call.isDivisible && this.#shouldEnd(startMs)) {
            call.statement = statement;
            call.row = row;
            return 'cut';
          }
          isFirst = false;
          await this.#parts.rows.run(connection, bulk, stepOf(bulk, row));
        }
      }
      return 'whole';
    } catch (error) {
      if (!connection.isOpen) throw error;
      return { failed: error };
    }
  }

  #shouldEnd(startMs: number): boolean {
    return this.#commands.length > 0 || this.#parts.clock.monotonic() - startMs > packMs;
  }

  /** The whole transaction is undone: the calls with rows in it have failed, or the next one, if it could not begin. */
  #fail(written: readonly QueuedCall[], error: unknown): void {
    const first = this.#calls[0];
    if (first !== undefined && (written.length === 0 || written.includes(first))) {
      this.#calls.shift();
      first.done.reject(error);
    }
    for (const call of written) if (call !== first) call.done.reject(error);
  }
}

const stepOf = (bulk: BulkStatement, row: number): readonly (readonly SQLInputValue[])[] =>
  valuesOf(bulk.rows.slice(row, row + rowsPerStep));
