import { type Alarm, type Assignment, type HeldJob, type LiveJob, profileJobName } from '@lcs/contract';
import { isUnacknowledged } from '../alarms/unacknowledged.ts';
import { jobsOfUnit, runsJob } from '../experiments/running-units.ts';
import { isRunning, jobPhase } from '../jobs/job-phase.ts';
import { lackingJobs } from '../jobs/start-needs.ts';
import { commonWords } from '../words/common.ts';
import { nowWords } from '../words/now.ts';

const naturally = new Intl.Collator('en', { numeric: true });

interface ClusterFacts {
  readonly assignments: readonly Assignment[];
  readonly jobs: readonly LiveJob[];
  readonly alarms: readonly Alarm[];
  readonly held: readonly HeldJob[];
}

export interface ClusterState {
  /** Units of experiments that run a job. */
  readonly running: number;
  /** Units of experiments. */
  readonly assigned: number;
  /** Units of experiments on which a running job needs others that are off, or a job is off since a restart. */
  readonly lacking: number;
  /** Alarms that nobody has acknowledged, and those that still stand; without the muted ones. */
  readonly alarms: number;
  /** Those of them that somebody has acknowledged. */
  readonly acknowledged: number;
  /** Those that somebody has muted. */
  readonly muted: number;
  /** The names of the profiles that run. */
  readonly profiles: readonly string[];
}

const runningProfiles = (jobs: readonly LiveJob[]): readonly LiveJob[] =>
  jobs.filter((job) => job.job_name === profileJobName && isRunning(jobPhase(job)));

/** The experiments in which a profile runs. */
export const experimentsWithProfile = (jobs: readonly LiveJob[]): readonly string[] =>
  [...new Set(runningProfiles(jobs).map(({ experiment }) => experiment))].sort(naturally.compare);

const nameOfProfile = ({ settings }: LiveJob): string => String(settings.experiment_profile_name ?? '');

/** The summary of all units in the header of the web UI. */
export function clusterState({ assignments, jobs, alarms, held }: ClusterFacts): ClusterState {
  const assigned = assignments.filter(({ experiment }) => experiment !== null);
  const running = assigned.filter(({ reactor_unit, experiment }) => runsJob(jobs, reactor_unit, experiment ?? ''));
  const lacking = assigned.filter(({ reactor_unit, experiment }) => {
    if (held.some((job) => job.reactor_unit === reactor_unit && job.experiment === experiment)) return true;
    const own = jobsOfUnit(jobs, reactor_unit, experiment ?? '');
    return lackingJobs({ jobs: own, capabilities: [], descriptors: [] }).length > 0;
  });
  const acknowledged = alarms.filter(({ state }) => state === 'acknowledged').length;
  const open = alarms.filter(isUnacknowledged).length;
  return {
    running: running.length,
    assigned: assigned.length,
    lacking: lacking.length,
    alarms: open + acknowledged,
    acknowledged,
    muted: alarms.filter(({ state }) => state === 'shelved').length,
    profiles: runningProfiles(jobs).map(nameOfProfile),
  };
}

/** `6 units running`, or how many of them when some do not run. */
export function runningText({ running, assigned }: ClusterState): string {
  if (assigned === 0) return nowWords.noUnitsRunning;
  return running === assigned
    ? commonWords.countRunning(commonWords.unitCount(running))
    : nowWords.someRunning(running, commonWords.unitCount(assigned));
}

/** `3 alarms (1 acknowledged), 1 muted` */
function alarmsText(state: ClusterState): string {
  const { alarms, muted } = state;
  if (muted === 0) return alarms === 0 ? nowWords.noAlarms : unmutedText(state);
  return alarms === 0 ? nowWords.allMuted(muted) : `${unmutedText(state)}, ${nowWords.someMuted(muted)}`;
}

function unmutedText({ alarms, acknowledged }: ClusterState): string {
  if (acknowledged === 0) return nowWords.alarmCount(alarms);
  return alarms === acknowledged ? nowWords.allAcknowledged(alarms) : nowWords.someAcknowledged(alarms, acknowledged);
}

/**
 * `6 units running, 1 lacks a job, profile two speeds, 1 alarm`
 * @param lastKnown the time that it is of, while the leader does not answer
 */
export function clusterSentence(state: ClusterState, lastKnown: string | null): string {
  const sentence = [
    runningText(state),
    ...(state.lacking === 0 ? [] : [nowWords.lackJobs(state.lacking)]),
    ...(state.profiles.length === 0 ? [] : [nowWords.profilesRun(state.profiles)]),
    alarmsText(state),
  ].join(', ');
  return lastKnown === null ? sentence : commonWords.textLastKnown(lastKnown, sentence);
}

/** The same where little room is: `5 of 6 running, 1 alarm` */
export function shortSentence(state: ClusterState): string {
  const { running, assigned, lacking, alarms, muted } = state;
  const units = running === assigned ? commonWords.countRunning(running) : nowWords.someRunning(running, assigned);
  const lacks = lacking === 0 ? [] : [nowWords.lackJobs(lacking)];
  return [units, ...lacks, ...(alarms + muted === 0 ? [] : [alarmsText(state)])].join(', ');
}

/** What a person has to do next before there is anything to watch. */
export type NextStep = 'add-unit' | 'create-experiment' | 'assign-units' | 'start-jobs';

export interface CounterFacts {
  readonly units: number;
  readonly experiments: number;
  readonly state: ClusterState;
}

/** `null`: something runs. */
export function nextStep({ units, experiments, state }: CounterFacts): NextStep | null {
  if (units === 0) return 'add-unit';
  if (experiments === 0) return 'create-experiment';
  if (state.assigned === 0) return 'assign-units';
  return state.running === 0 ? 'start-jobs' : null;
}

/** A unit with its experiment. */
export interface TileUnit {
  readonly unit: string;
  readonly experiment: string;
}

/** The units of all experiments, or of one, in the natural order of their names. */
export const tileUnits = (assignments: readonly Assignment[], of: string | undefined): readonly TileUnit[] =>
  assignments
    .flatMap(({ reactor_unit: unit, experiment }) =>
      experiment === null || (of !== undefined && experiment !== of) ? [] : [{ unit, experiment }],
    )
    .sort((left, right) => naturally.compare(left.unit, right.unit));

/** The experiments that have units, in the natural order of their names. */
export const experimentsWithUnits = (assignments: readonly Assignment[]): readonly string[] =>
  [...new Set(assignments.flatMap(({ experiment }) => experiment ?? []))].sort(naturally.compare);
