import type { AcceptedTask, Json } from '@lcs/contract';
import type { TaskKind } from '@lcs/platform';
import type { LeaderContext, UnitCommand } from '../core/leader-context.ts';
import { acceptedTask } from '../core/tasks.ts';
import { resultOfOutcomes } from '../fleet/outcome.ts';

interface ChangeInput {
  readonly [name: string]: Json;
  readonly commands: readonly UnitCommand[];
}

/** Changes calibrations or estimators of units in a task. */
export type ChangeCalibrations = (
  commands: readonly UnitCommand[],
) => Promise<{ readonly status: 202; readonly body: AcceptedTask }>;

/** Call it before the tasks are started. */
export function changeCalibrations({
  leader,
  tasks,
  fleet,
}: Pick<LeaderContext, 'leader' | 'tasks' | 'fleet'>): ChangeCalibrations {
  const kind: TaskKind<ChangeInput> = {
    kind: 'change_calibrations',
    lane: 'stop',
    run: async ({ commands }) => {
      const units = commands.map(({ unit }) => unit);
      fleet.forget(units, calibrationPaths);
      try {
        return await resultOfOutcomes(await fleet.command(commands, { lane: 'command', seesChanges: true }));
      } finally {
        // What was read meanwhile may be older than the change.
        fleet.forget(units, calibrationPaths);
      }
    },
  };
  tasks.register(kind);
  return async (commands) => {
    // From now on nobody shall see what was before, also while the task waits for its turn.
    fleet.forget(
      commands.map(({ unit }) => unit),
      calibrationPaths,
    );
    const { taskId } = await tasks.submit(kind, { commands });
    return { status: 202, body: acceptedTask(leader, taskId) };
  };
}

/** What of units is kept for 10 s, and is not good any more when a calibration, an estimator or a session changes. */
export const calibrationPaths = [
  '/unit_api/calibrations',
  '/unit_api/active_calibrations',
  '/unit_api/estimators',
  '/unit_api/active_estimators',
  // They name the sessions that are open.
  '/unit_api/calibration_protocols',
] as const;
