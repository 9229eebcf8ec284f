import { join } from 'node:path';
import type { LeaderHealth } from '@lcs/contract';
import { type JobRuntime, keepRunning, type Plugins, TextReader } from '@lcs/node';
import type { NotFoundHook, Service, Stage } from '@lcs/platform';
import { type Alarms, createAlarms } from '../alarms/create-alarms.ts';
import { archiveHandlers } from '../archive/archive-handlers.ts';
import { republishAssignments } from '../assignments/republish-assignments.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import { createBackups } from '../backups/create-backups.ts';
import { restoreLog } from '../backups/log-restore.ts';
import { createCameras } from '../cameras/create-cameras.ts';
import { createCapsules } from '../capsules/create-capsules.ts';
import { allCharts } from '../charts/chart-handlers.ts';
import { ExperimentDeletion, type OnMarked } from '../experiments/experiment-deletion.ts';
import { createExports } from '../exports/create-exports.ts';
import { GrowthSummaries } from '../growth-summary/create-growth-summaries.ts';
import { FleetTasks } from '../jobs/fleet-tasks.ts';
import { RecentStops } from '../jobs/recent-stops.ts';
import { assignedUnits, latestReadings } from '../latest/latest-queries.ts';
import { TaskEvents } from '../live/task-events.ts';
import { LeaderMetrics } from '../metrics/leader-metrics.ts';
import { createImports } from '../moving-in/create-imports.ts';
import { createNotes, type NotesFeature } from '../notes/create-notes.ts';
import type { SummaryFacts } from '../other-leaders/other-leader-handlers.ts';
import { OtherLeaders } from '../other-leaders/other-leaders.ts';
import { createProfiles, type Profiles } from '../profiles/create-profiles.ts';
import { leaderDatabaseFile } from '../store/migrations.ts';
import { leaderHealth } from '../system/leader-health.ts';
import type { ContactOutputs } from '../units/contact-stage.ts';
import type { DocumentsOutputs } from '../units/documents-stage.ts';
import type { SessionsOutputs } from '../units/sessions-stage.ts';
import { streamingJob, streamingJobName } from '../units/streaming-job.ts';
import { pageFiles } from '../web-ui/web-ui-files.ts';
import type { CoreOutputs } from './core-stage.ts';
import type { FleetOutputs } from './fleet-stage.ts';
import type { LeaderRoleOptions } from './leader-role-options.ts';
import type { OwnNodeOutputs } from './own-node-stage.ts';
import type { StoreOutputs } from './store-stage.ts';

/** The jobs and plugins of the leader's own node. */
export interface NodeJobs {
  readonly runtime: JobRuntime;
  readonly plugins: Plugins;
}

/** All that comes before the features. */
export type LeaderBase = LeaderRoleOptions &
  CoreOutputs &
  SessionsOutputs &
  StoreOutputs &
  DocumentsOutputs &
  FleetOutputs &
  ContactOutputs &
  OwnNodeOutputs;

export interface FeaturesOutputs {
  readonly cameras: ReturnType<typeof createCameras>;
  readonly notes: NotesFeature;
  readonly alarms: Alarms;
  readonly deletion: ExperimentDeletion;
  readonly unitTasks: FleetTasks;
  readonly recentStops: RecentStops;
  readonly profiles: Profiles;
  readonly exports: ReturnType<typeof createExports>;
  readonly growth: GrowthSummaries;
  readonly archiveRoutes: ReturnType<typeof archiveHandlers>;
  readonly capsules: ReturnType<typeof createCapsules>;
  readonly imports: ReturnType<typeof createImports>;
  readonly backups: ReturnType<typeof createBackups>;
  readonly charts: ReturnType<typeof allCharts>;
  readonly health: () => Promise<LeaderHealth>;
  readonly metrics: LeaderMetrics;
  readonly summaryFacts: SummaryFacts;
  readonly otherLeaders: OtherLeaders;
  /** The files of the web UI. */
  readonly webUi: NotFoundHook;
  readonly servicesAfterTasks: readonly Service[];
  readonly servicesAfterHttp: readonly Service[];
}

