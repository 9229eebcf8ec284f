import { Worker } from 'node:worker_threads';
import { ApiError } from '@lcs/contract';
import type { Log, Service } from '@lcs/platform';
import { Places } from '../datasets/places.ts';
import type { GrowthQuestion, UnitGrowth } from '../growth-curves/unit-growth.ts';
import type { GrowthReply, GrowthWork } from './growth-protocol.ts';

const workerUrl = new URL(`./growth-worker${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url);

/** Fits take the processor for minutes: the other processors stay free. */
const threads = 1;
const maxOldGenerationSizeMb = 128;

export interface GrowthThreadsOptions {
  readonly databasePath: string;
  readonly log: Log;
}

/** Fits growth curves in a thread, which ends with its work. */
export class GrowthThreads implements Service {
  readonly name = 'growth threads';
  readonly #options: GrowthThreadsOptions;
  readonly #places = new Places(threads);
  readonly #running = new Set<Promise<void>>();
  #ending = new AbortController();

  constructor(options: GrowthThreadsOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    this.#ending = new AbortController();
  }

  /** Ends all work. */
  async stop(): Promise<void> {
    this.#ending.abort(new ApiError('shutting_down', {}));
    await Promise.allSettled(this.#running);
  }

  /**
   * Calls `onUnit` for each question, in their order; null: no readings.
   * @throws ApiError growth_curves_failed, or the reason of the signal
   */
  run(
    questions: readonly GrowthQuestion[],
    signal: AbortSignal,
    onUnit: (index: number, growth: UnitGrowth | null) => void,
  ): Promise<void> {
    const running = this.#run(questions, AbortSignal.any([signal, this.#ending.signal]), onUnit).finally(() =>
      this.#running.delete(running),
    );
    this.#running.add(running);
    return running;
  }

  async #run(
    questions: readonly GrowthQuestion[],
    ended: AbortSignal,
    onUnit: (index: number, growth: UnitGrowth | null) => void,
  ): Promise<void> {
    const leave = await this.#places.take(ended);
    const workerData: GrowthWork = { databasePath: this.#options.databasePath, questions };
    const worker = new Worker(workerUrl, { name: 'growth', workerData, resourceLimits: { maxOldGenerationSizeMb } });
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const abort = () => reject(ended.reason);
    ended.addEventListener('abort', abort);
    let isDone = false;
    worker.on('message', (reply: GrowthReply) => {
      if (reply.is === 'unit') onUnit(reply.index, reply.growth);
      else if (reply.is === 'done') {
        isDone = true;
        resolve();
      } else reject(this.#failure(reply.message));
    });
    worker.on('error', (error) => reject(this.#failure(error.message)));
    worker.on('exit', () => {
      // The last reply may arrive in the same turn as the end of the thread.
      if (!isDone) reject(this.#failure('its thread ended'));
    });
    try {
      return await promise;
    } finally {
      ended.removeEventListener('abort', abort);
      worker.removeAllListeners();
      // What fails while the thread ends is of no interest, and without a listener it would end the leader.
      worker.on('error', () => {});
      await worker.terminate();
      leave();
    }
  }

  #failure(message: string): ApiError {
    this.#options.log.error('Fitting growth curves failed', { error: message });
    return new ApiError('growth_curves_failed', { cause: 'The thread that fits the curves failed; see the log.' });
  }
}
