import type { Assignment, LiveJob, UnitStatus, Worker } from '@lcs/contract';

const naturally = new Intl.Collator('en', { numeric: true });

/** A unit of the inventory with what the lists of the leader know about it. */
export interface UnitRow {
  readonly worker: Worker;
  readonly status: UnitStatus | undefined;
  /** `null`: it is free. */
  readonly experiment: string | null;
  /** Names of the jobs that run for its experiment. */
  readonly running: readonly string[];
}

interface Sources {
  readonly workers: readonly Worker[];
  readonly units: readonly UnitStatus[];
  readonly assignments: readonly Assignment[];
  readonly jobs: readonly LiveJob[];
}

const runningStates: readonly string[] = ['init', 'ready', 'sleeping'];

/** The units in the natural order of their names: `unit2` before `unit10`. */
export function unitRows({ workers, units, assignments, jobs }: Sources): readonly UnitRow[] {
  return workers
    .toSorted((one, other) => naturally.compare(one.reactor_unit, other.reactor_unit))
    .map((worker) => {
      const isOwn = ({ reactor_unit }: { readonly reactor_unit: string }): boolean =>
        reactor_unit === worker.reactor_unit;
      const experiment = assignments.find(isOwn)?.experiment ?? null;
      const running = jobs
        .filter((job) => isOwn(job) && job.experiment === experiment && runningStates.includes(job.state))
        .map(({ job_name }) => job_name);
      return { worker, status: units.find(isOwn), experiment, running: [...new Set(running)] };
    });
}

/** The model that most units have; a new one is probably of the same. `null`: there is no majority. */
export function usualModel(workers: readonly Worker[]): Pick<Worker, 'model_name' | 'model_version'> | null {
  const counts = Map.groupBy(
    workers.filter(({ model_name }) => model_name !== null),
    ({ model_name, model_version }) => `${model_name} ${model_version}`,
  );
  const [most] = [...counts.values()].toSorted((one, other) => other.length - one.length);
  return most?.[0] ?? null;
}
