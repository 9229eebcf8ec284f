import { constants, setPriority } from 'node:os';

/** On Linux each thread has its own priority, and this number means the calling thread. */
const thisThread = 0;

/**
 * Lowers the priority of the calling thread, for background work. Does nothing on systems on which only whole processes have
 * a priority.
 */
export function lowerThreadPriority(): void {
  if (process.platform === 'linux') setPriority(thisThread, constants.priority.PRIORITY_BELOW_NORMAL);
}
