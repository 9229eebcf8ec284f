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
        return await resultOfOutcomes(await fleet.command(commands, { lane: 'command', requiresChanges: true }));
      } finally {
        // Data that were read meanwhile may be older than the change.
        fleet.forget(units, calibrationPaths);
      }
    },
  };
  tasks.register(kind);
  return async (commands) => {
    // From now on, responses must not contain older data, also while the task is pending.
    fleet.forget(
      commands.map(({ unit }) => unit),
      calibrationPaths,
    );
    const { taskId } = await tasks.submit(kind, { commands });
    return { status: 202, body: acceptedTask(leader, taskId) };
  };
}

/** The cached answers of units that a change of a calibration, an estimator or a session invalidates. */
export const calibrationPaths = [
  '/unit_api/calibrations',
  '/unit_api/active_calibrations',
  '/unit_api/estimators',
  '/unit_api/active_estimators',
  // They contain the open sessions.
  '/unit_api/calibration_protocols',
] as const;
