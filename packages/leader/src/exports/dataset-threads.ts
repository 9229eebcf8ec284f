import { Worker } from 'node:worker_threads';
import { ApiError } from '@lcs/contract';
import type { Clock, Log, Service } from '@lcs/platform';
import type { Dataset } from '../datasets/dataset.ts';
import { Places } from '../datasets/places.ts';
import type { DatasetReply, DatasetWork, RefusedDataset } from './export-protocol.ts';

type Reply = Exclude<DatasetReply, { readonly is: 'progress' | 'short' | 'unreadable' | 'failure' }>;

type Work = DatasetWork extends infer One ? (One extends DatasetWork ? Omit<One, 'databasePath'> : never) : never;

export interface RunOptions {
  /** Ends the work; its reason is thrown. */
  readonly signal: AbortSignal;
  readonly onProgress?: (fraction: number, message: string) => void;
  /** Time limit, including the wait for a slot; absent: none. */
  readonly limitMs?: number;
}

const workerUrl = new URL(`./dataset-worker${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url);

/** Objects of rows are short-lived; with the engine's default limit tens of megabytes would accumulate. */
const maxYoungGenerationSizeMb = 8;
const maxOldGenerationSizeMb = 128;

/** Previews at a time. A slow query occupies its slot until the database ends it. */
const previewsAtATime = 2;

function nameOf(work: Work): string {
  if (work.is === 'preview') return work.order.dataset.descriptor.dataset_name;
  const names =
    work.is === 'check' ? work.datasets.map(({ descriptor }) => descriptor.dataset_name) : work.order.selected;
  return names.join(', ');
}

export interface DatasetThreadsOptions {
  readonly databasePath: string;
  /** Measures limits. */
  readonly wire: Clock;
  readonly log: Log;
}

/**
 * Threads that read datasets, one for each order, so that large or slow datasets do not delay other work.
 */
export class DatasetThreads implements Service {
  readonly name = 'dataset threads';
  readonly #options: DatasetThreadsOptions;
  readonly #previews = new Places(previewsAtATime);
  readonly #running = new Set<Promise<unknown>>();
  #ending = new AbortController();

  constructor(options: DatasetThreadsOptions) {
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

  /** @throws ApiError export_short_of, dataset_unreadable, dataset_too_slow, export_failed, or the reason of the signal */
  run(work: Work, options: RunOptions): Promise<Reply> {
    const running = this.#limited(work, options).finally(() => this.#running.delete(running));
    this.#running.add(running);
    return running;
  }

  async #limited(work: Work, { signal, onProgress, limitMs }: RunOptions): Promise<Reply> {
    const tooSlow = new AbortController();
    const cancelLimit =
      limitMs === undefined
        ? () => {}
        : this.#options.wire.after(limitMs, () =>
            tooSlow.abort(new ApiError('dataset_too_slow', { dataset: nameOf(work), limitS: limitMs / 1_000 })),
          );
    const ended = AbortSignal.any([signal, this.#ending.signal, tooSlow.signal]);
    try {
      const leave = work.is === 'export' ? () => {} : await this.#previews.take(ended);
      return await this.#perform(work, { ended, onProgress, leave });
    } finally {
      cancelLimit();
    }
  }

  async #perform(
    work: Work,
    { ended, onProgress, leave }: { ended: AbortSignal; onProgress: RunOptions['onProgress']; leave: () => void },
  ): Promise<Reply> {
    ended.throwIfAborted();
    const workerData: DatasetWork = { ...work, databasePath: this.#options.databasePath };
    const worker = new Worker(workerUrl, {
      name: 'datasets',
      workerData,
      resourceLimits: { maxYoungGenerationSizeMb, maxOldGenerationSizeMb },
    });
    const { promise, resolve, reject } = Promise.withResolvers<Reply>();
    const abort = () => reject(ended.reason);
    ended.addEventListener('abort', abort);
    let hasReplied = false;
    worker.on('message', (reply: DatasetReply) => {
      hasReplied ||= reply.is !== 'progress';
      if (reply.is === 'progress') onProgress?.(reply.fraction, reply.message);
      else if (reply.is === 'exported' || reply.is === 'preview' || reply.is === 'checked') resolve(reply);
      else reject(this.#errorOf(reply));
    });
    worker.on('error', (error) => reject(this.#errorOf({ is: 'failure', message: error.message })));
    worker.on('exit', () => {
      // The last reply may arrive in the same turn as the end of the thread.
      if (!hasReplied) reject(this.#errorOf({ is: 'failure', message: 'its thread ended' }));
    });
    try {
      return await promise;
    } finally {
      ended.removeEventListener('abort', abort);
      worker.removeAllListeners();
      // What fails while the thread ends is of no interest, and without a listener it would end the leader.
      worker.on('error', () => {});
      // A running statement ends first: only the next preview waits for it.
      worker.terminate().then(leave, (error: unknown) => {
        this.#options.log.warn('A thread of datasets did not end', { error: String(error) });
        leave();
      });
    }
  }

  #errorOf(reply: Extract<DatasetReply, { readonly is: 'short' | 'unreadable' | 'failure' }>): ApiError {
    if (reply.is === 'short') return new ApiError('export_short_of', reply.params);
    if (reply.is === 'unreadable') {
      const { is: _, ...refused } = reply;
      return new ApiError('dataset_unreadable', refused);
    }
    this.#options.log.error('Reading datasets failed', { error: reply.message });
    return new ApiError('export_failed', { cause: 'The thread that reads the data failed; see the log.' });
  }
}

/** Time limit of a request of the web UI. */
const checkLimitMs = 10_000;

/** Datasets of people that the database cannot read, with the reason. @throws ApiError dataset_too_slow */
export async function refusedDatasets(
  threads: DatasetThreads,
  datasets: readonly Dataset[],
  signal: AbortSignal,
): Promise<readonly RefusedDataset[]> {
  const foreign = datasets.filter(({ isForeign }) => isForeign);
  if (foreign.length === 0) return [];
  const reply = await threads.run({ is: 'check', datasets: foreign }, { signal, limitMs: checkLimitMs });
  if (reply.is !== 'checked') throw new Error('The thread returned an unexpected reply.');
  return reply.refused;
}
