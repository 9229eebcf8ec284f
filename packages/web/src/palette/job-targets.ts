import type { Assignment, JobDescriptor } from '@lcs/contract';
import { commonWords } from '../words/common.ts';
import { paletteWords } from '../words/palette.ts';

/** Where a job is controlled: its row on the page of a unit, or its form for all units of an experiment. */
export type JobTarget =
  | { readonly is: 'unit'; readonly unit: string; readonly job: string }
  | { readonly is: 'experiment'; readonly experiment: string; readonly job: string };

interface JobEntry {
  readonly label: string;
  readonly hint: string;
  readonly target: JobTarget;
}

interface JobPlaces {
  readonly descriptors: readonly Pick<JobDescriptor, 'job_name' | 'display_name' | 'display'>[];
  readonly assignments: readonly Pick<Assignment, 'reactor_unit' | 'experiment' | 'is_active'>[];
  /** The unit and the experiment of the open page: their entries come first. */
  readonly unit: string | undefined;
  readonly experiment: string | undefined;
}

const naturally = new Intl.Collator('en', { numeric: true });

/** The controls of all jobs on all units that are in an experiment, and their start on all active units of an experiment. */
export function jobEntries({ descriptors, assignments, unit: openUnit, experiment: open }: JobPlaces): JobEntry[] {
  const shown = descriptors.filter(({ display }) => display);
  const assigned = assignments
    .flatMap(({ experiment, ...of }) => (experiment === null ? [] : [{ ...of, experiment }]))
    .sort((one, other) => naturally.compare(one.reactor_unit, other.reactor_unit));
  const units = [
    ...assigned.filter(({ reactor_unit }) => reactor_unit === openUnit),
    ...assigned.filter(({ reactor_unit, experiment }) => reactor_unit !== openUnit && experiment === open),
    ...assigned.filter(({ reactor_unit, experiment }) => reactor_unit !== openUnit && experiment !== open),
  ];
  const active = [...Map.groupBy(assigned, ({ experiment }) => experiment)]
    .map(([experiment, members]) => ({ experiment, count: members.filter(({ is_active }) => is_active === 1).length }))
    .filter(({ count }) => count > 1)
    .sort((one, other) => Number(other.experiment === open) - Number(one.experiment === open));
  return shown.flatMap(({ job_name: job, display_name: title }) => [
    ...active.map(
      ({ experiment, count }): JobEntry => ({
        label: paletteWords.startOnAllUnits(title, count),
        hint: experiment,
        target: { is: 'experiment', experiment, job },
      }),
    ),
    ...units.map(
      ({ reactor_unit: unit, experiment }): JobEntry => ({
        label: commonWords.jobOnUnit(title, unit),
        hint: experiment,
        target: { is: 'unit', unit, job },
      }),
    ),
  ]);
}
