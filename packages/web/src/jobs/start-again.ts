import {
  type BiomassScale,
  clusterExperiment,
  type LiveJob,
  profileJobName,
  type RecentStop,
  type RunJob,
  type StopEverywhere,
} from '@lcs/contract';
import {
  biomassScaleSetting,
  biomassSignalSetting,
  dosingAutomationJob,
  endsAtSetting,
  isBiomassScale,
  jobTitle,
  onlyRecordTemperature,
  pumpingJobs,
  restartOptions,
  temperatureAutomationJob,
} from '@lcs/domain';
import { labelFromName } from '../forms/field-rules.ts';
import { digitsText } from '../ui/number-text.ts';
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

/** Whether a start after a stop only undoes it, so that a dosing automation needs no new decision of a person. */
export const isUndo = (stoppedAtMs: number, nowMs: number): boolean =>
  nowMs >= stoppedAtMs && nowMs - stoppedAtMs < undoMs;

/** A unit takes the same job once a second; on the way a request may gain on the one before it. Chosen. */
const restMs = 1_200;

/** How long a new start must wait: a job may have been started just before it was stopped. */
export const restBeforeStart = (stopped: readonly DatedJob[], nowMs: number): number =>
  Math.min(restMs, Math.max(0, ...stopped.map(({ stoppedAtMs }) => stoppedAtMs + restMs - nowMs)));

/** In this order jobs are started: a later one uses what an earlier one measures. */
const startOrder = [
  'stirring',
  'od_reading',
  'growth_rate_calculating',
  'temperature_automation',
  'led_automation',
  'dosing_automation',
] as const;

function targetScaleOf({ job_name, settings }: JobOfStop): TargetScale | undefined {
  const { [biomassSignalSetting]: signal, [biomassScaleSetting]: scale } = settings;
  const isKnown = job_name === dosingAutomationJob.name && typeof signal === 'string' && isBiomassScale(scale);
  return isKnown ? { signal, scale } : undefined;
}

/** What is known of a job of a unit, running or before a stop. */
export type JobOfStop = Pick<LiveJob, 'reactor_unit' | 'experiment' | 'job_name' | 'state' | 'settings'>;

/** The jobs that ran before a stop, of each unit. */
const jobsOfStop = ({ jobs }: Pick<RecentStop, 'jobs'>): readonly JobOfStop[] =>
  jobs.flatMap(({ reactor_units, ...job }) => reactor_units.map((reactor_unit) => ({ ...job, reactor_unit })));

/** Whether pumps are stopped, or everything, or a profile, of one experiment or of all. */
export interface StopScope {
  readonly what: RecentStop['what'];
  /** Null: all experiments. */
  readonly experiment: string | null;
}

/** What the menu of stops orders; a profile is stopped on the page of its run. */
export type OrderedScope = StopScope & { readonly what: StopEverywhere['what'] };

/** The experiments whose jobs a profile starts and stops. */
export const profileExperiments = (jobs: readonly JobOfStop[]): ReadonlySet<string> =>
  new Set(jobs.filter(({ job_name }) => job_name === profileJobName).map(({ experiment }) => experiment));

/** The experiments of stops of pumps whose profile still runs: it may start pumps again. */
export function profilesAfter(stops: readonly RecentStop[], now: readonly JobOfStop[]): readonly string[] {
  const running = profileExperiments(now);
  const before = stops.flatMap((stop) => (stop.what === 'pumps' ? [...profileExperiments(jobsOfStop(stop))] : []));
  return [...new Set(before)].filter((experiment) => running.has(experiment));
}

/**
 * The running jobs that a stop ends and that can be started again with their values, in the order of their start. Those of an
 * experiment with a running profile are left out: the profile has planned their ends.
 */
export function stoppedBy({ what, experiment }: StopScope, jobs: readonly JobOfStop[]): readonly StoppedJob[] {
  const planned = profileExperiments(jobs);
  const stops = (job: JobOfStop): boolean =>
    job.state === 'ready' && !planned.has(job.experiment) && (experiment === null || job.experiment === experiment);
  return startOrder
    .filter((name) => what !== 'pumps' || pumpingJobs.includes(name))
    .flatMap((name) => jobs.filter((job) => job.job_name === name && stops(job)))
    .map((job) => {
      const biomass = targetScaleOf(job);
      const endsAt = job.settings[endsAtSetting];
      return {
        unit: job.reactor_unit,
        experiment: job.experiment,
        jobName: job.job_name,
        options: restartOptions(job),
        ...(biomass !== undefined && { biomass }),
        ...(typeof endsAt === 'string' && { endsAt }),
      };
    });
}

