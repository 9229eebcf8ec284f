import type { Assignment, Experiment } from '@lcs/contract';
import { startWords } from '../words/start.ts';
import { designOf, type ExperimentDesign } from './experiment-design.ts';

/** How many workers an experiment has, and how many of them are active. */
export interface WorkerTally {
  readonly assigned: number;
  readonly active: number;
}

/** An experiment as lists show it. */
export interface ExperimentRow {
  readonly experiment: Experiment;
  readonly design: ExperimentDesign;
  readonly createdAtMs: number;
  /** `null`: nobody has ended it. */
  readonly endedAtMs: number | null;
  /** `null` while assignments are not known. */
  readonly workers: WorkerTally | null;
}

export interface ExperimentRows {
  readonly rows: readonly ExperimentRow[];
  /** The names of the records that cannot be shown. */
  readonly broken: readonly string[];
}

/** What becomes of an experiment, in the order of lists. */
export const experimentStates = ['running', 'idle', 'ended', 'archived'] as const;
export type ExperimentState = (typeof experimentStates)[number];

/** An experiment runs while it has an active unit and nobody has ended it; only one that has ended is out of sight in the archive. */
export function stateOf({ experiment, endedAtMs, workers }: ExperimentRow): ExperimentState {
  if (endedAtMs !== null) return experiment.archived ? 'archived' : 'ended';
  return (workers?.active ?? 0) > 0 ? 'running' : 'idle';
}

const noWorkers: WorkerTally = { assigned: 0, active: 0 };

/** Workers of each experiment that has any. */
function tallyWorkers(assignments: readonly Assignment[]): ReadonlyMap<string, WorkerTally> {
  const tallies = new Map<string, WorkerTally>();
  for (const { experiment, is_active } of assignments) {
    if (experiment === null) continue;
    const { assigned, active } = tallies.get(experiment) ?? noWorkers;
    tallies.set(experiment, { assigned: assigned + 1, active: active + is_active });
  }
  return tallies;
}

/** Whether a record has what the list needs; one bad record must not hide the others. */
const canBeShown = (experiment: Experiment): boolean =>
  typeof experiment?.experiment === 'string' &&
  Array.isArray(experiment.tags) &&
  (experiment.description === null || typeof experiment.description === 'string') &&
  !Number.isNaN(Date.parse(experiment.created_at));

export function toRows(
  experiments: readonly Experiment[],
  assignments: readonly Assignment[] | undefined,
): ExperimentRows {
  const tallies = assignments && tallyWorkers(assignments);
  const rows: ExperimentRow[] = [];
  const broken: string[] = [];
  for (const experiment of experiments) {
    if (canBeShown(experiment)) {
      rows.push({
        experiment,
        design: designOf(experiment.tags),
        createdAtMs: Date.parse(experiment.created_at),
        endedAtMs: experiment.ended_at === undefined ? null : Date.parse(experiment.ended_at),
        workers: tallies ? (tallies.get(experiment.experiment) ?? noWorkers) : null,
      });
    } else {
      broken.push(String(experiment?.experiment ?? startWords.withoutName));
    }
  }
  return { rows, broken };
}

/** Tags in use, without those of the design, most used first; tags that differ only by case count as one, with the first spelling. */
export function tagsInUse(rows: readonly ExperimentRow[]): readonly string[] {
  const counts = new Map<string, { readonly tag: string; readonly count: number }>();
  for (const { design } of rows) {
    for (const tag of design.tags) {
      const known = counts.get(tag.toLowerCase());
      counts.set(tag.toLowerCase(), { tag: known?.tag ?? tag, count: (known?.count ?? 0) + 1 });
    }
  }
  return [...counts.values()]
    .sort((left, right) => right.count - left.count || left.tag.localeCompare(right.tag))
    .map(({ tag }) => tag);
}
