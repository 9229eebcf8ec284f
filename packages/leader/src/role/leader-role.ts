import { leaderApi } from '@lcs/contract';
import {
  type IniView,
  type JobDefinition,
  keepRunning,
  type Living,
  madeOnce,
  type NodeDescriptors,
  type NotFoundHook,
  type ServedApi,
  serve,
  taskEvent,
} from '@lcs/platform';
import { republishAssignments } from '../assignments/republish-assignments.ts';
import type { LeaderBroker } from '../broker/leader-broker.ts';
import type { ConfigFeature } from '../config/create-config.ts';
import { type HistoryPort, historyPort } from '../demonstration/past-experiment.ts';
import type { NotesFeature } from '../notes/create-notes.ts';
import type { Profiles } from '../profiles/create-profiles.ts';
import { streamingJob, streamingJobName } from '../units/streaming-job.ts';
import { pageFiles } from '../web-ui/web-ui-files.ts';
import { createLeaderCluster, type LeaderCluster } from './leader-cluster.ts';
import { createLeaderCore, type LeaderCore } from './leader-core.ts';
import { createLeaderFeatures, type LeaderFeatures } from './leader-features.ts';
import { leaderHandlers } from './leader-handlers.ts';
import type { LeaderRoleOptions } from './leader-role-options.ts';

/** The leader role of a node: what it serves, and the parts that live, in the order of their start. */
export interface LeaderRole {
  readonly api: ServedApi;
  /** Files of the page, for what no route takes. */
  readonly notFound: NotFoundHook;
  readonly parts: readonly Living[];
  /** Those that submit tasks as they start: after the task runner. */
  readonly partsAfterTasks: readonly Living[];
  /** Those that need this node to be reachable. */
  readonly partsAfterHttp: readonly Living[];
  readonly broker: LeaderBroker;
  readonly history: HistoryPort;
  /** Jobs of the leader's own node, and where what they say goes. */
  readonly ownJobs: { readonly definitions: readonly JobDefinition[]; readonly outlet: Profiles['outlet'] };
  /** What the node serves of its own configuration. */
  readonly configHandlers: ConfigFeature['nodeHandlers'];
  /** What people have told of volumes of vials. */
  readonly volumeNotes: NotesFeature['volumes'];
  readonly descriptors: NodeDescriptors;
  /** The configuration that all nodes share. */
  readonly config: () => IniView;
}

/** Builds the leader role of a node. The kinds of its tasks are registered here, before the tasks start. */
export function createLeaderRole(options: LeaderRoleOptions): LeaderRole {
  const core: LeaderCore = createLeaderCore(options, {
    alarms: () => features.alarms.open(),
    units: () => cluster.units.registry.all(),
    jobs: () => [...features.leaderJobs.all(), ...cluster.units.jobs.all()],
    onConfig: () => cluster.units.desired.refreshAll(),
  });
  const cluster: LeaderCluster = createLeaderCluster(options, core, (unit) => features.configuration.unitChanged(unit));
  const features: LeaderFeatures = createLeaderFeatures(options, core, cluster);
  const { broker, live, sharedConfig } = core;
  const { context, units, series, clockCorrections, diskSpace, fleet, calibrationCopies } = cluster;
  const { configuration, profiles, exports, alarms, deletion, backups, cameras, notes } = features;
  const page = servedPage(options.pageFolder);
  return {
    api: serve(leaderApi, leaderHandlers(options, { core, cluster, features }, page.answer)),
    notFound: page.answer,
    parts: [
      diskSpace,
      series.readers,
      clockCorrections,
      ...broker.parts,
      sharedConfig,
      ...configuration.parts,
      ...profiles.parts,
      ...exports.parts,
      fleet,
      live,
      calibrationCopies,
      ...units.parts,
      ...alarms.parts,
      page.part,
      announcements(options, core, cluster),
    ],
    partsAfterTasks: [deletion, backups.schedule],
    partsAfterHttp: [
      portsInConfig(options, core),
      ...units.partsAfterHttp,
      jobThatAlwaysRuns(options, streamingJobName),
      ...cameras.parts,
      ...profiles.partsAfterHttp,
      ...alarms.partsAfterHttp,
    ],
    broker,
    history: historyPort(context, series.ingest),
    ownJobs: {
      definitions: [profiles.definition, backups.definition, streamingJob(units.followers)],
      outlet: profiles.outlet,
    },
    configHandlers: configuration.nodeHandlers,
    volumeNotes: notes.volumes,
    descriptors: features.descriptors,
    config: core.config,
  };
}

/** The files of the page, read once, at the start. */
function servedPage(folder: string): { readonly answer: NotFoundHook; readonly part: Living } {
  let files: NotFoundHook = () => undefined;
  const part: Living = {
    name: 'page',
    start: async () => {
      files = await pageFiles(folder);
    },
    stop: async () => {},
  };
  return { answer: (request) => files(request), part };
}

/** Tells of tasks as they change, and once, at the start, of who works on which experiment. */
const announcements = ({ tasks }: LeaderRoleOptions, { live, broker }: LeaderCore, { context }: LeaderCluster) => ({
  name: 'announcements',
  start: async () => {
    tasks.onChange((record) => {
      const event = taskEvent(record);
      if (event !== undefined) live.publish('task', record.taskId, event);
    });
    await republishAssignments(context, broker);
  },
  stop: async () => {},
});

/** The runtime is known only once the node is composed. */
function jobThatAlwaysRuns({ jobs, log, clock }: LeaderRoleOptions, job: string): Living {
  const running = madeOnce(() => keepRunning(job, jobs(), log, clock));
  return { name: job, start: (signal) => running().start(signal), stop: () => running().stop() };
}

/** Writes the ports that are truly used into the shared configuration. */
const portsInConfig = ({ ownUrl }: LeaderRoleOptions, { sharedConfig, broker }: LeaderCore): Living => ({
  name: 'ports in the configuration',
  start: () => {
    const { host, port, usesTls } = broker.place ?? {};
    return sharedConfig.correctPorts({
      httpPort: Number(new URL(ownUrl()).port),
      ...(port !== undefined && { brokerPort: port }),
      ...(usesTls !== undefined && { brokerUsesTls: usesTls }),
      ...(host !== undefined && { brokerAddress: host }),
    });
  },
  stop: async () => {},
});
