import { join } from 'node:path';
import {
  type Handlers,
  type profileAuthoringRoutes,
  type profileControlRoutes,
  profileJobName,
  type profileRoutes,
  type StoppedJobs,
} from '@lcs/contract';
import { actionsByPath } from '@lcs/domain';
import { EndedJobsFile, type JobDefinition, type JobRuntime, TextReader } from '@lcs/node';
import type { Service } from '@lcs/platform';

import type { LeaderBroker } from '../broker/leader-broker.ts';
import type { LeaderContext } from '../core/leader-context.ts';
import { ProfilePreflight, type ProfilePreflightOptions } from './preflight/profile-preflight.ts';
import { profileAuthoringHandlers } from './profile-authoring.ts';
import { type ProfileControlsOptions, profileControlHandlers } from './profile-controls.ts';
import { ProfileFiles } from './profile-files.ts';
import { profileHandlers } from './profile-handlers.ts';
import type { LeaderJobLog } from './profile-log.ts';
import { ProfileRunner, type ProfileRunnerOptions } from './profile-runner.ts';
import { subscribeToProfileStops } from './profile-stop-requests.ts';
import { createRehearsals, type RehearsalsOptions } from './rehearsal/rehearsals.ts';

export interface ProfilesOptions {
  readonly context: LeaderContext;
  readonly broker: Pick<LeaderBroker, 'publish' | 'subscribe'>;
  /** Log entries of the jobs of this node. */
  readonly entries: LeaderJobLog;
  /** The jobs of this node. */
  readonly runtime: JobRuntime;
  readonly recentStops: ProfileControlsOptions['recentStops'];
  readonly plugins: ProfileRunnerOptions['plugins'];
  readonly onCommand: ProfileRunnerOptions['onCommand'];
  readonly onFailure: ProfileRunnerOptions['onFailure'];
  readonly random: ProfileRunnerOptions['random'];
  readonly models: RehearsalsOptions['models'];
  readonly config: RehearsalsOptions['config'];
  readonly rehearse: RehearsalsOptions['rehearse'];
  /** What the check before a start needs. */
  readonly facts: Pick<ProfilePreflightOptions, 'diskSpace' | 'bottles' | 'jobs'>;
}

/** Experiment profiles: files, routes, and the job that executes them. */
export interface Profiles {
  readonly handlers: Handlers<typeof profileRoutes & typeof profileAuthoringRoutes & typeof profileControlRoutes>;
  /** Started before the fleet: their end waits until the fleet cancels its commands. */
  readonly parts: readonly Service[];
  /** Needs the jobs of the node and the fleet. */
  readonly partsAfterHttp: readonly Service[];
  readonly definition: JobDefinition;
  /** The folder of profiles. */
  readonly files: Pick<ProfileFiles, 'find' | 'create'>;
  /** Stops all runs. */
  readonly stopRuns: () => Promise<StoppedJobs>;
  /** The job and type of each action of a profile by its path; none for a text that is no profile. */
  readonly stepsOf: (profileText: string) => Promise<ReadonlyMap<string, ProfileStep>>;
}

/** An action of a profile. */
export interface ProfileStep {
  readonly job: string;
  /** `start`, `update`, … */
  readonly action: string;
}

export function createProfiles(options: ProfilesOptions): Profiles {
  const {
    context,
    broker,
    entries,
    runtime,
    recentStops,
    plugins,
    onCommand,
    onFailure,
    random,
    models,
    config,
    rehearse,
  } = options;
  const { leader, clock, log } = context;
  const files = new ProfileFiles({ dataFolder: context.dataFolder, clock });
  const texts = new TextReader();
  const stoppedRuns = new EndedJobsFile(join(context.dataFolder, 'storage', 'leader-stopped-profiles'), log);
  const preflight = new ProfilePreflight({ ...options.facts, context, models, plugins });
  const about = { context, files, texts, log: entries, runtime, plugins, random, stoppedRuns, preflight };
  const runner = new ProfileRunner({ ...about, onCommand, onFailure });
  subscribeToProfileStops({ leader, broker, runtime, log });
  const written: Service = {
    name: 'event log of jobs of the leader',
    start: async () => {},
    stop: () => entries.settled,
  };
  const resuming: Service = {
    name: 'resumed profiles',
    start: () => runner.resumeAll(),
    stop: async () => {},
  };
  const active = (runId: string) => runner.active(runId);
  const progressOf = (runId: string) => active(runId)?.run.progress;
  const record = { database: context.database.read, texts, progressOf };
  return {
    handlers: {
      ...profileHandlers({ context, files, texts, runtime, record, runs: runner }),
      ...profileControlHandlers({ record, runtime, active, clock, log: entries, recentStops }),
      ...profileAuthoringHandlers({ database: context.database.read, files, texts, preflight }),
      ...createRehearsals({ context, texts, models, config, rehearse }),
    },
    parts: [files, written, runner],
    partsAfterHttp: [resuming],
    definition: runner.definition,
    files,
    stopRuns: () => runtime.stopJobs({ jobName: profileJobName }),
    stepsOf: async (profileText) => {
      const parsed = await texts.read('profile', profileText);
      const actions = 'profile' in parsed ? [...actionsByPath(parsed.profile)] : [];
      return new Map(actions.map(([path, { job, action }]) => [path, { job, action: action.type }]));
    },
  };
}
