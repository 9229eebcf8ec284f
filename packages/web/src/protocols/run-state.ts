import {
  type LiveJob,
  type ProfileRun,
  type ProfileRunDetails,
  profileJobName,
  type TimelineEntry,
} from '@lcs/contract';
import { countedFailures } from '@lcs/domain';
import { commonWords } from '../words/common.ts';
import { runningProfilesWords } from '../words/running-profiles.ts';

/** The job of a run; undefined: the run has ended, or its job is not known yet. */
export const jobOfRun = (
  jobs: readonly LiveJob[],
  { experiment, started_at }: Pick<ProfileRun, 'experiment' | 'started_at'>,
): LiveJob | undefined =>
  jobs.find(
    ({ job_name, experiment: where, settings }) =>
      job_name === profileJobName && where === experiment && settings.start_time_utc === started_at,
  );

const outcomeTexts = runningProfilesWords.outcomeTexts;

/** Whether a run did not do all of its profile: people see that at every place that names it. */
export const hasFailures = ({ outcome, failed_actions }: Pick<ProfileRun, 'outcome' | 'failed_actions'>): boolean =>
  failed_actions > 0 || outcome === 'failed';

/** The state of a run for people. */
export function runStateText(
  { outcome, dry_run, failed_actions: failed }: Pick<ProfileRun, 'outcome' | 'dry_run' | 'failed_actions'>,
  isPaused: boolean,
): string {
  const state = outcome === null ? (isPaused ? commonWords.paused : commonWords.running) : outcomeTexts[outcome];
  const failures = failed === 0 ? '' : runningProfilesWords.withFailures(countedFailures(failed));
  return `${state}${failures}${dry_run ? runningProfilesWords.dryRunInline : ''}`;
}

/** The audit has the time of the request, the run that of its end: a little apart. */
const clockToleranceMs = 1_000;

/** The request that stopped a run: its own control, or the stop of everything that came last before its end. */
export const stopOfRun = (
  actions: readonly Pick<TimelineEntry, 'at' | 'by' | 'run_id' | 'stops'>[],
  runId: string,
  endedMs: number,
) => {
  const before = actions.filter(({ at }) => Date.parse(at) <= endedMs + clockToleranceMs);
  return actions.find(({ run_id }) => run_id === runId) ?? before.find(({ stops }) => stops !== null);
};

/** The units with common jobs and those with jobs of their own. */
export const unitsOfRun = ({ common_units, own_units }: ProfileRunDetails): readonly string[] => [
  ...new Set([...common_units, ...own_units]),
];
