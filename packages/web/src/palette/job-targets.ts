import type { Assignment, JobDescriptor, LiveJob } from '@lcs/contract';
import type { UnitJobAct } from '../jobs/job-act.ts';
import { isRunning, jobOf, jobPhase } from '../jobs/job-phase.ts';
import { commonWords } from '../words/common.ts';
import { paletteWords } from '../words/palette.ts';

/** Where a job is controlled: its row on the page of a unit, with the act to do there, or its form for all units of an experiment. */
export type JobTarget =
  | { readonly is: 'unit'; readonly unit: string; readonly job: string; readonly act?: UnitJobAct }
  | { readonly is: 'experiment'; readonly experiment: string; readonly job: string };

interface JobEntry {
  readonly label: string;
  readonly hint: string;
  /** The job and the unit, without what is done: a person may type only these. */
  readonly otherName?: string;
  readonly target: JobTarget;
}

interface JobPlaces {
  readonly descriptors: readonly Pick<JobDescriptor, 'job_name' | 'display_name' | 'display'>[];
  readonly assignments: readonly Pick<Assignment, 'reactor_unit' | 'experiment' | 'is_active'>[];
  /** The unit and the experiment of the open page: their entries come first. */
  readonly unit: string | undefined;
  readonly experiment: string | undefined;
  /** Those that run; undefined: not known. */
  readonly jobs: readonly LiveJob[] | undefined;
  readonly nameOf: (unit: string) => string;
  readonly mayStart: (experiment: string) => boolean;
  readonly mayStop: (experiment: string) => boolean;
}

type PlacedUnit = Pick<Assignment, 'reactor_unit' | 'is_active'> & { readonly experiment: string };

const naturally = new Intl.Collator('en', { numeric: true });

/** What is done with a job now, and its controls: a job that runs has both. */
function entriesOnUnit(job: string, title: string, of: PlacedUnit, places: JobPlaces): readonly JobEntry[] {
  const { reactor_unit: unit, experiment, is_active } = of;
  const { jobs, nameOf, mayStart, mayStop } = places;
  const name = commonWords.jobOnUnit(title, nameOf(unit));
  const entry = (label: string, act: { readonly act?: UnitJobAct }): JobEntry => ({
    label,
    hint: experiment,
    otherName: name,
    target: { is: 'unit', unit, job, ...act },
  });
  const controls = entry(name, {});
  if (jobs === undefined) return [controls];
  const phase = jobPhase(jobOf(jobs, unit, experiment, job));
  if (isRunning(phase) || phase === 'lost')
    return [...(mayStop(experiment) ? [entry(paletteWords.stopOnUnit(name), { act: 'stop' })] : []), controls];
  return [mayStart(experiment) && is_active === 1 ? entry(paletteWords.startOnUnit(name), { act: 'start' }) : controls];
}

/**
 * The acts on all jobs of all units that are in an experiment, as they are now and as the person may do them, and their start on all
 * active units of an experiment.
 */
export function jobEntries(places: JobPlaces): JobEntry[] {
  const { descriptors, assignments, unit: openUnit, experiment: open, mayStart } = places;
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
    .filter(({ experiment, count }) => count > 1 && mayStart(experiment))
    .sort((one, other) => Number(other.experiment === open) - Number(one.experiment === open));
  return shown.flatMap(({ job_name: job, display_name: title }) => [
    ...active.map(
      ({ experiment, count }): JobEntry => ({
        label: paletteWords.startOnAllUnits(title, count),
        hint: experiment,
        target: { is: 'experiment', experiment, job },
      }),
    ),
    ...units.flatMap((each) => entriesOnUnit(job, title, each, places)),
  ]);
}
