import { constants, setPriority } from 'node:os';

/** On Linux each thread has a priority of its own, and this number means the one that asks. */
const thisThread = 0;

/**
 * Lets all other threads go first that want the processor: for work that nobody waits for at a screen. Does nothing where
 * only whole processes have a priority.
 */
export function lowerThreadPriority(): void {
  if (process.platform === 'linux') setPriority(thisThread, constants.priority.PRIORITY_BELOW_NORMAL);
}
