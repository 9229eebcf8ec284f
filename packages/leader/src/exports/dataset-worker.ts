import { isMainThread, parentPort, workerData } from 'node:worker_threads';
import { lowerThreadPriority } from '../core/low-priority.ts';
import { openClassicConnection } from '../datasets/rows/classic-connection.ts';
import { estimateExport } from './estimate-export.ts';
import type { DatasetEstimate, DatasetReply, DatasetWork } from './export-protocol.ts';
import { previewRows } from './preview-rows.ts';
import { DatasetUnreadable, refusedDatasets, unreadable } from './refused-dataset.ts';
import { hostResources, InsufficientResources } from './resource-limits.ts';
import { writeExport } from './write-export.ts';

// A thread executes one order and ends: the memory of a large export is freed with it.

const replyTo = (error: unknown): DatasetReply => {
  if (error instanceof InsufficientResources) return { is: 'short', params: error.params };
  if (error instanceof DatasetUnreadable) return { is: 'unreadable', ...error.refused };
  return { is: 'failure', message: error instanceof Error ? (error.stack ?? error.message) : String(error) };
};

async function perform(
  post: (reply: DatasetReply) => void,
  work: DatasetWork,
  giveWay: () => void,
): Promise<DatasetReply> {
  const { place } = work;
  const connection = openClassicConnection(place, work);
  try {
    if (work.is === 'check') return { is: 'checked', refused: refusedDatasets(connection, work.datasets) };
    if (work.is === 'estimate') {
      const onEstimate = (estimate: DatasetEstimate) => post({ is: 'estimate', estimate });
      const datasets = estimateExport(work.order, { connection, monotonicMs: () => performance.now(), onEstimate });
      return { is: 'estimated', datasets };
    }
    if (work.is === 'preview') {
      try {
        return { is: 'preview', rows: previewRows(connection, work.order) };
      } catch (error) {
        throw unreadable(work.order.dataset, error);
      }
    }
    giveWay();
    const progress = (fraction: number, message: string) => post({ is: 'progress', fraction, message });
    const monotonicMs = () => performance.now();
    const file = await writeExport(work.order, {
      connection,
      ...('path' in place && { databasePath: place.path }),
      resources: hostResources,
      monotonicMs,
      progress,
    });
    return { is: 'exported', file };
  } finally {
    connection.close();
  }
}

/** Posts replies, the result or the error as the last. `giveWay` is called before long work. */
export async function serve(
  post: (reply: DatasetReply) => void,
  work: DatasetWork,
  giveWay: () => void = () => {},
): Promise<void> {
  post(await perform(post, work, giveWay).catch(replyTo));
}

if (!isMainThread && parentPort) {
  const port = parentPort;
  await serve((reply) => port.postMessage(reply), workerData, lowerThreadPriority);
}
