import {
  type BiomassScale,
  clusterExperiment,
  type Json,
  type LiveJob,
  profileJobName,
  type RecentStop,
  type RunJob,
} from '@lcs/contract';
import {
  biomassScaleSetting,
  biomassSignalSetting,
  builtInAutomations,
  builtInJobs,
  dosingAutomationJob,
  isAutomationType,
  isBiomassScale,
  jobTitle,
  pumpingJobs,
} from '@lcs/domain';
import { commonWords } from '../words/common.ts';
import { stopsWords } from '../words/stops.ts';
import { dosingText } from './running-dosing.ts';

/** A job that was stopped, with what starts it with the same values. */
export interface StoppedJob {
  readonly unit: string;
  readonly experiment: string;
  readonly jobName: string;
  readonly options: NonNullable<RunJob['options']>;
  /** The planned end; absent: none. */
  readonly endsAt?: string;
  /** The scale of its biomass target; absent: it has published none. */
  readonly biomass?: TargetScale;
}

/** A signal with the scale on which a target is a number of it. */
interface TargetScale {
  readonly signal: string;
  readonly scale: BiomassScale;
}

/** How long after a stop a new start undoes it: the culture cannot have grown or been changed much. */
const undoMs = 10_000;

/** The planned end of a job, among its published settings. */
const endsAtSetting = '$ends_at';

/** Whether a start after a stop only undoes it, so that a dosing automation needs no new decision of a person. */
export const isUndo = (stoppedAtMs: number, nowMs: number): boolean =>
  nowMs >= stoppedAtMs && nowMs - stoppedAtMs < undoMs;

/** In this order jobs are started: a later one uses what an earlier one measures. */
const startOrder = [
  'stirring',
  'od_reading',
  'growth_rate_calculating',
  'temperature_automation',
  'led_automation',
  'dosing_automation',
] as const;

const automationName = 'automation_name';

/** The options of a start that people set and that the running job publishes. */
function optionNames(jobName: string, automation: Json | undefined): readonly string[] {
  const job = builtInJobs.find(({ name }) => name === jobName);
  const declared = (job?.descriptor?.published_settings ?? []).flatMap(({ key, editable }) =>
    editable && Object.hasOwn(job?.options ?? {}, key) ? [key] : [],
  );
  const type = jobName.replace(/_automation$/, '');
  if (!isAutomationType(type)) return declared;
  const found = builtInAutomations[type].find(({ automation_name }) => automation_name === automation);
  return [...declared, automationName, ...(found?.fields.map(({ key }) => key) ?? [])];
}

/** The options that start a job with the values that it has now. */
export function optionsOf({ job_name, settings }: Pick<LiveJob, 'job_name' | 'settings'>): StoppedJob['options'] {
  const names = optionNames(job_name, settings[automationName]);
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = settings[name];
      return typeof value === 'number' || typeof value === 'string' || typeof value === 'boolean'
        ? [[name, value] as const]
        : [];
    }),
  );
}

function targetScaleOf({ job_name, settings }: LiveJob): TargetScale | undefined {
  const { [biomassSignalSetting]: signal, [biomassScaleSetting]: scale } = settings;
  const isKnown = job_name === dosingAutomationJob.name && typeof signal === 'string' && isBiomassScale(scale);
  return isKnown ? { signal, scale } : undefined;
}

/** Whether pumps are stopped, or everything, of one experiment or of all. */
export interface StopScope {
  readonly what: 'pumps' | 'everything';
  /** Null: all experiments. */
  readonly experiment: string | null;
}

/** The experiments whose jobs a profile starts and stops. */
export const profileExperiments = (jobs: readonly LiveJob[]): ReadonlySet<string> =>
  new Set(jobs.filter(({ job_name }) => job_name === profileJobName).map(({ experiment }) => experiment));

/** The experiments of stops of pumps whose profile still runs: it may start pumps again. */
export function profilesAfter(stops: readonly RecentStop[], now: readonly LiveJob[]): readonly string[] {
  const running = profileExperiments(now);
  const before = stops.flatMap(({ what, jobs }) => (what === 'pumps' ? [...profileExperiments(jobs)] : []));
  return [...new Set(before)].filter((experiment) => running.has(experiment));
}

/**
 * The running jobs that a stop ends and that can be started again with their values, in the order of their start. Those of an
 * experiment with a running profile are left out: the profile has planned their ends.
 */
export function stoppedBy({ what, experiment }: StopScope, jobs: readonly LiveJob[]): readonly StoppedJob[] {
  const planned = profileExperiments(jobs);
  const stops = (job: LiveJob): boolean =>
    job.state === 'ready' && !planned.has(job.experiment) && (experiment === null || job.experiment === experiment);
  return startOrder
    .filter((name) => what === 'everything' || pumpingJobs.includes(name))
    .flatMap((name) => jobs.filter((job) => job.job_name === name && stops(job)))
    .map((job) => {
      const biomass = targetScaleOf(job);
      const endsAt = job.settings[endsAtSetting];
      return {
        unit: job.reactor_unit,
        experiment: job.experiment,
        jobName: job.job_name,
        options: optionsOf(job),
        ...(biomass !== undefined && { biomass }),
        ...(typeof endsAt === 'string' && { endsAt }),
      };
    });
}

