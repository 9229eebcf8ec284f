import type { LiveJob } from '@lcs/contract';
import { labelFromName, unitText } from '../forms/field-rules.ts';
import type { ShownJob, ShownSetting } from '../jobs/job-catalog.ts';
import { isRunning, type JobPhase, jobOf, jobPhase, jobStateText } from '../jobs/job-phase.ts';
import { digitsText } from '../ui/number-text.ts';
import { commonWords } from '../words/common.ts';
import { unitsWords } from '../words/units.ts';
import type { JobOnUnits } from './usual-start.ts';

/** One job of one unit in the matrix. */
export interface MatrixCell {
  readonly phase: JobPhase;
  /** What the cell shows: the first value of a running job, or its state. */
  readonly text: string;
  /** The same in full. */
  readonly title: string;
}

/** Titles of columns: the words of the rows are too long for them. */
const shortTitles: Readonly<Record<string, string>> = unitsWords.shortTitles;

export const columnTitle = ({ name, title }: Pick<ShownJob, 'name' | 'title'>): string => shortTitles[name] ?? title;

const glyphs: Readonly<Record<Exclude<JobPhase, 'on'>, string>> = {
  unknown: '?',
  off: '·',
  starting: '…',
  paused: commonWords.paused,
  lost: '?',
};

const withUnit = (value: number, unit: string | null): string =>
  `${digitsText(value, 4)}${unit === null ? '' : ` ${unit}`}`;

/** The cell of a job of a unit; `jobs`: undefined while they are not known. */
export function matrixCell(
  shown: Pick<ShownJob, 'name' | 'title' | 'settings'>,
  jobs: readonly LiveJob[] | undefined,
  unit: string,
  experiment: string,
): MatrixCell {
  const job = jobOf(jobs ?? [], unit, experiment, shown.name);
  const phase = jobPhase(job, jobs !== undefined);
  const values = shown.settings.flatMap((setting) => {
    const value = job?.settings[setting.key];
    return typeof value === 'number'
      ? [{ label: setting.label ?? labelFromName(setting.key), text: withUnit(value, unitText(setting.unit)) }]
      : [];
  });
  const [first] = values;
  const text = phase === 'on' ? (first?.text ?? jobStateText(phase, job)) : glyphs[phase];
  const full = values.map((value) => `${value.label} ${value.text}`);
  return { phase, text, title: [jobStateText(phase, job), ...(isRunning(phase) ? full : [])].join(', ') };
}

/** Which of some units can start jobs; the leader refuses a start that addresses an inactive one. */
export const startableOf = (units: readonly string[], inactive: ReadonlySet<string>) => ({
  startable: units.filter((unit) => !inactive.has(unit)),
  leftOut: units.filter((unit) => inactive.has(unit)),
});

/** All jobs that some units run for an experiment, each with its units. */
export function runningOn(
  jobs: readonly LiveJob[],
  units: readonly string[],
  experiment: string,
): readonly JobOnUnits[] {
  const own = jobs.filter(
    (job) => job.experiment === experiment && units.includes(job.reactor_unit) && job.state !== 'disconnected',
  );
  return [...Map.groupBy(own, ({ job_name }) => job_name)].map(([job, found]) => ({
    job,
    units: [...new Set(found.map(({ reactor_unit }) => reactor_unit))],
  }));
}

/** A setting that can be changed on several units at once, with those that run its job. */
export interface SharedSetting {
  readonly job: string;
  readonly jobTitle: string;
  readonly setting: ShownSetting;
  readonly units: readonly string[];
}

/** The settings that people may change on at least one of some units. */
export const sharedSettings = (
  shown: readonly ShownJob[],
  jobs: readonly LiveJob[],
  units: readonly string[],
  experiment: string,
): readonly SharedSetting[] =>
  shown.flatMap(({ name, title, settings }) =>
    settings
      .filter(({ editable, type }) => editable && type !== 'json')
      .map((setting) => ({
        job: name,
        jobTitle: title,
        setting,
        units: units.filter((unit) => {
          const job = jobOf(jobs, unit, experiment, name);
          return (
            isRunning(jobPhase(job)) && job?.settings[setting.key] !== undefined && job.settings[setting.key] !== null
          );
        }),
      }))
      .filter((shared) => shared.units.length > 0),
  );
