import { Worker } from 'node:worker_threads';
import type { Cancel, Clock, Log, Service } from '@lcs/platform';
import type { StorePlace } from '@lcs/platform/sql-reader';
import type { LogPage, LogPageLimits } from './log-page.ts';
import type { ReaderReply, ReaderRequest, ReaderSettings, SeriesAnswer } from './reader-protocol.ts';
import type { Row, RowsQuery } from './row-reader.ts';
import type { LinesQuestion, ReadPlan, SeriesQuestion } from './series-reader.ts';

type ReaderFailureCode = 'query_failed' | 'abandoned' | 'stopped' | 'thread_ended' | 'unexpected_reply';

/** A failed request; it may be repeated. */
class ReaderFailed extends Error {
  readonly code: ReaderFailureCode;

  constructor(code: ReaderFailureCode, message: string) {
    super(message);
    this.name = 'ReaderFailed';
    this.code = code;
  }
}

const unexpectedReply = () => new ReaderFailed('unexpected_reply', 'The reader thread returned an unexpected reply.');

/** What a reader calls: with each reply, and once with the reason of its end. */
interface ReaderEvents {
  readonly onReply: (reply: ReaderReply) => void;
  readonly onEnd: (reason: string) => void;
}

/** Answers one request at a time. */
interface Reader {
  post(request: ReaderRequest): void;
  /** Keeps the process running. */
  ref(): void;
  /** Lets the process end. */
  unref(): void;
  end(): Promise<void>;
}

export type StartReader = (settings: ReaderSettings, events: ReaderEvents) => Reader;

export interface SeriesReadersOptions {
  readonly place: StorePlace;
  /** Default: in a thread of its own. */
  readonly startReader?: StartReader | undefined;
  /** Clock of the idle time of threads. */
  readonly wire: Clock;
  readonly log: Log;
  /** Threads at most; they are started as they are needed. Default 2. */
  readonly threads?: number;
  /** Default 60,000. */
  readonly idleMs?: number;
}

interface Waiting {
  readonly request: ReaderRequest;
  readonly isWanted: () => boolean;
  readonly outcome: PromiseWithResolvers<ReaderReply>;
}

interface Thread {
  readonly reader: Reader;
  serving: Waiting | undefined;
  cancelIdle: Cancel | undefined;
}

const defaultThreads = 2;
const defaultIdleMs = 60_000;
/**
 * Responses are short-lived: with the engine's own limit each thread would keep some 90 MB of finished ones. The option of `lcs
 * leader` takes precedence, with the same value.
 */
const maxYoungGenerationSizeMb = 12;

