import { Worker, type WorkerOptions } from 'node:worker_threads';
import { ApiError } from '@lcs/contract';
import type { Log } from '@lcs/platform';

interface ThreadEnd<Result> {
  readonly resolve: (result: Result) => void;
  readonly reject: (error: Error) => void;
}

/** What a thread is started for. */
export interface ThreadOrder<Reply, Result> {
  readonly url: URL;
  readonly options: WorkerOptions;
  /** Ends the work; its reason is thrown. */
  readonly ended: AbortSignal;
  /** Takes a reply; the last one resolves or rejects. */
  readonly onReply: (reply: Reply, end: ThreadEnd<Result>) => void;
  /** The error of a thread that failed, or ended before its last reply. */
  readonly failureOf: (message: string) => Error;
  /** The thread has ended, or was never started. A running statement of the database ends first. */
  readonly onEnded: () => void;
}

function started<Reply, Result>({ url, options, ended, onEnded }: ThreadOrder<Reply, Result>): Worker {
  try {
    ended.throwIfAborted();
    return new Worker(url, options);
  } catch (error) {
    onEnded();
    throw error;
  }
}

/** Threads of one order each, so that long work does not delay other work, and a failure ends nothing else. */
export class WorkerThreads {
  readonly #log: Log;
  readonly #running = new Set<Promise<unknown>>();
  #ending = new AbortController();

  constructor(log: Log) {
    this.#log = log;
  }

  start(): void {
    this.#ending = new AbortController();
  }

  /** Ends all work. */
  async stop(): Promise<void> {
    this.#ending.abort(new ApiError('shutting_down', {}));
    await Promise.allSettled(this.#running);
  }

  /** Work that `signal` or the stop of these threads ends. */
  run<Result>(signal: AbortSignal, work: (ended: AbortSignal) => Promise<Result>): Promise<Result> {
    const running = work(AbortSignal.any([signal, this.#ending.signal])).finally(() => this.#running.delete(running));
    this.#running.add(running);
    return running;
  }

  /** Starts a thread, and resolves or rejects with its last reply. */
  async perform<Reply, Result>(order: ThreadOrder<Reply, Result>): Promise<Result> {
    const { options, ended, onReply, failureOf, onEnded } = order;
    const worker = started(order);
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    let isDone = false;
    const end: ThreadEnd<Result> = {
      resolve: (result) => {
        isDone = true;
        resolve(result);
      },
      reject: (error) => {
        isDone = true;
        reject(error);
      },
    };
    const abort = () => reject(ended.reason);
    ended.addEventListener('abort', abort);
    worker.on('message', (reply: Reply) => onReply(reply, end));
    worker.on('error', (error) => reject(failureOf(error.message)));
    worker.on('exit', () => {
      // The last reply may arrive in the same turn as the end of the thread.
      if (!isDone) reject(failureOf('its thread ended'));
    });
    try {
      return await promise;
    } finally {
      ended.removeEventListener('abort', abort);
      worker.removeAllListeners();
      // What fails while the thread ends is of no interest, and without a listener it would end the leader.
      worker.on('error', () => {});
      worker.terminate().then(onEnded, (error: unknown) => {
        this.#log.warn('A thread did not end', { thread: options.name, error: String(error) });
        onEnded();
      });
    }
  }
}
