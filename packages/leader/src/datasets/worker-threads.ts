import { Worker, type WorkerOptions } from 'node:worker_threads';
import { ApiError } from '@lcs/contract';
import type { Log } from '@lcs/platform';

interface ThreadEnd<Result> {
  readonly resolve: (result: Result) => void;
  readonly reject: (error: Error) => void;
}

/** What a thread calls: with each reply, and when it ends or fails, with the reason. */
interface ThreadEvents<Reply> {
  readonly onReply: (reply: Reply) => void;
  readonly onEnd: (reason: string) => void;
}

/** Work that has begun. */
interface StartedThread {
  /** Nothing more is called from now on; resolves when the work has ended. */
  end(): Promise<unknown>;
}

/** Starts the work of a thread. */
export type StartThread<Work, Reply> = (work: Work, events: ThreadEvents<Reply>) => StartedThread;

/** Threads of this program and these options. */
export const threadOf =
  <Work, Reply>(url: URL, options: WorkerOptions): StartThread<Work, Reply> =>
  (workerData, { onReply, onEnd }) => {
    const worker = new Worker(url, { ...options, workerData });
    worker.on('message', onReply);
    worker.on('error', (error) => onEnd(error.message));
    worker.on('exit', () => onEnd('its thread ended'));
    return {
      end: () => {
        worker.removeAllListeners();
        // What fails while the thread ends is of no interest, and without a listener it would end the leader.
        worker.on('error', () => {});
        return worker.terminate();
      },
    };
  };

/** What a thread is started for. */
export interface ThreadOrder<Reply, Result> {
  /** Of the thread. */
  readonly name: string;
  readonly start: (events: ThreadEvents<Reply>) => StartedThread;
  /** Ends the work; its reason is thrown. */
  readonly ended: AbortSignal;
  /** Takes a reply; the last one resolves or rejects. */
  readonly onReply: (reply: Reply, end: ThreadEnd<Result>) => void;
  /** The error of a thread that failed, or ended before its last reply. */
  readonly failureOf: (message: string) => Error;
  /** The thread has ended, or was never started. A running statement of the database ends first. */
  readonly onEnded: () => void;
}

function started<Reply, Result>(
  { start, ended, onEnded }: ThreadOrder<Reply, Result>,
  events: ThreadEvents<Reply>,
): StartedThread {
  try {
    ended.throwIfAborted();
    return start(events);
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
    const { name, ended, onReply, failureOf, onEnded } = order;
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
    const thread = started(order, {
      onReply: (reply) => onReply(reply, end),
      onEnd: (reason) => {
        // The last reply may arrive in the same turn as the end of the thread.
        if (!isDone) reject(failureOf(reason));
      },
    });
    const abort = () => reject(ended.reason);
    ended.addEventListener('abort', abort);
    try {
      return await promise;
    } finally {
      ended.removeEventListener('abort', abort);
      thread.end().then(onEnded, (error: unknown) => {
        this.#log.warn('A thread did not end', { thread: name, error: String(error) });
        onEnded();
      });
    }
  }
}
