import { ApiError } from '@lcs/contract';
import type { Log, Service } from '@lcs/platform';
import type { StorePlace } from '@lcs/platform/sql-reader';
import { Places } from '../datasets/places.ts';
import { threadOf, WorkerThreads } from '../datasets/worker-threads.ts';
import type { GrowthQuestion, UnitGrowth } from '../growth-curves/unit-growth.ts';
import type { GrowthReply, GrowthWork } from './growth-protocol.ts';

const workerUrl = new URL(`./growth-worker${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url);

/** Fits take the processor for minutes: the other processors stay free. */
const threadsAtATime = 1;
const startThread = threadOf<GrowthWork, GrowthReply>(workerUrl, {
  name: 'growth',
  resourceLimits: { maxOldGenerationSizeMb: 128 },
});

export interface GrowthThreadsOptions {
  readonly place: StorePlace;
  readonly log: Log;
}

/** Fits growth curves in a thread, which ends with its work. */
export class GrowthThreads implements Service {
  readonly name = 'growth threads';
  readonly #options: GrowthThreadsOptions;
  readonly #places = new Places(threadsAtATime);
  readonly #threads: WorkerThreads;

  constructor(options: GrowthThreadsOptions) {
    this.#options = options;
    this.#threads = new WorkerThreads(options.log);
  }

  async start(): Promise<void> {
    this.#threads.start();
  }

  stop(): Promise<void> {
    return this.#threads.stop();
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
    return this.#threads.run(signal, (ended) => this.#perform(questions, ended, onUnit));
  }

  async #perform(
    questions: readonly GrowthQuestion[],
    ended: AbortSignal,
    onUnit: (index: number, growth: UnitGrowth | null) => void,
  ): Promise<void> {
    const leave = await this.#places.take(ended);
    const work: GrowthWork = { place: this.#options.place, questions };
    await this.#threads.perform<GrowthReply, void>({
      name: 'growth',
      start: (events) => startThread(work, events),
      ended,
      onReply: (reply, { resolve, reject }) => {
        if (reply.is === 'unit') onUnit(reply.index, reply.growth);
        else if (reply.is === 'done') resolve();
        else reject(this.#failure(reply.message));
      },
      failureOf: (message) => this.#failure(message),
      onEnded: leave,
    });
  }

  #failure(message: string): ApiError {
    this.#options.log.error('Fitting growth curves failed', { error: message });
    return new ApiError('growth_curves_failed', { cause: 'The thread that fits the curves failed; see the log.' });
  }
}
