import type { Connected } from './connect.ts';
import { CommandFailure } from './program-io.ts';

/** The experiment that was named, else the newest with units, else the newest. @throws CommandFailure when there is none */
export async function currentExperiment(
  leader: Pick<Connected, 'listExperiments'>,
  named: string | undefined,
): Promise<string> {
  if (named !== undefined) return named;
  const experiments = await leader.listExperiments();
  const newest = experiments.find(({ worker_count }) => worker_count > 0) ?? experiments[0];
  if (newest) return newest.experiment;
  throw new CommandFailure({
    error: 'There is no experiment yet.',
    cause: 'Readings belong to experiments.',
    remediation: 'Create one: lcs experiments create NAME',
  });
}

/** The experiment that was named, else the one the unit is assigned to. @throws CommandFailure when it is free */
export async function experimentOf(
  leader: Pick<Connected, 'listAssignments' | 'listExperiments'>,
  unit: string,
  named: string | undefined,
): Promise<string> {
  if (named !== undefined) return named;
  if (unit === allUnits) return currentExperiment(leader, undefined);
  const assignments = await leader.listAssignments();
  const assigned = assignments.find(({ reactor_unit }) => reactor_unit === unit);
  if (assigned?.experiment) return assigned.experiment;
  throw new CommandFailure({
    error: assigned ? `${unit} belongs to no experiment.` : `${unit} is not a worker.`,
    cause: 'Jobs run in the experiment that their unit is assigned to.',
    remediation: 'Name the experiment with --experiment, or list the units: lcs units',
  });
}

/** Instead of a unit's name: all units of the experiment. */
export const allUnits = '$broadcast';

/**
 * The leader returns an empty list for an unknown name: a mistyped name must not look like a unit without data.
 * @throws CommandFailure, ProblemError
 */
export async function expectKnownNames(
  leader: Pick<Connected, 'getExperiment' | 'listUnits'>,
  { unit, experiment }: { readonly unit?: string; readonly experiment?: string },
): Promise<void> {
  if (experiment !== undefined && experiment !== '$experiment') await leader.getExperiment({ params: { experiment } });
  if (unit === undefined || (await leader.listUnits()).some(({ reactor_unit }) => reactor_unit === unit)) return;
  throw new CommandFailure({
    error: `There is no unit ${unit}.`,
    cause: 'It is neither the leader nor in the inventory.',
    remediation: 'List the units: lcs units',
  });
}
