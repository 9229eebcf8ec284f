import type { Kysely, Transaction } from 'kysely';
import type { Clock } from '../clock/clock.ts';
import type { Log } from '../log/log.ts';
import type { CrashAt } from './crash-point.ts';
import type { BulkOptions, BulkStatement, Probe, StoredDatabase } from './database.ts';
import { kyselyOver } from './dialect.ts';
import { checkIntegrity } from './integrity.ts';
import type { Migration } from './migrations.ts';
import { Reader } from './reader.ts';
import { namingFile, notRunning, StoreError, toStoreError } from './store-error.ts';
import { withinTimeLimit } from './time-limit.ts';
import { WriteTransaction } from './write-transaction.ts';
import type { WriterHost } from './writer-host.ts';
import { WriterLink } from './writer-link.ts';
import type { ReadyReport } from './writer-protocol.ts';

export interface SqliteDatabaseOptions {
  /** The file; its folder must exist. */
  readonly path: string;
  readonly migrations: readonly Migration[];
  /** The wire clock: it measures the time limit of commands. */
  readonly clock: Clock;
  readonly log: Log;
  /** The clock that store calls hold: the node's clock, if that is virtual. */
  readonly holds?: Pick<Clock, 'hold'>;
  /** Called at the main thread's points, see `CrashAt`. */
  readonly probe?: Probe;
  /** Only for crash tests. */
  readonly crashAt?: CrashAt;
  /** The writing thread, started before and shared with other databases. Default: a separate one. */
  readonly writer?: WriterHost;
  /** Time limit of a command. Default 5,000. */
  readonly writeTimeLimitMs?: number;
  /** What to do with a damaged file: refuse to start (the default), or move it aside and start with an empty one. */
  readonly onDamaged?: 'fail' | 'set-aside';
  /** Called when the writer has failed: nothing can be written any more, and the node should end. */
  readonly onFatal?: (error: StoreError) => void;
}

/** How long a command waits for the lock of another process, counted from its call. */
const lockWaitMs = 1_500;
const lockPauseMs = 50;

type State =
  | { readonly is: 'down' }
  | { readonly is: 'up'; readonly link: WriterLink; readonly reader: Reader; readonly ending: AbortController }
  | { readonly is: 'stopping'; readonly reader: Reader };

/**
 * The store on `node:sqlite`: one thread has the only writing connection and gives commands precedence over samples; reads run on a
 * read-only connection of the calling thread.
 */
export class SqliteDatabase<Schema> implements StoredDatabase<Schema> {
  readonly name = 'store';
  readonly read: Kysely<Schema>;
  readonly #options: SqliteDatabaseOptions;
  readonly #timeLimitMs: number;
  readonly #bulks = new Set<Promise<void>>();
  #state: State = { is: 'down' };
  /** Settles when the latest command has ended. */
  #lastCommand: Promise<void> = Promise.resolve();
  #transactions = 0;
  #version = 0;

