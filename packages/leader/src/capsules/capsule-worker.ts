import { isMainThread, type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { lowerThreadPriority } from '../core/low-priority.ts';
import type { CapsuleOrder, CapsuleReply } from './capsule-protocol.ts';
import { writeCapsule } from './write-capsule.ts';

async function perform(port: MessagePort, order: CapsuleOrder): Promise<void> {
  const post = (reply: CapsuleReply) => port.postMessage(reply);
  lowerThreadPriority();
  try {
    const capsule = await writeCapsule(order, (fraction, message) => post({ is: 'progress', fraction, message }));
    post({ is: 'written', capsule: capsule ?? null });
  } catch (error) {
    post({ is: 'failure', message: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  }
}

if (!isMainThread && parentPort) await perform(parentPort, workerData);
