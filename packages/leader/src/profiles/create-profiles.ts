import { join } from 'node:path';
import type { Handlers, profileRoutes } from '@lcs/contract';

import {
  EndedJobsFile,
  type JobDefinition,
  type JobOutlet,
  type JobRuntime,
  type Living,
  TextReader,
} from '@lcs/platform';

import type { LeaderBroker } from '../broker/leader-broker.ts';
import type { LeaderContext, LivePublisher } from '../core/leader-context.ts';
import type { UnitJobs } from '../live/unit-jobs.ts';
import { leaderOutlet } from './leader-outlet.ts';
import { ProfileFiles } from './profile-files.ts';
import { profileHandlers } from './profile-handlers.ts';
import { LeaderJobLog } from './profile-log.ts';
import { ProfileRunner, type ProfileRunnerOptions } from './profile-runner.ts';
import { subscribeToProfileStops } from './profile-stop-requests.ts';

export interface ProfilesOptions {
  readonly context: LeaderContext;
  readonly broker: Pick<LeaderBroker, 'publish' | 'subscribe'>;
  readonly live: LivePublisher;
  readonly jobs: UnitJobs;
  /** The jobs of this node; there before anything is asked. */
  readonly runtime: () => JobRuntime;
  readonly plugins: ProfileRunnerOptions['plugins'];
}

/** Experiment profiles: files, routes, and the job that carries them out. */
export interface Profiles {
  readonly handlers: Handlers<typeof profileRoutes>;
  /** Before the fleet: their end waits for what the fleet gives up. */
  readonly parts: readonly Living[];
  /** Needs the jobs of the node and the fleet. */
  readonly partsAfterHttp: readonly Living[];
  readonly definition: JobDefinition;
  /** For all jobs of the leader's node. */
  readonly outlet: JobOutlet;
}

export function createProfiles({ context, broker, live, jobs, runtime, plugins }: ProfilesOptions): Profiles {
  const { leader, clock, log } = context;
  const files = new ProfileFiles({ dataFolder: context.dataFolder, clock });
  const texts = new TextReader();
  const entries = new LeaderJobLog(context);
  const stoppedRuns = new EndedJobsFile(join(context.dataFolder, 'storage', 'leader-stopped-profiles'), log);
  const runner = new ProfileRunner({ context, files, texts, log: entries, runtime, plugins, stoppedRuns });
  subscribeToProfileStops({ leader, broker, runtime, log });
  const written: Living = {
    name: 'entries about jobs of the leader',
    start: async () => {},
    stop: () => entries.settled,
  };
  const resuming: Living = {
    name: 'profiles that go on',
    start: () => runner.resumeAll(),
    stop: async () => {},
  };
  return {
    handlers: profileHandlers({ context, files, texts, runtime, isDryRun: (jobId) => runner.isDryRun(jobId) }),
    parts: [files, written, runner],
    partsAfterHttp: [resuming],
    definition: runner.definition,
    outlet: leaderOutlet({ leader, entries, mqtt: broker, live, jobs, clock, log }),
  };
}
