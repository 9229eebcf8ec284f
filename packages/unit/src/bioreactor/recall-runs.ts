import { type Actuators, outputIds, type PastRun } from '@lcs/hardware';
import type { Log } from '@lcs/platform';
import type { PumpInterval } from './dosing-store.ts';

/** Sends the guard the pump runs from before this node's start: they count towards the hourly limit. */
export function recallRuns(
  actuators: Pick<Actuators, 'recall'>,
  intervals: readonly PumpInterval[],
  { nowMs, log }: { readonly nowMs: number; readonly log: Log },
): void {
  const runs = intervals.flatMap(({ output: name, percent, fromMs, toMs }): PastRun[] => {
    const output = outputIds.find((id) => id === name);
    // A clock that was set back since then must not move them into the future.
    return output === undefined
      ? []
      : [{ output, percent, ranMs: toMs - fromMs, endedAgoMs: Math.max(0, nowMs - toMs) }];
  });
  if (runs.length === 0) return;
  actuators
    .recall(runs)
    .catch((error: unknown) =>
      log.warn('The guard cannot receive the earlier pump runs now', { error: String(error) }),
    );
}