/** Creates the features; they register their jobs, their part of the snapshot and their listeners. */
function createFeatures(inputs: LeaderBase & NodeJobs) {
  const { version, dataFolder, context, live, broker, config, models, runtime, plugins, snapshot } = inputs;
  const { desired, directory, unitJobs, followers, stored, diskSpace, alarmFacts, clusterJobs } = inputs;
  const cameras = createCameras(context);
  const notes = createNotes({ context, models, diskSpace, uploads: inputs.machine.uploads });
  notes.volumes.onChange(({ unit }) => desired.refresh([unit]));
  const alarms = createAlarms({
    context,
    live,
    diskSpace,
    facts: alarmFacts,
    units: directory,
    jobs: unitJobs,
    models,
    ...(inputs.checkDatabase && { checkDatabase: wholeCheck(inputs.checkDatabase, inputs.audit) }),
  });
  snapshot.add({ alarms: alarms.open });
  const onDeleted: OnMarked = async (...marked) => {
    await cameras.onDeleted(...marked);
    await notes.onDeleted(...marked);
  };
  const deletion = new ExperimentDeletion(context, stored, onDeleted, broker.clearRetained);
  const unitTasks = new FleetTasks(context);
  const recentStops = new RecentStops({ live, jobs: () => snapshot.now().jobs, clock: context.clock });
  snapshot.add({ stops: recentStops.list });
  const { entries } = clusterJobs;
  const profiles = createProfiles({
    context,
    broker,
    runtime,
    entries,
    recentStops,
    plugins: () => workingPlugins(plugins),
    onCommand: inputs.audit.recordRunCommand,
    onFailure: ({ unit, experimentUid, job, message }) =>
      alarmFacts.trigger({ rule: 'profile_action_failed', unit, experimentUid, detail: job, message }),
    random: inputs.random,
    rehearse: inputs.rehearse,
    models,
    config,
    facts: { diskSpace, bottles: () => alarmFacts.bottles(), jobs: unitJobs },
  });
  const place = inputs.storePlace ?? { path: join(dataFolder, leaderDatabaseFile) };
  const exports = createExports({
    context,
    version,
    config,
    usb: inputs.machine.usb,
    descriptors: inputs.descriptors,
    place,
    startDatasets: inputs.startDatasets,
  });
  const capsules = createCapsules({
    context,
    version,
    config,
    folder: exports.folder,
    place,
  });
  const archiveRoutes = archiveHandlers(context, inputs.archive);
  const imports = createImports({
    context,
    config,
    models,
    diskSpace,
    series: inputs.series,
    uploads: inputs.machine.uploads,
    profiles: profiles.files,
    texts: new TextReader(),
    place,
  });
  const growth = new GrowthSummaries({
    context,
    version,
    config,
    series: inputs.series,
    place,
  });
  const backups = createBackups({
    context,
    version,
    config,
    place: inputs.backupPlace,
    storeIsElsewhere: inputs.storePlace !== undefined && 'url' in inputs.storePlace,
    report: (problem) => alarms.reports.report('backup_failed', problem && `No backup was made: ${problem}`),
  });
  runtime.register([profiles.definition, backups.definition, streamingJob(followers)]);
  const charts = allCharts(context, inputs.sharedConfig, inputs.descriptors);
  const health = healthOf(inputs);
  const summaryFacts: SummaryFacts = {
    leader: context.leader,
    version,
    // A leader without a board is in the directory and is no unit.
    units: () => directory.all().filter(({ reactor_unit }) => inputs.hasUnitRole || reactor_unit !== context.leader),
    jobs: () => unitJobs.all(),
    alarms: alarms.open,
  };
  const otherLeaders = new OtherLeaders({ leaders: inputs.otherLeaders, clock: context.clock, wire: context.wire });
  const metrics = new LeaderMetrics({
    ...summaryFacts,
    units: () => directory.all(),
    assigned: async () => (await assignedUnits.execute(inputs.series.read)).rows,
    readings: async () => (await latestReadings.execute(inputs.series.read)).rows,
    health,
  });
  return {
    cameras,
    notes,
    alarms,
    deletion,
    unitTasks,
    recentStops,
    profiles,
    exports,
    growth,
    archiveRoutes,
    capsules,
    imports,
    backups,
    charts,
    health,
    metrics,
    summaryFacts,
    otherLeaders,
  };
}