const identityOf = ({ unit, experiment, jobName }: StoppedJob): string => [unit, experiment, jobName].join('\n');

/** Whether a job of an experiment runs or sleeps. */
const isUp = ({ state, experiment }: JobOfStop): boolean =>
  experiment !== clusterExperiment && (state === 'init' || state === 'ready' || state === 'sleeping');

type JobIdentity = Pick<JobOfStop, 'reactor_unit' | 'experiment' | 'job_name'>;

const isSameJob = (one: JobIdentity, other: JobIdentity): boolean =>
  one.reactor_unit === other.reactor_unit && one.experiment === other.experiment && one.job_name === other.job_name;

/** What a stop has ended. That of a profile ends only what the profile had started, which the running jobs tell. */
function endedJobs(stop: RecentStop, now: readonly JobOfStop[]): readonly JobOfStop[] {
  const jobs = jobsOfStop(stop);
  return stop.what === 'profile' ? jobs.filter((job) => !now.some((each) => isUp(each) && isSameJob(each, job))) : jobs;
}

/** Whether all that a stop has ended and that can be started again runs again. */
export const isStartedAgain = (stop: RecentStop, now: readonly JobOfStop[]): boolean =>
  stoppedBy(stop, jobsOfStop(stop)).every(({ unit: reactor_unit, experiment, jobName: job_name }) =>
    now.some((each) => isUp(each) && isSameJob(each, { reactor_unit, experiment, job_name })),
  );

/** A job that was stopped, and when. */
export type DatedJob = StoppedJob & { readonly stoppedAtMs: number };

/** What several stops, the oldest first, have ended and can be started again: what the first has ended the second does not contain. */
export function stoppedByAll(
  stops: readonly RecentStop[],
  nowMs: number,
  now: readonly JobOfStop[] = [],
): readonly DatedJob[] {
  const found = new Map<string, DatedJob>();
  for (const stop of stops)
    for (const job of stoppedBy(stop, endedJobs(stop, now)))
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

/** The jobs that a stop ends besides those that can be started again: they sleep, are done by hand, or are of plugins. */
export function leftOffBy(scope: StopScope, jobs: readonly JobOfStop[]): readonly LeftOff[] {
  const again = stoppedBy(scope, jobs);
  const isAgain = (job: JobOfStop): boolean =>
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
        (scope.what !== 'pumps' || pumpingJobs.includes(job.job_name)) &&
        !isAgain(job),
    )
    .map(({ reactor_unit, job_name }) => ({ unit: reactor_unit, jobName: job_name }));
}

/** What several stops have ended and nothing starts again. */
export const leftOffByAll = (stops: readonly RecentStop[], now: readonly JobOfStop[] = []): readonly LeftOff[] => [
  ...new Map(
    stops
      .flatMap((stop) => leftOffBy(stop, endedJobs(stop, now)))
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

/** What “Start again” starts, in sentences; dosing and heating are named: pumps may run and vials warm at once. */
export function againTexts(again: readonly StoppedJob[], nameOf: (unit: string) => string): readonly string[] {
  if (again.length === 0) return [];
  const units = new Set(again.map(({ unit }) => unit)).size;
  const textsOf = (jobName: string, textOf: (job: StoppedJob) => string | null): readonly string[] =>
    again.flatMap((job) => {
      const text = job.jobName === jobName ? textOf(job) : null;
      return text === null ? [] : [stopsWords.dosingOnUnit(nameOf(job.unit), text)];
    });
  const dosings = textsOf(dosingAutomationJob.name, ({ options, biomass }) =>
    dosingText({ ...options, ...(biomass !== undefined && { [biomassScaleSetting]: biomass.scale }) }),
  );
  const heatings = textsOf(temperatureAutomationJob.name, heatingText);
  const jobs = stopsWords.countsOnUnits(again.length, units);
  return [
    stopsWords.canStartAgain(jobs),
    ...(dosings.length === 0 ? [] : [stopsWords.dosingAmongThem(dosings.join(', '))]),
    ...(heatings.length === 0 ? [] : [stopsWords.heatingAmongThem(heatings.join(', '))]),
  ];
}

/** What a temperature automation heats to; null: it does not heat. */
function heatingText({ options }: StoppedJob): string | null {
  const { automation_name: automation, target_temperature: target } = options;
  if (automation === onlyRecordTemperature.name) return null;
  return typeof target === 'number' ? `${digitsText(target, 3)} °C` : labelFromName(String(automation));
}

/** Jobs with their units, for people. */
export const leftOffText = (jobs: readonly LeftOff[], nameOf: (unit: string) => string): string =>
  jobs.map(({ unit, jobName }) => commonWords.jobOnUnit(jobTitle(jobName), nameOf(unit))).join(', ');
