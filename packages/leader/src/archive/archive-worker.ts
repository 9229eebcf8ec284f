import { isMainThread, type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { lowerThreadPriority } from '../core/low-priority.ts';
import type { ArchiveOrder, ArchiveReply } from './archive-protocol.ts';
import { sealFile, verifyFile } from './seal-file.ts';

/** Does an order; what fails is a reply, too. */
export async function perform(order: ArchiveOrder): Promise<ArchiveReply> {
  try {
    if (order.is === 'seal') return { is: 'sealed', written: await sealFile(order) };
    return { is: 'verified', fault: await verifyFile(order) };
  } catch (error) {
    return { is: 'failure', message: error instanceof Error ? error.message : String(error) };
  }
}

async function serve(port: MessagePort, order: ArchiveOrder): Promise<void> {
  lowerThreadPriority();
  port.postMessage(await perform(order));
}

if (!isMainThread && parentPort) await serve(parentPort, workerData);