  constructor(options: SqliteDatabaseOptions) {
    this.#options = options;
    this.#timeLimitMs = options.writeTimeLimitMs ?? 5_000;
    this.read = kyselyOver<Schema>(async (query) => {
      if (this.#state.is === 'down') throw notRunning();
      try {
        return this.#state.reader.run(query);
      } catch (error) {
        throw namingFile(toStoreError(error), options.path);
      }
    });
  }

  get version(): number {
    return this.#version;
  }

  /** @throws StoreError with one sentence for the operator; see `openDatabase`. */
  async start(signal: AbortSignal): Promise<void> {
    const { path, migrations, clock, crashAt, onDamaged = 'fail' } = this.#options;
    const link = new WriterLink(
      { path, migrations: [...migrations], nowMs: clock.now(), onDamaged, crashAt },
      {
        committed: () => {
          this.#version += 1;
        },
        slowBulk: (rows, durationMs) =>
          this.#options.log.warn('A call to the sample lane was too large to let commands pass', { rows, durationMs }),
        lost: (error) => this.#lost(error),
      },
      this.#options.writer,
    );
    this.#report(await link.open(signal));
    try {
      this.#state = { is: 'up', link, reader: Reader.open(path), ending: new AbortController() };
    } catch (error) {
      await link.close();
      throw toStoreError(error);
    }
  }

  /** Completes earlier calls, then closes the file. */
  async stop(): Promise<void> {
    const state = this.#state;
    if (state.is !== 'up') return;
    this.#state = { is: 'stopping', reader: state.reader };
    state.ending.abort();
    await this.#lastCommand;
    await Promise.allSettled(this.#bulks);
    state.reader.close();
    this.#state = { is: 'down' };
    await state.link.close();
  }

  async write<Result>(work: (transaction: Transaction<Schema>) => Promise<Result>): Promise<Result> {
    const { link } = this.#up();
    const release = this.#hold();
    link.announceCommand();
    const giveUpMs = this.#options.clock.monotonic() + lockWaitMs;
    const outcome = this.#lastCommand.then(() => this.#command(link, work, giveUpMs));
    // For the order only; the caller receives the outcome.
    this.#lastCommand = outcome.then(
      () => {},
      () => {},
    );
    try {
      const result = await outcome;
      this.#options.probe?.('write.answered');
      return result;
    } catch (error) {
      throw namingFile(error, this.#options.path);
    } finally {
      release();
    }
  }

  async bulk(
    statements: readonly BulkStatement[],
    { isDivisible = false, durable = false, isRealTime = false }: BulkOptions = {},
  ): Promise<void> {
    const { link } = this.#up();
    const release = isRealTime ? () => {} : this.#hold();
    const done = link.request({ type: 'bulk', statements, isDivisible, durable }).then(() => {});
    this.#bulks.add(done);
    try {
      await done;
      this.#options.probe?.('bulk.answered');
    } catch (error) {
      throw namingFile(error, this.#options.path);
    } finally {
      this.#bulks.delete(done);
      release();
    }
  }

  /**
   * Reads the whole file in a process of its own, after the node is ready. One sentence per fault; empty when it is sound.
   * @throws StoreError `not_running` when the store stops meanwhile.
   */
  async integrityCheck(): Promise<string[]> {
    return checkIntegrity(this.#options.path, this.#up().ending.signal);
  }

  async #command<Result>(
    link: WriterLink,
    work: (transaction: Transaction<Schema>) => Promise<Result>,
    giveUpMs: number,
  ): Promise<Result> {
    const transaction = await this.#begin(link, giveUpMs);
    let result: Result;
    try {
      result = await withinTimeLimit(() => work(transaction.kysely()), {
        clock: this.#options.clock,
        limitMs: this.#timeLimitMs,
        onExceeded: (error) => transaction.refuse(error),
      });
    } catch (error) {
      await this.#undo(link, transaction);
      throw error;
    }
    await transaction.commit();
    return result;
  }

  /** Waits for the lock of another process. Meanwhile, the writer's thread serves other databases. */
  async #begin(link: WriterLink, giveUpMs: number): Promise<WriteTransaction<Schema>> {
    const { clock } = this.#options;
    for (;;) {
      this.#transactions += 1;
      const transaction = new WriteTransaction<Schema>(link, this.#transactions);
      try {
        await transaction.begin();
        return transaction;
      } catch (error) {
        if (!(error instanceof StoreError && error.code === 'busy') || clock.monotonic() >= giveUpMs) throw error;
        await clock.sleep(lockPauseMs);
        link.announceCommand();
      }
    }
  }

  /** Rolls back. A writer that cannot do even that in time hangs in a query: nothing can be written any more. */
  async #undo(link: WriterLink, transaction: WriteTransaction<Schema>): Promise<void> {
    const cancel = this.#options.clock.after(this.#timeLimitMs, () =>
      link.abandon(new StoreError('writer_lost', 'The writer of the database does not respond. Restart the node.')),
    );
    try {
      await transaction.rollback();
    } catch (error) {
      // The original failure is more informative. A failed writer has been reported and has committed nothing.
      this.#options.log.warn('The writer could not roll back a change', { error: toStoreError(error).message });
    } finally {
      cancel();
    }
  }

  #up() {
    if (this.#state.is !== 'up') throw notRunning();
    return this.#state;
  }

  #hold(): () => void {
    return this.#options.holds?.hold('a store call') ?? (() => {});
  }

  #lost(error: StoreError): void {
    this.#options.log.error('The writer of the database has failed', {
      error: error.message,
      cause: String(error.cause),
    });
    this.#options.onFatal?.(error);
  }

  #report({ applied, backupPath, setAside }: ReadyReport): void {
    const { log, path } = this.#options;
    if (setAside !== undefined)
      log.error('The database was damaged; it was moved aside and replaced by an empty one', { path, setAside });
    if (backupPath !== undefined) log.info('Backup before migration done', { path, backupPath });
    // Without a backup the database is new: all of its steps are no news.
    const isNew = backupPath === undefined;
    for (const { set, id, name } of applied) log[isNew ? 'debug' : 'info']('Migration done', { path, set, id, name });
  }
}
