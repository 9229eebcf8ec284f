import { Worker } from 'node:worker_threads';
import type { StatementResult } from './statement-cache.ts';
import { StoreError, type StoreErrorData } from './store-error.ts';
import { workerFile } from './worker-file.ts';
import type { NumberedRequest, ReadyReport, WriterAnswer, WriterRequest, WriterSettings } from './writer-protocol.ts';

type Result = StatementResult | undefined;

export interface WriterEvents {
  /** Something was committed. */
  committed(): void;
  slowBulk(rows: number, durationMs: number): void;
  /** The writer ended without being asked to; all that waited for it has been rejected. */
  lost(error: StoreError): void;
}

const errorFrom = ({ code, message }: StoreErrorData) => new StoreError(code, message);

/** The main thread's end of the writer: requests with their answers, and the news that it is gone. */
export class WriterLink {
  readonly #settings: WriterSettings;
  readonly #events: WriterEvents;
  readonly #pending = new Map<number, PromiseWithResolvers<Result>>();
  readonly #ready = Promise.withResolvers<ReadyReport>();
  readonly #ended = Promise.withResolvers<void>();
  #worker: Worker | undefined;
  #lastId = 0;
  #state: 'starting' | 'serving' | 'closing' | 'gone' = 'starting';
  #lostBy: StoreError | undefined;

  constructor(settings: Omit<WriterSettings, 'waitingCommands'>, events: WriterEvents) {
    this.#settings = { ...settings, waitingCommands: new Int32Array(new SharedArrayBuffer(4)) };
    this.#events = events;
  }

  /** Starts the thread; resolves when the database is open and has this program's schema. */
  async open(signal: AbortSignal): Promise<ReadyReport> {
    signal.throwIfAborted();
    const worker = new Worker(workerFile('writer-worker', import.meta.url), {
      name: 'store-writer',
      workerData: this.#settings,
    });
    this.#worker = worker;
    worker.on('message', (answer: WriterAnswer) => this.#receive(answer));
    worker.on('error', (error) => this.#lose(error));
    worker.on('messageerror', (error) => this.#lose(error));
    worker.on('exit', () => this.#exited());
    const abort = () => this.#ready.reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    try {
      return await this.#ready.promise;
    } catch (error) {
      this.#state = 'gone';
      await worker.terminate();
      throw error;
    } finally {
      signal.removeEventListener('abort', abort);
    }
  }

  /** Says, before it can begin, that a command waits: the sample lane makes way. */
  announceCommand(): void {
    Atomics.add(this.#settings.waitingCommands, 0, 1);
  }

  async request(request: WriterRequest): Promise<Result> {
    if (this.#worker === undefined || this.#state === 'starting' || this.#state === 'gone') {
      throw this.#lostBy ?? new StoreError('not_running', 'The store is not running.');
    }
    this.#lastId += 1;
    const numbered: NumberedRequest = { ...request, id: this.#lastId };
    const pending = Promise.withResolvers<Result>();
    this.#worker.postMessage(numbered);
    this.#pending.set(numbered.id, pending);
    return pending.promise;
  }

  /** Gives the writer up: all that waits is rejected now, whether or not the thread can be ended. */
  abandon(reason: StoreError): void {
    this.#lose(reason);
  }

  /** Ends the thread after all that was asked before. */
  async close(): Promise<void> {
    if (this.#state !== 'serving') return;
    const closed = this.request({ type: 'close' });
    this.#state = 'closing';
    await closed;
    await this.#ended.promise;
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
    this.#ended.resolve();
    if (this.#state === 'closing' && this.#pending.size === 0) this.#state = 'gone';
    else this.#lose(new Error('its thread ended'));
  }

  #lose(cause: unknown): void {
    if (this.#state === 'gone') return;
    const wasServing = this.#state !== 'starting';
    const error =
      cause instanceof StoreError
        ? cause
        : new StoreError('writer_lost', 'The writer of the database is gone; the node must be started again.', {
            cause,
          });
    this.#state = 'gone';
    this.#lostBy = error;
    this.#ready.reject(error);
    for (const pending of this.#pending.values()) pending.reject(error);
    this.#pending.clear();
    if (wasServing) this.#events.lost(error);
    // Ends the thread if it still runs; one that is stuck in the engine ends with the process.
    this.#worker?.terminate().then(
      () => this.#ended.resolve(),
      () => this.#ended.resolve(),
    );
  }
}
