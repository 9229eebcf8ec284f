import { ApiError, failureReason, nodeApi, PassedOnError } from '@lcs/contract';
import type { TaskKind } from '@lcs/platform';
import type { LeaderContext } from '../core/leader-context.ts';
import { askUnit } from '../fleet/ask-unit.ts';
import { jsonOf } from '../fleet/outcome.ts';

interface FollowedStill {
  readonly [name: string]: string;
  readonly unit: string;
  /** The unit's camera. */
  readonly taskId: string;
}

/** A camera may wait for a gap between two readings, and for its program. */
const limitMs = 120_000;
const pollMs = 250;
const pollLimitMs = 3_000;
const failedTaskStatus = 500;

/** Follows the task in which a unit takes a still; its result is the unit's. */
export function followStill({ fleet, wire }: Pick<LeaderContext, 'fleet' | 'wire'>): TaskKind<FollowedStill> {
  const run: TaskKind<FollowedStill>['run'] = async ({ unit, taskId }, { signal }) => {
    let cause = `Its task has not ended within ${limitMs / 1000} s.`;
    for (const begun = wire.monotonic(); wire.monotonic() - begun < limitMs; await wire.sleep(pollMs, signal)) {
      try {
        const options = { limitMs: pollLimitMs, waits: true, signal };
        const end = await askUnit(fleet, unit, nodeApi.getTaskResult, { params: { task_id: taskId } }, options);
        if (end.status === 'succeeded') return jsonOf(end.result);
        if (end.status !== 'failed') continue;
        throw new PassedOnError({ ...failureReason(end), status: failedTaskStatus });
      } catch (error) {
        signal.throwIfAborted();
        // A unit that does not answer may answer a moment later; a refusal is final.
        if (!(error instanceof ApiError)) throw error;
        ({ cause } = error.body);
      }
    }
    throw new ApiError('unit_gave_no_answer', { unit, cause });
  };
  return { kind: 'take_still', lane: 'stop', run };
}
