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
import { leaderSystemHandlers } from './api/system-handlers.ts';
import { ModelCatalog } from './api/workers/model-catalog.ts';
import { workerHandlers } from './api/workers/worker-handlers.ts';
import { EmbeddedBroker } from './broker/embedded-broker.ts';
import { republishAssignments } from './broker/republish-assignments.ts';
import { createChangeRunner } from './change.ts';
import { HttpFleet } from './fleet/http-fleet.ts';
import { addressIn, unitAddress } from './fleet/unit-address.ts';
import type { LeaderContext, LeaderDatabase } from './leader-context.ts';
import { LiveHub } from './live/live-hub.ts';
import { snapshotSource } from './live/snapshot.ts';
import { pageFiles } from './page/page-files.ts';

export interface LeaderRoleOptions {
  /** The leader's own unit name. */
  readonly leader: string;
  readonly version: string;
  /** Differs at each start. */
  readonly run: string;
  readonly host: string;
  /** As asked for; 0 is any free port, known only later. */
  readonly httpPort: number;
  readonly mqttPort: number;
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
  readonly broker: EmbeddedBroker;
}

/** Where a new leader's configuration says it listens, when its port is chosen at each start. */
const usualHttpPort = 4999;
const usualMqttPort = 1883;

/** Builds the leader role of a node. The kinds of its tasks are registered here, before the tasks start. */
export function createLeaderRole(options: LeaderRoleOptions): LeaderRole {
  const { leader, version, clock, wire, log, database, tasks, dataFolder, newId } = options;
  const broker = new EmbeddedBroker({ host: options.host, port: options.mqttPort, log });
  const live: LiveHub = new LiveHub({
    wire,
    log,
    run: options.run,
    snapshot: snapshotSource({ leader, clock, database, tasks }, version),
  });
  const change = createChangeRunner({ leader, database, live, mqtt: broker, now: () => clock.now() });
  const sharedConfig = new SharedConfig({
    context: { leader, clock, log, database, change, dataFolder },
    defaults: () => ({
      leaderAddress: options.host,
      httpPort: options.httpPort || usualHttpPort,
      brokerPort: options.mqttPort || usualMqttPort,
    }),
    ...(options.probe ? { probe: options.probe } : {}),
  });
  const addresses = () => sharedConfig.view()['cluster.addresses'] ?? {};
  const fleet = new HttpFleet({
    wire,
    holds: clock,
    log,
    newId,
    addressOf: unitAddress({
      // The leader itself is where it listens, whatever the file says: another leader may have that address now.
      configured: (unit) => (unit === leader ? undefined : addressIn(addresses(), unit)),
      // Units give their address when they enrol, which is not built yet.
      enrolled: (unit) => (unit === leader ? options.ownUrl() : undefined),
      defaultPort: () => Number(sharedConfig.view().ui?.port ?? usualHttpPort),
    }),
  });
  const context: LeaderContext = { leader, clock, wire, log, database, change, tasks, fleet, dataFolder, newId };
  const deletion = new ExperimentDeletion(context);
  const models = new ModelCatalog({ builtIn: builtInModels, folder: join(dataFolder, 'models'), log });
  const api = serve(leaderApi, {
    ...experimentHandlers(context, deletion),
    ...assignmentHandlers(context),
    ...workerHandlers(context, { models, clusterAddresses: addresses }),
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
  return {
    api,
    notFound: (request) => page(request),
    parts: [broker, sharedConfig, fleet, live, announcements],
    partsAfterTasks: [deletion],
    broker,
  };
}
