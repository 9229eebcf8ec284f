import { isMainThread, type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { lowerThreadPriority } from '../core/low-priority.ts';
import type { ArchiveOrder, ArchiveReply } from './archive-protocol.ts';
import { sealFile, verifyFile } from './seal-file.ts';

async function answer(order: ArchiveOrder): Promise<ArchiveReply> {
  if (order.is === 'seal') return { is: 'sealed', written: await sealFile(order) };
  return { is: 'verified', fault: await verifyFile(order) };
}

async function perform(port: MessagePort, order: ArchiveOrder): Promise<void> {
  lowerThreadPriority();
  try {
    port.postMessage(await answer(order));
  } catch (error) {
    const failure: ArchiveReply = { is: 'failure', message: error instanceof Error ? error.message : String(error) };
    port.postMessage(failure);
  }
}

if (!isMainThread && parentPort) await perform(parentPort, workerData);
