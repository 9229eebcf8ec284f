import { join } from 'node:path';
import { leaderApi } from '@lcs/contract';
import { builtInModels } from '@lcs/domain';
import {
  type Clock,
  type Living,
  type Log,
  type NotFoundHook,
  type Probe,
  type ServedApi,
  serve,
  type TaskRunner,
  taskAnswer,
} from '@lcs/platform';
import { assignmentHandlers } from './api/assignments/assignment-handlers.ts';
import { chartHandlers } from './api/charts/chart-handlers.ts';
import { configHandlers } from './api/config/config-handlers.ts';
import { SharedConfig } from './api/config/shared-config.ts';
import { ExperimentDeletion } from './api/experiments/experiment-deletion.ts';
import { experimentHandlers } from './api/experiments/experiment-handlers.ts';
import { fleetTasks } from './api/jobs/fleet-tasks.ts';
import { jobHandlers } from './api/jobs/job-handlers.ts';
import { logHandlers } from './api/logs/log-handlers.ts';
import { leaderSystemHandlers } from './api/system-handlers.ts';
import { timeSeriesHandlers } from './api/time-series/time-series-handlers.ts';
import { unitReadHandlers } from './api/unit-reads/unit-read-handlers.ts';
import { unitHandlers } from './api/units/unit-handlers.ts';
import { ModelCatalog } from './api/workers/model-catalog.ts';
import { workerHandlers } from './api/workers/worker-handlers.ts';
import type { BrokerSettings } from './broker/broker-settings.ts';
import { createLeaderBroker, type LeaderBroker } from './broker/leader-broker.ts';
import { republishAssignments } from './broker/republish-assignments.ts';
import { createChangeRunner } from './change.ts';
import { HttpFleet } from './fleet/http-fleet.ts';
import { type HistoryPort, historyPort } from './history/past-experiment.ts';
import { FeedIngest } from './ingest/feed-ingest.ts';
import type { LeaderContext, LeaderDatabase } from './leader-context.ts';
import { LiveHub } from './live/live-hub.ts';
import { snapshotSource } from './live/snapshot.ts';
import { pageFiles } from './page/page-files.ts';
import { ExperimentData } from './series/experiment-data.ts';
import { createSeriesStore } from './series/series-store.ts';
import { leaderDatabaseFile } from './store/database-file.ts';
import { DiskRoom } from './store/disk-room.ts';
import { createUnits, type Units } from './units/create-units.ts';

export interface LeaderRoleOptions {
  /** The leader's own unit name. */
  readonly leader: string;
  /** Under which units know it: of its data folder. */
  readonly leaderId: string;
  readonly version: string;
  /** Differs at each start. */
  readonly run: string;
  readonly host: string;
  /** As asked for; 0 is any free port, known only later. */
  readonly httpPort: number;
  readonly broker: BrokerSettings;
  /** Base URL of this node; asked only while it is up. */
  readonly ownUrl: () => string;
  readonly dataFolder: string;
  /** Where the built page is. */
  readonly pageFolder: string;
  readonly clock: Clock;
  readonly wire: Clock;
  readonly log: Log;
  readonly database: LeaderDatabase;
  readonly tasks: TaskRunner;
  readonly newId: () => string;
  /** Numbers from 0 to 1. */
  readonly random: () => number;
  readonly probe?: Probe;
}

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
}

/** Where a new leader's configuration says it listens, when its port is chosen at each start. */
const usualHttpPort = 4999;
const usualMqttPort = 1883;

