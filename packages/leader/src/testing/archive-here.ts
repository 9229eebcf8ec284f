import type { ArchiveWork } from '../archive/archive-thread.ts';
import { perform } from '../archive/archive-worker.ts';

/** Work on sealed files in the thread of the tests: to start a thread takes longer than to write a small file. It cannot be cut short. */
export const archiveHere: ArchiveWork = async (order, signal) => {
  signal.throwIfAborted();
  return structuredClone(await perform(structuredClone(order)));
};
