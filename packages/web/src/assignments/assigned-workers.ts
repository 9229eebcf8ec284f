import { type Assignment, type Model, ownValue, type UnitLabels, type Worker } from '@lcs/contract';
import { modelText } from '../ui/model-text.ts';

const naturally = new Intl.Collator('en', { numeric: true });

/** A worker as the page of its experiment shows it. */
export interface AssignedWorker {
  readonly unit: string;
  readonly label: string | null;
  /** `null`: no model is set, or the inventory is not known yet. */
  readonly model: string | null;
  readonly isActive: boolean;
}

export interface WorkerSources {
  readonly assignments: readonly Assignment[];
  readonly workers: readonly Worker[];
  readonly labels: UnitLabels;
  readonly models: readonly Model[];
}

/** The workers assigned to an experiment, in the natural order of their names. */
export function assignedWorkers(experiment: string, sources: WorkerSources): readonly AssignedWorker[] {
  return sources.assignments
    .filter((assignment) => assignment.experiment === experiment)
    .toSorted((one, other) => naturally.compare(one.reactor_unit, other.reactor_unit))
    .map(({ reactor_unit, is_active }) => ({
      unit: reactor_unit,
      label: ownValue(sources.labels, reactor_unit) ?? null,
      model: modelText(
        sources.workers.find((worker) => worker.reactor_unit === reactor_unit),
        sources.models,
      ),
      isActive: is_active === 1,
    }));
}

/** A worker that could be assigned to an experiment. */
export interface Candidate {
  readonly unit: string;
  readonly isActive: boolean;
  /** The experiment it is assigned to; `null`: it is free. */
  readonly from: string | null;
}

/** Workers that are not in the experiment, free ones first, then in the natural order of their names. */
export function candidates(experiment: string, assignments: readonly Assignment[]): readonly Candidate[] {
  return assignments
    .filter((assignment) => assignment.experiment !== experiment)
    .map(({ reactor_unit, is_active, experiment: from }) => ({ unit: reactor_unit, isActive: is_active === 1, from }))
    .sort(
      (left, right) =>
        Number(left.from !== null) - Number(right.from !== null) || naturally.compare(left.unit, right.unit),
    );
}
