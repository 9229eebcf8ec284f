import { join } from 'node:path';
import { leaderApi } from '@lcs/contract';
import { builtInModels, initialBioreactorValues } from '@lcs/domain';
import {
  type Clock,
  type IniView,
  type JobDefinition,
  type JobRuntime,
  type Living,
  type Log,
  NodeDescriptors,
  type NotFoundHook,
  type PluginSources,
  type Plugins,
  type Probe,
  type ServedApi,
  serve,
  type TaskRunner,
  taskAnswer,
} from '@lcs/platform';
import { AlarmFacts } from './alarms/alarm-facts.ts';
import { type Alarms, createAlarms } from './alarms/create-alarms.ts';
import { actuationHandlers } from './api/actuations/actuation-handlers.ts';
import { assignmentHandlers } from './api/assignments/assignment-handlers.ts';
import { bioreactorHandlers } from './api/bioreactor/bioreactor-handlers.ts';
import { calibrationHandlers } from './api/calibrations/calibration-handlers.ts';
import { CalibrationMirror } from './api/calibrations/calibration-mirror.ts';
import { changeCalibrations } from './api/calibrations/calibration-tasks.ts';
import { createCameras } from './api/cameras/create-cameras.ts';
import { allCharts, chartHandlers } from './api/charts/chart-handlers.ts';
import { type ConfigFeature, createConfig } from './api/config/create-config.ts';
import { SharedConfig } from './api/config/shared-config.ts';
import { leaderDescriptorHandlers } from './api/descriptors/descriptor-handlers.ts';
import { ExperimentDeletion } from './api/experiments/experiment-deletion.ts';
import { experimentHandlers } from './api/experiments/experiment-handlers.ts';
import { interruptionHandlers } from './api/interruptions/interruption-handlers.ts';
import { fleetTasks } from './api/jobs/fleet-tasks.ts';
import { jobHandlers } from './api/jobs/job-handlers.ts';
import { logHandlers } from './api/logs/log-handlers.ts';
import { mcpHandlers } from './api/mcp/mcp-handlers.ts';
import { mediaHandlers } from './api/media/media-handlers.ts';
import { createNotes, type NotesFeature } from './api/notes/create-notes.ts';
import { createLeaderPlugins } from './api/plugins/create-leader-plugins.ts';
import { replicateGroupHandlers } from './api/replicate-groups/replicate-group-handlers.ts';
import { createLeaderSystem, type LeaderMachine } from './api/system/create-leader-system.ts';
import { leaderSystemHandlers } from './api/system-handlers.ts';
import { timeSeriesHandlers } from './api/time-series/time-series-handlers.ts';
import { unitReadHandlers } from './api/unit-reads/unit-read-handlers.ts';
import { unitHandlers } from './api/units/unit-handlers.ts';
import { ModelCatalog } from './api/workers/model-catalog.ts';
import { workerHandlers } from './api/workers/worker-handlers.ts';
import type { BackupPlace } from './backups/backup-settings.ts';
import { createBackups } from './backups/create-backups.ts';
import type { BrokerSettings } from './broker/broker-settings.ts';
import { createLeaderBroker, type LeaderBroker } from './broker/leader-broker.ts';
import { republishAssignments } from './broker/republish-assignments.ts';
import { createChangeRunner } from './change.ts';
import { createDerivations } from './derived/create-derivations.ts';
import { createExports } from './export/create-exports.ts';
import { HttpFleet } from './fleet/http-fleet.ts';
import { type HistoryPort, historyPort } from './history/past-experiment.ts';
import { FeedIngest } from './ingest/feed-ingest.ts';
import type { LeaderContext, LeaderDatabase } from './leader-context.ts';
import { LiveHub } from './live/live-hub.ts';
import { snapshotSource } from './live/snapshot.ts';
import { pageFiles } from './page/page-files.ts';
import { createProfiles, type Profiles } from './profiles/create-profiles.ts';
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
  readonly backupPlace: BackupPlace;
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
  /** Its own machine, as far as other parts of the leader use it. */
  readonly machine: LeaderMachine;
  /** Numbers from 0 to 1. */
  readonly random: () => number;
  /** Reads the whole database; resolves to what is wrong with it. */
  readonly checkDatabase?: () => Promise<readonly string[]>;
  /** The jobs of this node; asked only while it is up. */
  readonly jobs: () => JobRuntime;
  /** The plugins of this node; asked only while it is up. */
  readonly plugins: () => Plugins;
  /** Where files of plugins may come from. */
  readonly pluginSources: PluginSources;
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
      {
        ...{ leader, clock, database, tasks, alarms: () => alarms.open() },
        ...{ units: () => units.registry.all(), jobs: () => units.jobs.all() },
      },
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
  const alarmFacts = new AlarmFacts(clock);
  const calibrationMirror = new CalibrationMirror({ database, fleet, wire, clock, log });
  const models = new ModelCatalog({ builtIn: builtInModels, folder: join(dataFolder, 'models'), log });
  const units: Units = createUnits({
    ...{ leader, leaderId: options.leaderId, version, clock, wire, log, database, change, live, mqtt: broker },
    ...{ models, sharedConfig, newId, ownUrl: options.ownUrl, random: options.random },
    ingest: alarmFacts.over(calibrationMirror.over(feed)),
    onAnswer: (unit, answer) => alarmFacts.heard(unit, answer),
    onDocument: (unit) => config.unitChanged(unit),
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
  const cameras = createCameras(context);
  const deletion = new ExperimentDeletion(context, stored, cameras.onDeleted);
  const unitTasks = fleetTasks(context);
  const profiles = createProfiles({
    ...{ context, live, broker, jobs: units.jobs, runtime: options.jobs },
    plugins: () =>
      options
        .plugins()
        .all()
        .flatMap(({ identity: { name, version }, error }) =>
          error === undefined && version !== null ? [{ name, version }] : [],
        ),
  });
  const config: ConfigFeature = createConfig(context, sharedConfig);
  const notes = createNotes(context);
  notes.volumes.onChange(({ unit }) => units.desired.refresh([unit]));
  const descriptors = new NodeDescriptors({
    ...{ dataFolder, log },
    initialValues: () => initialBioreactorValues(sharedConfig.view().bioreactor),
  });
  const exports = createExports({
    ...{ context, version },
    databasePath: join(dataFolder, leaderDatabaseFile),
    config: () => sharedConfig.view(),
    usb: options.machine.usb,
  });
  const alarms: Alarms = createAlarms({
    ...{ context, live, room, facts: alarmFacts, units: units.registry, jobs: units.jobs },
    ...(options.checkDatabase && { checkDatabase: options.checkDatabase }),
  });
  const backups = createBackups({
    ...{ context, version, place: options.backupPlace },
    config: () => sharedConfig.view(),
    report: (problem) => alarms.reports.report('backup_failed', problem && `No backup was made: ${problem}`),
  });
  const charts = allCharts(sharedConfig, descriptors);
  const api = serve(leaderApi, {
    ...experimentHandlers(context, deletion),
    ...replicateGroupHandlers(context),
    ...notes.handlers,
    ...assignmentHandlers(context),
    ...workerHandlers(context, {
      ...{ models, clusterAddresses: addresses },
      defaultPort: () => Number(sharedConfig.view().ui?.port ?? usualHttpPort),
    }),
    ...unitHandlers(context, units),
    ...timeSeriesHandlers(context, series.answers),
    ...createDerivations({ context, series, data: stored, config: () => sharedConfig.view() }).handlers,
    ...jobHandlers(context, unitTasks),
    ...unitReadHandlers(context, unitTasks),
    ...calibrationHandlers(context, unitTasks, changeCalibrations(context)),
    ...cameras.handlers,
    ...bioreactorHandlers(context, unitTasks),
    ...logHandlers(context, series.read),
    ...actuationHandlers(context, series.read),
    ...interruptionHandlers(context, series.read),
    ...chartHandlers(context, charts),
    ...leaderDescriptorHandlers(context, { descriptors, charts, furtherProblems: exports.problems }),
    ...config.handlers,
    ...profiles.handlers,
    ...exports.handlers,
    ...mediaHandlers(context, series.read),
    ...createLeaderPlugins(context, {
      ...{ config: () => sharedConfig.view(), sources: options.pluginSources },
      ...{ plugins: options.plugins, unitTasks },
    }).handlers,
    ...backups.handlers,
    ...alarms.handlers,
    ...leaderSystemHandlers(version, live),
    ...createLeaderSystem({
      ...{ context, unitTasks, version, machine: options.machine },
      page: (request) => page(request),
    }),
    ...mcpHandlers({
      ...{ version, wire, ownUrl: options.ownUrl, query: exports.query },
      config: () => sharedConfig.view(),
    }),
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
    parts: [
      room,
      series.readers,
      ...broker.parts,
      sharedConfig,
      ...config.parts,
      ...profiles.parts,
      ...exports.parts,
      fleet,
      live,
      calibrationMirror,
      ...units.parts,
      ...alarms.parts,
      announcements,
    ],
    partsAfterTasks: [deletion, backups.schedule],
    partsAfterHttp: [
      ports,
      ...units.partsAfterHttp,
      ...cameras.parts,
      ...profiles.partsAfterHttp,
      ...alarms.partsAfterHttp,
    ],
    broker,
    history: historyPort(context, series.ingest),
    ownJobs: { definitions: [profiles.definition, backups.definition], outlet: profiles.outlet },
    configHandlers: config.nodeHandlers,
    volumeNotes: notes.volumes,
    descriptors,
    config: () => sharedConfig.view(),
  };
}
