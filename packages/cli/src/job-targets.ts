import { ProblemError } from '@lcs/contract';
import type { Connected } from './connect.ts';
import { allUnits, experimentOf } from './current-experiment.ts';
import type { Outcomes } from './outcomes.ts';
import { CommandFailure } from './program-io.ts';

/** A unit, or all of them, with the experiment in which its jobs are meant. */
export interface JobTarget {
  /** `allUnits`: all of the experiment. */
  readonly unit: string;
  readonly experiment: string;
}

/**
 * The named units with their experiments; of all units those of the experiments that units are in, not of the newest one, which may be empty.
 * @throws CommandFailure when a unit, or all, belongs to none, or all to several and only one is taken
 */
export async function targetsOf(
  leader: Pick<Connected, 'listAssignments' | 'listExperiments'>,
  units: readonly string[],
  experiment: string | undefined,
  { takesSeveral = false }: { readonly takesSeveral?: boolean } = {},
): Promise<readonly JobTarget[]> {
  if (!units.includes(allUnits) || experiment !== undefined) {
    const named = units.includes(allUnits) ? [allUnits] : units;
    const targets: JobTarget[] = [];
    for (const unit of named) targets.push({ unit, experiment: await experimentOf(leader, unit, experiment) });
    return targets;
  }
  const assignments = await leader.listAssignments();
  const experiments = [...new Set(assignments.flatMap((each) => each.experiment ?? []))];
  if (experiments.length === 0)
    throw new CommandFailure({
      error: 'No unit belongs to an experiment.',
      cause: 'Jobs run in the experiment that their unit is assigned to.',
      remediation: 'Assign one: lcs units assign UNIT EXPERIMENT',
    });
  if (experiments.length > 1 && !takesSeveral)
    throw new CommandFailure({
      error: 'Units are in several experiments.',
      cause: `They are in ${experiments.join(', ')}.`,
      remediation: 'Name the experiment with --experiment.',
    });
  return experiments.map((each) => ({ unit: allUnits, experiment: each }));
}

/** The target of a unit that has answered. */
export function targetOf(targets: readonly JobTarget[], unit: string): JobTarget {
  const target = targets.find((each) => each.unit === unit) ?? targets[0];
  if (target === undefined) throw new Error(`${unit} was not addressed.`);
  return { ...target, unit };
}

/** The outcomes of a command that is sent for each target; a refused one is an outcome of its unit, so that the others are still told. */
export async function ofTargets<Value>(
  targets: readonly JobTarget[],
  send: (target: JobTarget) => Promise<Outcomes<Value>>,
): Promise<Outcomes<Value>> {
  const outcomes: Record<string, Outcomes<Value>[string]> = {};
  for (const target of targets) {
    try {
      Object.assign(outcomes, await send(target));
    } catch (error) {
      if (targets.length === 1 || !(error instanceof ProblemError)) throw error;
      const { error: message, cause, remediation, status } = error.body;
      const failed = { kind: 'http_error', message, cause, remediation } as const;
      outcomes[target.unit] = { ok: false, unit: target.unit, error: failed, status_code: status, retryable: false };
    }
  }
  return outcomes;
}
