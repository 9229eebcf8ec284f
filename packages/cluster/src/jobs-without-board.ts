import { join } from 'node:path';
import { nodeApi } from '@lcs/contract';
import {
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
} from '@lcs/node';
import { serve } from '@lcs/platform';
import { boardlessHandlers } from './boardless-handlers.ts';
import { type LeaderNodeJobs, type LeaderNodeJobsInputs, pluginSources } from './leader-node-jobs.ts';

/** A leader without a board has no outputs: its jobs serve the cluster. */
const withoutBoard: Pick<JobRuntimeOptions, 'actuators' | 'facts' | 'config'> = {
  actuators: {
    acquire: () => Promise.reject(new Error('This node has no outputs.')),
    revoke: async () => {},
  },
  facts: () => ({ experiment: undefined, isActive: false, model: undefined }),
  config: () => ({}),
};

/** The node of a leader that has no board. */
export function jobsWithoutBoard(inputs: LeaderNodeJobsInputs): LeaderNodeJobs {
  const { name: unit, folder, leaderBase, nodeDatabase: database, tasks, clock, wire, log } = inputs;
  const { clusterJobs, config, configuration, descriptors } = leaderBase;
  const monitor = hostMonitorJob(hostStatistics(folder.path, inputs.version));
  const runtime = new JobRuntime({
    ...withoutBoard,
    definitions: [monitor],
    sink: clusterJobs.sink,
    unit,
    database,
    clock,
    wire,
    log,
    endedJobs: new EndedJobsFile(join(folder.path, 'storage', 'leader-ended-jobs'), log),
  });
  const { plugins, handlers } = createNodePlugins({
    unit,
    dataFolder: folder.path,
    isLeader: true,
    hasBoard: false,
    version: inputs.version,
    wire,
    holds: clock,
    log,
    config,
    tasks,
    runtime,
    ...inputs.pluginOptions,
    sources: pluginSources(inputs),
  });
  const jobs = () => runtime.definitions();
  const leader = () => unit;
  const countUnread = ({ job = '' }: Readonly<Record<string, string>>) => runtime.countInvalidStart(job);
  return {
    runtime,
    plugins,
    serveNode: (system) =>
      serve(
        nodeApi,
        {
          ...nodeHandlers({
            unit,
            version: inputs.version,
            clock,
            tasks,
            api: nodeApi,
            jobs,
            lastUsed: () => runtime.lastUsed(),
            defaultsOf: (definition) => runtime.defaultsOf(definition),
          }),
          ...jobHandlers({ runtime, tasks, database, clock, wire, log, unit, pid: process.pid, leader }),
          ...system.handlers,
          ...configuration.nodeHandlers,
          ...handlers,
          ...descriptorHandlers(descriptors),
          ...boardlessHandlers({ unit, clock, config }),
        },
        { runJob: countUnread, runJobByPatch: countUnread },
      ),
    clockSet: () => {},
    guardSilentMs: () => 0,
    jobServices: [plugins, runtime],
    jobServicesAfterHttp: [keepRunning(monitorDefinition.name, runtime, log, clock)],
  };
}