const identityOf = ({ unit, experiment, jobName }: StoppedJob): string => [unit, experiment, jobName].join('\n');

/** A job that was stopped, and when. */
export type DatedJob = StoppedJob & { readonly stoppedAtMs: number };

/** What several stops, the oldest first, have ended and can be started again: what the first has ended the second does not contain. */
export function stoppedByAll(stops: readonly RecentStop[], nowMs: number): readonly DatedJob[] {
  const found = new Map<string, DatedJob>();
  for (const stop of stops)
    for (const job of stoppedBy(stop, stop.jobs))
      if (!found.has(identityOf(job))) found.set(identityOf(job), { ...job, stoppedAtMs: Date.parse(stop.at) });
  const jobs = [...found.values()];
  // What would have ended by now stays off.
  const lasting = jobs.filter(({ endsAt }) => endsAt === undefined || Date.parse(endsAt) > nowMs);
  return startOrder.flatMap((name) => lasting.filter(({ jobName }) => jobName === name));
}

/** Jobs that a stop ends and that are not started again; they are named. */
export interface LeftOff {
  readonly unit: string;
  readonly jobName: string;
}

/** Whether a job of an experiment runs or sleeps. */
const isUp = ({ state, experiment }: LiveJob): boolean =>
  experiment !== clusterExperiment && (state === 'init' || state === 'ready' || state === 'sleeping');

/** The jobs that a stop ends besides those that can be started again: they sleep, are done by hand, or are of plugins. */
export function leftOffBy(scope: StopScope, jobs: readonly LiveJob[]): readonly LeftOff[] {
  const again = stoppedBy(scope, jobs);
  const isAgain = (job: LiveJob): boolean =>
    again.some(
      ({ unit, experiment, jobName }) =>
        unit === job.reactor_unit && experiment === job.experiment && jobName === job.job_name,
    );
  return jobs
    .filter(
      (job) =>
        isUp(job) &&
        job.job_name !== profileJobName &&
        (scope.experiment === null || job.experiment === scope.experiment) &&
        (scope.what === 'everything' || pumpingJobs.includes(job.job_name)) &&
        !isAgain(job),
    )
    .map(({ reactor_unit, job_name }) => ({ unit: reactor_unit, jobName: job_name }));
}

/** What several stops have ended and nothing starts again. */
export const leftOffByAll = (stops: readonly RecentStop[]): readonly LeftOff[] => [
  ...new Map(
    stops
      .flatMap((stop) => leftOffBy(stop, stop.jobs))
      .map((job) => [JSON.stringify([job.unit, job.jobName]), job] as const),
  ).values(),
];

/** The scale of each signal of each unit, as units report them now. What is not in it is not known. */
export type PresentScales = ReadonlyMap<string, ReadonlyMap<string, BiomassScale>>;

/** The jobs whose target is still a number on the same scale, and those whose target would now mean another density. */
export function withPresentScales<Job extends StoppedJob>(
  jobs: readonly Job[],
  scales: PresentScales,
): { readonly again: readonly Job[]; readonly rescaled: readonly LeftOff[] } {
  const isRescaled = ({ unit, biomass }: Job): boolean => {
    const now = biomass && scales.get(unit)?.get(biomass.signal);
    return now !== undefined && now !== biomass?.scale;
  };
  return { again: jobs.filter((job) => !isRescaled(job)), rescaled: jobs.filter(isRescaled) };
}

/** What “Start again” starts, in sentences; dosing is named, since its pumps may run at once. */
export function againTexts(again: readonly StoppedJob[], nameOf: (unit: string) => string): readonly string[] {
  if (again.length === 0) return [];
  const units = new Set(again.map(({ unit }) => unit)).size;
  const dosings = again
    .filter(({ jobName }) => jobName === dosingAutomationJob.name)
    .map(({ unit, options, biomass }) => {
      const scale = biomass === undefined ? {} : { [biomassScaleSetting]: biomass.scale };
      return stopsWords.dosingOnUnit(nameOf(unit), dosingText({ ...options, ...scale }));
    });
  const jobs = stopsWords.countsOnUnits(again.length, units);
  return [
    stopsWords.canStartAgain(jobs),
    ...(dosings.length === 0 ? [] : [stopsWords.dosingAmongThem(dosings.join(', '))]),
  ];
}

/** Jobs with their units, for people. */
export const leftOffText = (jobs: readonly LeftOff[], nameOf: (unit: string) => string): string =>
  jobs.map(({ unit, jobName }) => commonWords.jobOnUnit(jobTitle(jobName), nameOf(unit))).join(', ');
