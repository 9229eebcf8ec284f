import { type AcceptedTask, type FinishedTask, waitForTask } from '@lcs/contract';
import type { PageClock } from '../time/page-clock.ts';

/** The end of a task of the leader; rejects after `limitMs`, or when `signal` is aborted. */
export function followTask(
  clock: PageClock,
  accepted: AcceptedTask,
  limitMs: number,
  signal?: AbortSignal,
): Promise<FinishedTask> {
  const limit = AbortSignal.timeout(limitMs);
  return waitForTask('', accepted, {
    sleep: (delayMs) => new Promise((resolve) => clock.after(delayMs, resolve)),
    signal: signal ? AbortSignal.any([signal, limit]) : limit,
  });
}