const workerUrl = new URL(`./reader-worker${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url);

const startThread: StartReader = (workerData, { onReply, onEnd }) => {
  const worker = new Worker(workerUrl, {
    name: 'series-reader',
    workerData,
    resourceLimits: { maxYoungGenerationSizeMb },
  });
  worker.on('message', onReply);
  worker.on('error', (error) => onEnd(error.message));
  worker.on('exit', () => onEnd('its thread ended'));
  return {
    post: (request) => worker.postMessage(request),
    ref: () => worker.ref(),
    unref: () => worker.unref(),
    end: async () => {
      await worker.terminate();
    },
  };
};

/**
 * Threads that read time series and other large results, so that no request blocks the main thread. Each handles one request at a time; a thread
 * that ends fails its request, and a new thread takes the next.
 */
export class SeriesReaders implements Service {
  readonly name = 'series readers';
  readonly #options: SeriesReadersOptions;
  readonly #threads = new Set<Thread>();
  readonly #queue: Waiting[] = [];
  #isUp = false;

  constructor(options: SeriesReadersOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    this.#isUp = true;
  }

  /** Fails pending requests. */
  async stop(): Promise<void> {
    this.#isUp = false;
    for (const waiting of this.#queue.splice(0))
      waiting.outcome.reject(new ReaderFailed('stopped', 'The readers are stopping.'));
    await Promise.all([...this.#threads].map((thread) => this.#end(thread)));
  }

  /**
   * Requests are handled in order, from the data committed before. `isWanted` is called before the start: a request without a waiting caller is
   * dropped. A response too large for memory is returned as
   * a plan of its parts, for `lines`.
   * @throws ReaderFailed
   */
  async answer(question: SeriesQuestion, isWanted: () => boolean = () => true): Promise<SeriesAnswer | ReadPlan> {
    const reply = await this.#ask({ is: 'series', question }, isWanted);
    if (reply.is === 'plan') return reply.plan;
    if (reply.is !== 'answer') throw unexpectedReply();
    return reply.answer;
  }

  /** Lines of a large response as JSON, with commas between them. @throws ReaderFailed */
  async lines(question: LinesQuestion, isWanted: () => boolean): Promise<Uint8Array> {
    const reply = await this.#ask({ is: 'lines', question }, isWanted);
    if (reply.is !== 'lines') throw unexpectedReply();
    return reply.bytes;
  }

  /** A page of the event log, in the same queue. @throws ReaderFailed */
  async logPage(query: RowsQuery, limits: LogPageLimits, isWanted: () => boolean): Promise<LogPage> {
    const reply = await this.#ask({ is: 'log page', query, limits }, isWanted);
    if (reply.is !== 'log page') throw unexpectedReply();
    return reply.page;
  }

  /** The rows of a reading query, in the same queue. @throws ReaderFailed */
  async rows(query: RowsQuery): Promise<readonly Row[]> {
    const reply = await this.#ask({ is: 'rows', query }, () => true);
    if (reply.is !== 'rows') throw unexpectedReply();
    return reply.rows;
  }

  async #ask(request: ReaderRequest, isWanted: () => boolean): Promise<ReaderReply> {
    if (!this.#isUp) throw new ReaderFailed('stopped', 'The readers are not running.');
    const outcome = Promise.withResolvers<ReaderReply>();
    this.#queue.push({ request, isWanted, outcome });
    this.#hand();
    return outcome.promise;
  }

  #hand(): void {
    for (let next = this.#queue[0]; next !== undefined; next = this.#queue[0]) {
      if (!next.isWanted()) {
        this.#queue.shift();
        next.outcome.reject(new ReaderFailed('abandoned', 'The caller does not wait for the response any more.'));
        continue;
      }
      const thread = this.#freeThread();
      if (thread === undefined) return;
      this.#queue.shift();
      thread.cancelIdle?.();
      thread.serving = next;
      thread.reader.ref();
      thread.reader.post(next.request);
    }
  }

  #freeThread(): Thread | undefined {
    const free = [...this.#threads].find(({ serving }) => serving === undefined);
    if (free || this.#threads.size >= (this.#options.threads ?? defaultThreads)) return free;
    return this.#startThread();
  }

  #startThread(): Thread {
    const { place, startReader = startThread } = this.#options;
    const reader = startReader(
      { place },
      { onReply: (reply) => this.#receive(thread, reply), onEnd: (reason) => this.#lose(thread, reason) },
    );
    const thread: Thread = { reader, serving: undefined, cancelIdle: undefined };
    this.#threads.add(thread);
    return thread;
  }

  #receive(thread: Thread, reply: ReaderReply): void {
    const { serving } = thread;
    thread.serving = undefined;
    if (reply.is === 'failure') serving?.outcome.reject(new ReaderFailed('query_failed', reply.message));
    else serving?.outcome.resolve(reply);
    this.#hand();
    if (thread.serving === undefined) this.#rest(thread);
  }

  /** A thread takes some 15 MB: an idle one is ended. */
  #rest(thread: Thread): void {
    thread.reader.unref();
    thread.cancelIdle = this.#options.wire.after(this.#options.idleMs ?? defaultIdleMs, () => {
      this.#end(thread).catch((error: unknown) => this.#options.log.warn('A reader did not end', { error }));
    });
  }

  async #end(thread: Thread): Promise<void> {
    this.#removeThread(thread, 'The readers are stopping.');
    await thread.reader.end();
  }

  #lose(thread: Thread, reason: string): void {
    if (!this.#threads.has(thread)) return;
    this.#options.log.error('A reader thread has ended; the next request starts another', { reason });
    this.#removeThread(thread, `The reader thread has ended: ${reason}`);
    if (this.#isUp) this.#hand();
  }

  #removeThread(thread: Thread, reason: string): void {
    this.#threads.delete(thread);
    thread.cancelIdle?.();
    thread.serving?.outcome.reject(new ReaderFailed('thread_ended', reason));
    thread.serving = undefined;
  }
}
