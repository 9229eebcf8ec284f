import { ApiError } from '@lcs/contract';
import type { Clock, Log, Service } from '@lcs/platform';
import type { StorePlace } from '@lcs/platform/sql-reader';
import { firstLine } from '../core/first-line.ts';
import type { Dataset } from '../datasets/dataset.ts';
import { Places } from '../datasets/places.ts';
import { type StartThread, threadOf, WorkerThreads } from '../datasets/worker-threads.ts';
import {
  type DatasetEstimate,
  type DatasetReply,
  type DatasetWork,
  type EstimateOrder,
  type RefusedDataset,
  unknownEstimate,
} from './export-protocol.ts';

type Reply = Exclude<DatasetReply, { readonly is: 'progress' | 'estimate' | 'short' | 'unreadable' | 'failure' }>;

type Work = DatasetWork extends infer One
  ? One extends DatasetWork
    ? Omit<One, 'place' | 'statementLimitMs'>
    : never
  : never;

export interface RunOptions {
  /** Ends the work; its reason is thrown. */
  readonly signal: AbortSignal;
  readonly onProgress?: (fraction: number, message: string) => void;
  /** Called with each dataset of an estimate. */
  readonly onEstimate?: (estimate: DatasetEstimate) => void;
  /** Time limit, including the wait for a slot; absent: none. */
  readonly limitMs?: number;
}

const workerUrl = new URL(`./dataset-worker${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url);

/** How the work on datasets is started. */
export type StartDatasets = StartThread<DatasetWork, DatasetReply>;

const startThread: StartDatasets = threadOf(workerUrl, {
  name: 'datasets',
  // Objects of rows are short-lived; with the engine's default limit tens of megabytes would accumulate.
  resourceLimits: { maxYoungGenerationSizeMb: 8, maxOldGenerationSizeMb: 128 },
});

/** Previews at a time. A slow query occupies its slot until the database ends it. */
const previewsAtATime = 2;

/** An estimate of large datasets must not delay previews. */
const estimatesAtATime = 1;

function nameOf(work: Work): string {
  if (work.is === 'preview') return work.order.dataset.descriptor.dataset_name;
  if (work.is === 'export') return work.order.selected.join(', ');
  const datasets = work.is === 'check' ? work.datasets : work.order.datasets;
  return datasets.map(({ descriptor }) => descriptor.dataset_name).join(', ');
}

export interface DatasetThreadsOptions {
  readonly place: StorePlace;
  /** The longest time of a statement, where a thread's end does not end it. */
  readonly statementLimitMs: () => number;
  /** Default: each in a thread of its own. */
  readonly startDatasets?: StartDatasets | undefined;
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
  readonly #estimates = new Places(estimatesAtATime);
  readonly #threads: WorkerThreads;

  constructor(options: DatasetThreadsOptions) {
    this.#options = options;
    this.#threads = new WorkerThreads(options.log);
  }

  async start(): Promise<void> {
    this.#threads.start();
  }

  stop(): Promise<void> {
    return this.#threads.stop();
  }

  /** @throws ApiError export_short_of, dataset_unreadable, dataset_too_slow, export_failed, or the reason of the signal */
  run(work: Work, { signal, ...options }: RunOptions): Promise<Reply> {
    return this.#threads.run(signal, (ended) => this.#limited(work, ended, options));
  }

  async #limited(work: Work, running: AbortSignal, { limitMs, ...calls }: Omit<RunOptions, 'signal'>): Promise<Reply> {
    const tooSlow = new AbortController();
    const cancelLimit =
      limitMs === undefined
        ? () => {}
        : this.#options.wire.after(limitMs, () =>
            tooSlow.abort(new ApiError('dataset_too_slow', { dataset: nameOf(work), limitS: limitMs / 1_000 })),
          );
    const ended = AbortSignal.any([running, tooSlow.signal]);
    try {
      const places = work.is === 'estimate' ? this.#estimates : this.#previews;
      const leave = work.is === 'export' ? () => {} : await places.take(ended);
      return await this.#perform(work, ended, { ...calls, leave });
    } finally {
      cancelLimit();
    }
  }

  #perform(
    work: Work,
    ended: AbortSignal,
    { onProgress, onEstimate, leave }: Pick<RunOptions, 'onProgress' | 'onEstimate'> & { readonly leave: () => void },
  ): Promise<Reply> {
    const { place, statementLimitMs, startDatasets = startThread } = this.#options;
    const order: DatasetWork = { ...work, place, statementLimitMs: statementLimitMs() };
    return this.#threads.perform<DatasetReply, Reply>({
      name: 'datasets',
      start: (events) => startDatasets(order, events),
      ended,
      onReply: (reply, { resolve, reject }) => {
        if (reply.is === 'progress') onProgress?.(reply.fraction, reply.message);
        else if (reply.is === 'estimate') onEstimate?.(reply.estimate);
        else if (reply.is === 'short' || reply.is === 'unreadable' || reply.is === 'failure')
          reject(this.#errorOf(reply));
        else resolve(reply);
      },
      failureOf: (message) => this.#errorOf({ is: 'failure', message }),
      // Only the next preview or estimate waits for the end of a running statement.
      onEnded: leave,
    });
  }

  #errorOf(reply: Extract<DatasetReply, { readonly is: 'short' | 'unreadable' | 'failure' }>): ApiError {
    if (reply.is === 'short') return new ApiError('export_short_of', reply.params);
    if (reply.is === 'unreadable') {
      const { is: _, ...refused } = reply;
      return new ApiError('dataset_unreadable', refused);
    }
    this.#options.log.error('Reading datasets failed', { error: reply.message });
    return new ApiError('export_failed', { cause: `Reading the data failed (${firstLine(reply.message)}).` });
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

/**
 * The sizes of datasets in an export; unknown for what could not be counted in time.
 * @throws ApiError dataset_too_slow when nothing could be counted in time
 */
export async function estimatedDatasets(
  threads: Pick<DatasetThreads, 'run'>,
  order: EstimateOrder,
  options: Pick<RunOptions, 'signal' | 'limitMs'>,
): Promise<readonly DatasetEstimate[]> {
  const found = new Map<string, DatasetEstimate>();
  // A query of a person may take any time.
  const datasets = order.datasets.toSorted((one, other) => Number(one.isForeign) - Number(other.isForeign));
  const onEstimate = (estimate: DatasetEstimate) => found.set(estimate.dataset_name, estimate);
  try {
    await threads.run({ is: 'estimate', order: { ...order, datasets } }, { ...options, onEstimate });
  } catch (error) {
    if (found.size === 0 || !(error instanceof ApiError) || error.code !== 'dataset_too_slow') throw error;
  }
  return order.datasets.map(
    ({ descriptor: { dataset_name } }) => found.get(dataset_name) ?? unknownEstimate(dataset_name),
  );
}
