import { clusterExperiment, type LiveJob, profileJobName } from '@lcs/contract';
import { builtInJobs, jobTitle, pumpingJobs } from '@lcs/domain';
import { commonWords } from '../words/common.ts';
import { stopsWords } from '../words/stops.ts';
import { profileExperiments, type StopScope } from './start-again.ts';

/** What a stop will end, for the person who decides. */
export interface StopPreview {
  readonly what: StopScope['what'];
  readonly jobs: number;
  readonly units: readonly string[];
  readonly experiments: readonly string[];
  /** The experiments whose running profile ends. */
  readonly profiles: readonly string[];
  /** Jobs of plugins that may run pumps: the unit decides whether a stop of pumps ends them. */
  readonly plugins: readonly string[];
}

const naturally = new Intl.Collator('en', { numeric: true });

const sorted = (names: Iterable<string>): readonly string[] => [...new Set(names)].sort(naturally.compare);

/** Trial jobs of a unit, such as calibrations, have this before the name of its experiment; they belong to none. */
const trialPrefix = '_testing_';

/** More names than this are not read at a glance. */
const mostNames = 6;

const builtInNames: ReadonlySet<string> = new Set(builtInJobs.map(({ name }) => name));

export function stopPreview({ what, experiment }: StopScope, jobs: readonly LiveJob[]): StopPreview {
  const concerned = jobs.filter(
    (job) =>
      job.state !== 'disconnected' &&
      job.experiment !== clusterExperiment &&
      (experiment === null || job.experiment === experiment),
  );
  const onUnits = concerned.filter(({ job_name }) => job_name !== profileJobName);
  const ended = onUnits.filter(({ job_name }) => what === 'everything' || pumpingJobs.includes(job_name));
  const ofPlugins = onUnits.filter(({ job_name }) => what === 'pumps' && !builtInNames.has(job_name));
  return {
    what,
    jobs: ended.length,
    units: sorted(ended.map(({ reactor_unit }) => reactor_unit)),
    experiments: sorted(ended.map((job) => job.experiment).filter((name) => !name.startsWith(trialPrefix))),
    profiles: what === 'everything' ? sorted(profileExperiments(concerned)) : [],
    plugins: sorted(ofPlugins.map(({ job_name }) => job_name)),
  };
}

const named = (names: readonly string[], countText: (count: number) => string): string =>
  names.length > mostNames ? countText(names.length) : names.join(', ');

/** The same as sentences. */
export function previewText(
  { what, jobs, units, experiments, profiles, plugins }: StopPreview,
  nameOf: (unit: string) => string,
): string {
  const counts = what === 'pumps' ? stopsWords.pumpJobs(jobs) : stopsWords.jobCount(jobs);
  const sentences = [
    jobs === 0
      ? what === 'pumps'
        ? stopsWords.noJobRunsPumps
        : stopsWords.noJobRuns
      : stopsWords.jobsOnUnitsOf(
          counts,
          named(units.map(nameOf), commonWords.unitCount),
          named(experiments, stopsWords.experimentCount),
        ),
  ];
  if (plugins.length > 0) sentences.push(stopsWords.alsoPlugins(plugins.map((name) => jobTitle(name)).join(', ')));
  if (what === 'pumps' && jobs > 0) sentences.push(stopsWords.othersGoOn);
  if (profiles.length > 0)
    sentences.push(stopsWords.runningOf(profiles.length, named(profiles, stopsWords.experimentCount)));
  return sentences.join(' ');
}
