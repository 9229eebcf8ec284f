import { constants, setPriority } from 'node:os';

/** On Linux each thread has a priority of its own, and this number means the calling thread. */
const thisThread = 0;

/**
 * Lowers the priority of the calling thread, for background work. Does nothing on systems where only whole processes have
 * a priority.
 */
export function lowerThreadPriority(): void {
  if (process.platform === 'linux') setPriority(thisThread, constants.priority.PRIORITY_BELOW_NORMAL);
}
