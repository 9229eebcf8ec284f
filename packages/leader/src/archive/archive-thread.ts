import { Worker } from 'node:worker_threads';
import { ArchiveFailed } from '../sealed/archive-failed.ts';
import type { ArchiveOrder, ArchiveReply } from './archive-protocol.ts';

const workerUrl = new URL(`./archive-worker${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url);
const resourceLimits = { maxYoungGenerationSizeMb: 16, maxOldGenerationSizeMb: 256 };

type Answer<Order extends ArchiveOrder> = Extract<
  ArchiveReply,
  { is: Order extends { is: 'seal' } ? 'sealed' : 'verified' }
>;

/** Does one order. @throws ArchiveFailed, or the reason of the signal */
export type ArchiveWork = (order: ArchiveOrder, signal: AbortSignal) => Promise<ArchiveReply>;

/** Each order has a thread of its own. */
export const inThread: ArchiveWork = async (order, signal) => {
  signal.throwIfAborted();
  const worker = new Worker(workerUrl, { name: 'archive', workerData: order, resourceLimits });
  const { promise, resolve, reject } = Promise.withResolvers<ArchiveReply>();
  const abort = () => reject(signal.reason);
  signal.addEventListener('abort', abort);
  worker.on('message', resolve);
  worker.on('error', (error) => reject(new ArchiveFailed(error.message)));
  worker.on('exit', () => reject(new ArchiveFailed('Its thread ended.')));
  try {
    return await promise;
  } finally {
    signal.removeEventListener('abort', abort);
    worker.removeAllListeners();
    // What fails while the thread ends is of no interest, and without a listener it would end the leader.
    worker.on('error', () => {});
    await worker.terminate();
  }
};

const isAnswerTo = <Order extends ArchiveOrder>(order: Order, found: ArchiveReply): found is Answer<Order> =>
  found.is === (order.is === 'seal' ? 'sealed' : 'verified');

/** The answer of its kind to an order. @throws ArchiveFailed, or the reason of the signal */
export async function answerTo<Order extends ArchiveOrder>(
  order: Order,
  work: ArchiveWork,
  signal: AbortSignal,
): Promise<Answer<Order>> {
  const found = await work(order, signal);
  if (isAnswerTo(order, found)) return found;
  throw new ArchiveFailed(found.is === 'failure' ? found.message : 'The thread returned an unexpected reply.');
}
