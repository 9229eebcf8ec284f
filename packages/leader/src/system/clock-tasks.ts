import { ApiError, type clusterSystemRoutes, dayMs, type Handler, hourMs } from '@lcs/contract';
import { clockTime } from '@lcs/node';
import { type TaskContext, toTimestamp, untilAborted } from '@lcs/platform';
import type { LeaderContext } from '../core/leader-context.ts';
import { acceptedTask } from '../core/tasks.ts';
import { failed, jsonOf } from '../fleet/outcome.ts';
import { workerNames } from '../queries/workers.ts';

const path = '/unit_api/system/utc_clock';

/** Sets the clock of the leader, then synchronises the workers. Call it before the tasks start. */
export function setClocksHandler(context: LeaderContext): Handler<(typeof clusterSystemRoutes)['setClocks']> {
  const { leader, tasks, fleet, database, clock } = context;
  const kind = {
    kind: 'set_clocks',
    lane: 'stop' as const,
    run: async ({ utcMs }: { readonly utcMs: number }, { signal }: TaskContext) => {
      const lane = 'command' as const;
      const body = { utc_clock_time: toTimestamp(utcMs) };
      const own = await untilAborted(signal, fleet.command([{ unit: leader, method: 'POST', path, body }], { lane }));
      const workers = (await workerNames(database.read)).filter((unit) => unit !== leader);
      if (own[leader]?.ok !== true) {
        const message = 'It was not contacted, because the clock of the leader was not set.';
        const skipped = workers.map((unit) => [unit, failed(unit, 'task_failed', { message }, null, true)]);
        return jsonOf({ ...own, ...Object.fromEntries(skipped) });
      }
      const others = await untilAborted(
        signal,
        fleet.command(
          workers.map((unit) => ({ unit, method: 'POST', path, body: {} })),
          { lane },
        ),
      );
      return jsonOf({ ...own, ...others });
    },
  };
  tasks.register(kind);
  return async ({ body: { utc_clock_time: text, force = false } }) => {
    const utcMs = clockTime(text);
    const backMs = clock.now() - utcMs;
    if (backMs > dayMs && !force && (await isExperimentRunning(context))) {
      throw new ApiError('clock_step_back', { hours: Math.floor(backMs / hourMs) });
    }
    const { taskId } = await tasks.submit(kind, { utcMs });
    return { status: 202, body: acceptedTask(leader, taskId) };
  };
}

/** An experiment runs when it has a worker. */
const isExperimentRunning = async ({ database }: Pick<LeaderContext, 'database'>): Promise<boolean> =>
  (await database.read.selectFrom('assignments').select('reactor_unit').limit(1).executeTakeFirst()) !== undefined;