/** Builds the leader role of a node. The kinds of its tasks are registered here, before the tasks start. */
export function createLeaderRole(options: LeaderRoleOptions): LeaderRole {
  const { leader, version, clock, wire, log, database, tasks, dataFolder, newId } = options;
  const broker = createLeaderBroker({ settings: options.broker, leader, wire, log });
  const live: LiveHub = new LiveHub({
    wire,
    log,
    run: options.run,
    snapshot: snapshotSource(
      { leader, clock, database, tasks, units: () => units.registry.all(), jobs: () => units.jobs.all() },
      version,
    ),
  });
  const change = createChangeRunner({ leader, database, live, mqtt: broker, now: () => clock.now() });
  const sharedConfig = new SharedConfig({
    context: { leader, clock, log, database, change, dataFolder },
    defaults: () => ({
      leaderAddress: options.host,
      httpPort: options.httpPort || usualHttpPort,
      brokerPort: (options.broker.mode === 'embedded' && options.broker.port) || usualMqttPort,
    }),
    onChange: () => units.desired.refreshAll(),
    ...(options.probe ? { probe: options.probe } : {}),
  });
  const addresses = () => sharedConfig.view()['cluster.addresses'] ?? {};
  const fleet = new HttpFleet({
    wire,
    holds: clock,
    log,
    newId,
    addressOf: (unit) => units.registry.addressOf(unit),
  });
  const series = createSeriesStore({ database, path: join(dataFolder, leaderDatabaseFile), clock, wire, log });
  const machineOf = (unit: string) => units.registry.enrolmentOf(unit)?.machine_id;
  const room = new DiskRoom({ leader, dataFolder, clock, wire, log, live, change });
  const feed = new FeedIngest({ database, series, clock, log, live, room, machineOf });
  const models = new ModelCatalog({ builtIn: builtInModels, folder: join(dataFolder, 'models'), log });
  const units: Units = createUnits({
    ...{ leader, leaderId: options.leaderId, version, clock, wire, log, database, change, live, mqtt: broker },
    ...{ models, sharedConfig, newId, ownUrl: options.ownUrl, random: options.random },
    ingest: feed,
    defaultPort: () => Number(sharedConfig.view().ui?.port ?? usualHttpPort),
    ...(options.probe ? { probe: options.probe } : {}),
  });
  const context: LeaderContext = {
    ...{ leader, clock, wire, log, database, change, tasks, fleet, dataFolder, newId },
    units: units.registry,
    desired: units.desired,
  };
  const stored = new ExperimentData({
    database,
    ids: series.ids,
    settled: () => feed.settled(),
    ...(options.probe ? { probe: options.probe } : {}),
  });
  const deletion = new ExperimentDeletion(context, stored);
  const unitTasks = fleetTasks(context);
  const api = serve(leaderApi, {
    ...experimentHandlers(context, deletion),
    ...assignmentHandlers(context),
    ...workerHandlers(context, { models, clusterAddresses: addresses }),
    ...unitHandlers(context, units),
    ...timeSeriesHandlers(context, series.answers),
    ...jobHandlers(context, unitTasks),
    ...unitReadHandlers(context, unitTasks),
    ...logHandlers(context, series.read),
    ...chartHandlers(context, sharedConfig),
    ...configHandlers(context, sharedConfig),
    ...leaderSystemHandlers(version, live),
  });
  let page: NotFoundHook = () => undefined;
  const announcements: Living = {
    name: 'announcements',
    start: async () => {
      page = await pageFiles(options.pageFolder);
      tasks.onChange((record) => live.publish('task', record.taskId, taskAnswer(record)));
      await republishAssignments(context, broker);
    },
    stop: async () => {},
  };
  const ports: Living = {
    name: 'ports in the configuration',
    start: () => {
      const httpPort = Number(new URL(options.ownUrl()).port);
      const { host, port, usesTls } = broker.place ?? {};
      return sharedConfig.correctPorts({
        httpPort,
        ...(port !== undefined && { brokerPort: port }),
        ...(usesTls !== undefined && { brokerUsesTls: usesTls }),
        ...(host !== undefined && { brokerAddress: host }),
      });
    },
    stop: async () => {},
  };
  return {
    api,
    notFound: (request) => page(request),
    parts: [room, series.readers, ...broker.parts, sharedConfig, fleet, live, ...units.parts, announcements],
    partsAfterTasks: [deletion],
    partsAfterHttp: [ports, ...units.partsAfterHttp],
    broker,
    history: historyPort(context, series.ingest),
  };
}
