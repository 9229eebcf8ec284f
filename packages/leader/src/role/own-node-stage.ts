import { profileJobName } from '@lcs/contract';
import { initialBioreactorValues } from '@lcs/domain';
import { type JobRecordSink, NodeDescriptors } from '@lcs/node';
import type { Stage } from '@lcs/platform';
import { backupJobName } from '../backups/backup-job.ts';
import { type ConfigFeature, createConfig } from '../config/create-config.ts';
import { UnitJobs } from '../live/unit-jobs.ts';
import { leaderJobSink } from '../profiles/leader-job-sink.ts';
import { LeaderJobLog } from '../profiles/profile-log.ts';
import type { SessionsOutputs } from '../units/sessions-stage.ts';
import { streamingJobName } from '../units/streaming-job.ts';
import type { CoreOutputs } from './core-stage.ts';
import type { FleetOutputs } from './fleet-stage.ts';
import type { LeaderRoleOptions } from './leader-role-options.ts';

export interface OwnNodeOutputs {
  readonly configuration: ConfigFeature;
  readonly descriptors: NodeDescriptors;
  /** The jobs of this node that serve the cluster. */
  readonly clusterJobs: {
    readonly names: readonly string[];
    /** Takes what they publish. */
    readonly sink: JobRecordSink;
    readonly entries: LeaderJobLog;
  };
}

/** What the leader's own node needs of the role: its configuration and descriptors, and where its jobs publish. */
export function ownNodeStage(
  inputs: LeaderRoleOptions & CoreOutputs & SessionsOutputs & FleetOutputs,
): Stage<OwnNodeOutputs> {
  const { leader, clock, log, dataFolder, broker, live, config, sharedConfig, models, sessions, snapshot, context } =
    inputs;
  const configuration = createConfig(context, sharedConfig, models);
  sessions.onEffect((unit, effect) => {
    if (effect.do === 'announce document') configuration.unitChanged(unit);
  });
  const descriptors = new NodeDescriptors({
    dataFolder,
    log,
    initialValues: () => initialBioreactorValues(config()),
  });
  const jobs = new UnitJobs();
  snapshot.add({ jobs: () => jobs.all() });
  const entries = new LeaderJobLog(context);
  const sink = leaderJobSink({ leader, entries, mqtt: broker, live, jobs, clock, log });
  const names = [profileJobName, backupJobName, streamingJobName];
  return {
    outputs: { configuration, descriptors, clusterJobs: { names, sink, entries } },
    services: [...configuration.parts],
  };
}