/** The features of the leader besides the units, and the order in which all services for them start. */
export function featuresStage(inputs: LeaderBase & NodeJobs): Stage<FeaturesOutputs> {
  const { clock, log, live, runtime, fleet } = inputs;
  const features = createFeatures(inputs);
  const { cameras, notes, alarms, deletion, profiles, exports, growth, backups } = features;
  const webUi = webUiFiles(inputs.pageFolder);
  return {
    outputs: {
      ...features,
      webUi: webUi.answer,
      servicesAfterTasks: [restoreLog(inputs), deletion, backups.schedule],
      servicesAfterHttp: [
        portsInConfig(inputs),
        ...inputs.contactServicesAfterHttp,
        keepRunning(streamingJobName, runtime, log, clock),
        ...cameras.parts,
        ...profiles.partsAfterHttp,
        ...alarms.partsAfterHttp,
        features.otherLeaders,
      ],
    },
    services: [
      // Profiles start before the fleet: their end waits for the commands that the end of the fleet gives up.
      ...profiles.parts,
      ...notes.parts,
      ...exports.parts,
      ...growth.parts,
      fleet,
      live,
      inputs.calibrationCopies,
      inputs.sessionService,
      ...inputs.contactServices,
      ...inputs.documentServices,
      ...alarms.parts,
      webUi.service,
      features.recentStops,
      new TaskEvents({ tasks: inputs.tasks, live, wire: inputs.wire }),
      retainedAssignments(inputs),
    ],
  };
}

/** What the machine of the leader has left, at each call. */
function healthOf({ context, series, machine, broker, version, clock }: LeaderBase): () => Promise<LeaderHealth> {
  const startedAtMs = clock.now();
  const { host } = machine;
  return () => leaderHealth({ context, reads: series.read, host, broker, version, startedAtMs, nowMs: clock.now() });
}

/** Those that were loaded, with their versions. */
const workingPlugins = (plugins: Plugins) =>
  plugins
    .all()
    .flatMap(({ identity: { name, version }, fault }) =>
      fault === undefined && version !== null ? [{ name, version }] : [],
    );

/** The files of the web UI, read once, at the start. */
function webUiFiles(folder: string): { readonly answer: NotFoundHook; readonly service: Service } {
  let files: NotFoundHook = () => undefined;
  const service: Service = {
    name: 'page',
    start: async () => {
      files = await pageFiles(folder);
    },
    stop: async () => {},
  };
  return { answer: (request) => files(request), service };
}

/** Publishes once, at the start, which unit works on which experiment. */
const retainedAssignments = ({ broker, context }: LeaderBase): Service => ({
  name: 'retained assignments',
  start: () => republishAssignments(context, broker),
  stop: async () => {},
});

/** Writes the ports that are used into the shared configuration. */
const portsInConfig = ({ address, sharedConfig, broker }: LeaderBase): Service => ({
  name: 'ports in the configuration',
  start: () => {
    const { host, port, usesTls, isOfLeader = false } = broker.place ?? {};
    const { protocol, port: httpPort } = new URL(address.url);
    return sharedConfig.correctPorts({
      httpPort: Number(httpPort),
      httpUsesTls: protocol === 'https:',
      isBrokerLeader: isOfLeader && usesTls === true,
      ...(port !== undefined && { brokerPort: port }),
      ...(usesTls !== undefined && { brokerUsesTls: usesTls }),
      ...(host !== undefined && { brokerAddress: host }),
    });
  },
  stop: async () => {},
});

/** The check of the database, and of the chain of the audit. */
const wholeCheck =
  (checkDatabase: () => Promise<readonly string[]>, audit: AuditLog) => async (): Promise<readonly string[]> => [
    ...(await checkDatabase()),
    ...(await audit.faults(new AbortController().signal)),
  ];
