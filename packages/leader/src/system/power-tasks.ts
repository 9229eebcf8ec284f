import type { AcceptedTask, UnitOutcome } from '@lcs/contract';
import { type TaskContext, untilAborted } from '@lcs/platform';
import type { LeaderContext } from '../core/leader-context.ts';
import { acceptedTask } from '../core/tasks.ts';
import { jsonOf } from '../fleet/outcome.ts';

interface PowerInput {
  readonly [name: string]: string | readonly string[];
  readonly units: readonly string[];
  readonly path: string;
}

/** The leader waits until its own machine is ready: jobs stopped and 5 s passed. */
const taskMs = 60_000;

/**
 * Commands that may stop a unit: all workers concurrently, and the leader only after them. Call it before the
 * tasks start.
 */
export function powerTasks({ leader, tasks, fleet }: Pick<LeaderContext, 'leader' | 'tasks' | 'fleet'>) {
  const kind = {
    kind: 'power_units',
    lane: 'stop' as const,
    run: async ({ units, path }: PowerInput, { signal }: TaskContext) => {
      const send = (some: readonly string[]): Promise<Record<string, UnitOutcome>> =>
        untilAborted(
          signal,
          fleet.command(
            some.map((unit) => ({ unit, method: 'POST', path, body: {} })),
            { lane: 'stop', taskMs },
          ),
        );
      const workers = await send(units.filter((unit) => unit !== leader));
      const own = await send(units.filter((unit) => unit === leader));
      return jsonOf({ ...workers, ...own });
    },
  };
  tasks.register(kind);
  return async (units: readonly string[], path: string): Promise<{ status: 202; body: AcceptedTask }> => {
    const { taskId } = await tasks.submit(kind, { units, path });
    return { status: 202, body: acceptedTask(leader, taskId) };
  };
}
