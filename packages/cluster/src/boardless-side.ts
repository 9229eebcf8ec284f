import { join } from 'node:path';
import { nodeApi } from '@lcs/contract';
import {
  boardlessHandlers,
  createNodePlugins,
  descriptorHandlers,
  EndedJobsFile,
  hostMonitorJob,
  hostStatistics,
  JobRuntime,
  type JobRuntimeOptions,
  jobHandlers,
  keepRunning,
  monitorDefinition,
  nodeHandlers,
  programVersion,
  serve,
} from '@lcs/platform';
import type { LeaderSide, LeaderSideNeeds } from './leader-side.ts';

/** A leader without a board drives nothing: its jobs serve the cluster. */
const withoutBoard: Pick<JobRuntimeOptions, 'actuators' | 'facts' | 'config'> = {
  actuators: {
    acquire: () => Promise.reject(new Error('This node has no outputs.')),
    revoke: async () => {},
  },
  facts: () => ({ experiment: undefined, isActive: false, model: undefined }),
  config: () => ({}),
};

/** The node of a leader that has no board. */
export function boardlessSide(needs: LeaderSideNeeds): LeaderSide {
  const { name: unit, folder, leaderRole: role, nodeDatabase: database, tasks, clock, wire, log } = needs;
  const monitor = hostMonitorJob(hostStatistics(folder.path, programVersion));
  const definitions = [...role.ownJobs.definitions, monitor];
  const { outlet } = role.ownJobs;
  const runtime = new JobRuntime({
    ...{ ...withoutBoard, definitions, outlet },
    ...{ unit, database, clock, wire, log },
    endedJobs: new EndedJobsFile(join(folder.path, 'storage', 'leader-ended-jobs'), log),
  });
  const plugins = createNodePlugins({
    ...{ unit, dataFolder: folder.path, isLeader: true, version: programVersion },
    ...{ wire, holds: clock, log, config: role.config, tasks, runtime },
    ...needs.pluginOptions,
  });
  const jobs = () => runtime.definitions();
  const leader = () => unit;
  const countUnread = ({ job = '' }: Readonly<Record<string, string>>) => runtime.countUnread(job);
  return {
    runtime,
    plugins,
    serveApi: (system) =>
      serve(
        nodeApi,
        {
          ...nodeHandlers({ unit, version: programVersion, clock, tasks, api: nodeApi, jobs }),
          ...jobHandlers({ runtime, tasks, database, clock, wire, log, unit, pid: process.pid, leader }),
          ...system.handlers,
          ...role.configHandlers,
          ...plugins.handlers,
          ...descriptorHandlers(role.descriptors),
          ...boardlessHandlers({ unit, clock, config: role.config }),
        },
        { runJob: countUnread, runJobByPatch: countUnread },
      ),
    clockSet: () => {},
    stores: [],
    parts: [plugins.plugins, runtime],
    partsAfterHttp: [keepRunning(monitorDefinition.name, runtime, log, clock)],
  };
}
