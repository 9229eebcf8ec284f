import type { MessagePort } from 'node:worker_threads';
import type { Cancel } from '../clock/clock.ts';
import type { StatementResult } from './statement-cache.ts';
import { StoreError, type StoreErrorData } from './store-error.ts';
import { WriterHost } from './writer-host.ts';
import type { NumberedRequest, ReadyReport, WriterAnswer, WriterRequest, WriterSettings } from './writer-protocol.ts';

type Result = StatementResult | undefined;

export interface WriterEvents {
  /** Something was committed. */
  committed(): void;
  slowBulk(rows: number, durationMs: number): void;
  /** The writer ended unexpectedly; all pending requests have been rejected. */
  lost(error: StoreError): void;
}

const errorFrom = ({ code, message }: StoreErrorData) => new StoreError(code, message);

/** The main thread's connection to the writer: requests, answers, and the event of its end. */
export class WriterLink {
  readonly #settings: WriterSettings;
  readonly #events: WriterEvents;
  /** A thread for this database alone, unless a shared one was passed. */
  readonly #ownHost: WriterHost | undefined;
  readonly #host: WriterHost;
  readonly #pending = new Map<number, PromiseWithResolvers<Result>>();
  readonly #ready = Promise.withResolvers<ReadyReport>();
  readonly #ended = Promise.withResolvers<void>();
  #port: MessagePort | undefined;
  #lastId = 0;
  #forgetHost: Cancel = () => {};
  #state: 'starting' | 'serving' | 'closing' | 'gone' = 'starting';
  #lostBy: StoreError | undefined;

  constructor(settings: Omit<WriterSettings, 'waitingCommands'>, events: WriterEvents, host?: WriterHost) {
    this.#settings = { ...settings, waitingCommands: new Int32Array(new SharedArrayBuffer(4)) };
    this.#events = events;
    this.#ownHost = host === undefined ? new WriterHost() : undefined;
    this.#host = host ?? this.#ownHost ?? new WriterHost();
  }

  /** Resolves when the database is open and migrated. */
  async open(signal: AbortSignal): Promise<ReadyReport> {
    signal.throwIfAborted();
    await this.#ownHost?.start();
    const port = this.#host.open(this.#settings);
    this.#port = port;
    port.on('message', (answer: WriterAnswer) => this.#receive(answer));
    port.on('messageerror', (error) => this.#lose(error));
    port.on('close', () => this.#exited());
    // The port closes when the thread ends; the reason arrives a little later.
    this.#forgetHost = this.#host.onEnd((cause) => this.#lose(cause));
    const abort = () => this.#ready.reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    try {
      return await this.#ready.promise;
    } catch (error) {
      this.#state = 'gone';
      this.#forgetHost();
      port.close();
      await this.#ownHost?.stop();
      throw error;
    } finally {
      signal.removeEventListener('abort', abort);
    }
  }

  /** Announces a waiting command, so that the sample lane ends its transaction early. */
  announceCommand(): void {
    Atomics.add(this.#settings.waitingCommands, 0, 1);
  }

  async request(request: WriterRequest): Promise<Result> {
    if (this.#port === undefined || this.#state === 'starting' || this.#state === 'gone') {
      throw this.#lostBy ?? new StoreError('not_running', 'The store is not running.');
    }
    this.#lastId += 1;
    const numbered: NumberedRequest = { ...request, id: this.#lastId };
    const pending = Promise.withResolvers<Result>();
    this.#port.postMessage(numbered);
    this.#pending.set(numbered.id, pending);
    return pending.promise;
  }

  /** Abandons the writer: rejects all pending requests, whether or not the thread can be ended. */
  abandon(reason: StoreError): void {
    this.#lose(reason);
  }

  /** Closes the database after all earlier requests. */
  async close(): Promise<void> {
    if (this.#state !== 'serving') return;
    const closed = this.request({ type: 'close' });
    this.#state = 'closing';
    await closed;
    await this.#ended.promise;
    this.#forgetHost();
    await this.#ownHost?.stop();
  }

  #receive(answer: WriterAnswer): void {
    switch (answer.type) {
      case 'ready':
        if (this.#state === 'starting') this.#state = 'serving';
        this.#ready.resolve(answer.report);
        return;
      case 'refused':
        this.#ready.reject(errorFrom(answer.error));
        return;
      case 'committed':
        this.#events.committed();
        return;
      case 'slow_bulk':
        this.#events.slowBulk(answer.rows, answer.durationMs);
        return;
      case 'done':
        this.#take(answer.id)?.resolve(answer.result);
        return;
      case 'failed':
        this.#take(answer.id)?.reject(errorFrom(answer.error));
    }
  }

  #take(id: number): PromiseWithResolvers<Result> | undefined {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    return pending;
  }

  #exited(): void {
    if (this.#state === 'closing' && this.#pending.size === 0) this.#state = 'gone';
    this.#ended.resolve();
  }

  #lose(cause: unknown): void {
    if (this.#state === 'gone') return;
    const wasServing = this.#state !== 'starting';
    const error =
      cause instanceof StoreError
        ? cause
        : new StoreError('writer_lost', 'The writer of the database has failed. Restart the node.', {
            cause,
          });
    this.#state = 'gone';
    this.#forgetHost();
    this.#lostBy = error;
    this.#ready.reject(error);
    for (const pending of this.#pending.values()) pending.reject(error);
    this.#pending.clear();
    this.#ended.resolve();
    if (wasServing) this.#events.lost(error);
    // Closing the port closes the database. Others in the same thread continue when the hanging query has ended.
    this.#port?.close();
    // A thread that hangs in SQLite ends with the process.
    void this.#ownHost?.stop();
  }
}
