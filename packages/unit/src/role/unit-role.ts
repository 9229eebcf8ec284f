import { statfs } from 'node:fs/promises';
import {
  ApiError,
  type bioreactorRoutes,
  type blinkRoutes,
  type Handlers,
  type hardwareRoutes,
  type nodeDescriptorRoutes,
  type pluginRoutes,
  type unitCalibrationRoutes,
  type unitCameraRoutes,
  type unitConfigRoutes,
  type unitFeedRoutes,
} from '@lcs/contract';
import { initialBioreactorValues } from '@lcs/domain';
import type { GuardNews, UnitBoard } from '@lcs/hardware';
import {
  type Cancel,
  type Clock,
  createNodePlugins,
  type Database,
  descriptorHandlers,
  type Identity,
  type JobDefinition,
  type JobEvent,
  type JobOrigin,
  JobRuntime,
  type Living,
  type Log,
  MqttConnection,
  NodeDescriptors,
  type NodePluginsOptions,
  noSources,
  type Probe,
  setTopicFilters,
  type TaskRunner,
} from '@lcs/platform';
import { bioreactorHandlers } from '../bioreactor/bioreactor-handlers.ts';
import { BioreactorState } from '../bioreactor/bioreactor-state.ts';
import { followedNotes } from '../bioreactor/followed-notes.ts';
import { recallRuns } from '../bioreactor/recall-runs.ts';
import { changeNote } from '../calibrations/change-note.ts';
import { type Calibrations, createCalibrations } from '../calibrations/create-calibrations.ts';
import type { Camera } from '../camera/camera.ts';
import { createCamera } from '../camera/create-camera.ts';
import { unitConfigHandlers } from '../config/config-handlers.ts';
import { UnitConfig } from '../config/unit-config.ts';
import { DesiredKeeper } from '../desired/desired-keeper.ts';
import { SqlDesiredStore } from '../desired/sql-desired-store.ts';
import { httpEnrolCall } from '../enrolment/enrol-call.ts';
import { Enrolment } from '../enrolment/enrolment.ts';
import { LeaderBond } from '../enrolment/leader-bond.ts';
import { FeedHandler } from '../feed/feed-handler.ts';
import { HardwareSurvey, reactorModel } from '../hardware/hardware-survey.ts';
import { JobHardware } from '../hardware/job-hardware.ts';
import type { JobMemory } from '../jobs/shared/job-memory.ts';
import { createUnitDevices, type UnitDevices } from '../jobs/unit-devices.ts';
import { unitJobs } from '../jobs/unit-jobs.ts';
import { UnitMirror } from '../mirror/unit-mirror.ts';
import { hardwareHandlers } from '../node-routes/hardware-handlers.ts';
import { leaderHandlers } from '../node-routes/leader-handlers.ts';
import { configuredLimits } from '../outbox/configured-limits.ts';
import type { NewNote } from '../outbox/new-record.ts';
import { Outbox } from '../outbox/outbox.ts';
import type { OutboxTables } from '../outbox/outbox-tables.ts';
import { unitLog } from '../outbox/unit-note.ts';
import { OutboxOutlet } from '../outlet/outbox-outlet.ts';
import { Resumption } from '../resume/resumption.ts';
import { StatusLight } from '../status-light/status-light.ts';
import { blinkTopics, isBlinkWish, statusLightHandlers } from '../status-light/status-light-handlers.ts';
import { UnitTime } from '../time/unit-time.ts';
import { brokerUrl } from './broker-url.ts';
import { DurableJobMemory } from './durable-job-memory.ts';
import { guardNote } from './guard-note.ts';
import { GuardedOutputs } from './guarded-outputs.ts';
import { jobInHeartbeat } from './job-in-heartbeat.ts';
import { monitorAlways } from './monitor-always.ts';
import { OutputWiring } from './output-wiring.ts';
import { unitClock } from './unit-clock.ts';
import type { UnitDatabase } from './unit-database.ts';

export interface UnitRoleOptions {
  readonly unit: string;
  readonly version: string;
  readonly identity: Identity;
  readonly dataFolder: string;
  /** Base URL of the leader; asked at each attempt to enrol. */
  readonly leaderUrl: () => URL;
  /** Takes its name over from another machine that has it. */
  readonly replace?: boolean;
  /** Where this node is reached; asked while it is up. */
  readonly address: () => { readonly baseUrl: string | null; readonly port: number };
  /** Open, with `unitMigrations`. */
  readonly database: UnitDatabase;
  /** Open, with `outboxMigrations`. */
  readonly outboxDatabase: Database<OutboxTables>;
  /** Not started yet: the kinds of the unit's tasks are registered here. */
  readonly tasks: TaskRunner;
  readonly board: UnitBoard;
  /** Default: one that draws for a simulated board, else a program of the operating system. */
  readonly camera?: Camera;
  readonly clock: Clock;
  readonly wire: Clock;
  readonly log: Log;
  readonly newId: () => string;
  /** From 0 to 1. */
  readonly random: () => number;
  /** Whether the host's clock is kept by NTP. */
  readonly hostSynced: () => boolean;
  /** Instead of the broker of the configuration. */
  readonly mqttUrl?: () => string | undefined;
  /** Switches the computer off; false where this program may not. Default: it may not. */
  readonly powerOff?: () => Promise<boolean>;
  readonly probe?: Probe;
  /** Where files of plugins come from, what installs packages, what their processes may take. */
  readonly plugins?: Partial<Pick<NodePluginsOptions, 'sources' | 'tool' | 'limits'>>;
}

/** The unit role of a node: what it serves, and the parts that live. */
export interface UnitRole {
  readonly runtime: JobRuntime;
  /** What jobs keep between runs. */
  readonly memory: JobMemory;
  readonly jobs: readonly JobDefinition[];
  /** The unit's time. */
  readonly clock: Clock;
  readonly handlers: Handlers<typeof unitFeedRoutes> &
    Handlers<typeof hardwareRoutes> &
    Handlers<typeof bioreactorRoutes> &
    Handlers<typeof blinkRoutes> &
    Handlers<typeof nodeDescriptorRoutes> &
    Handlers<typeof pluginRoutes> &
    Handlers<typeof unitCalibrationRoutes> &
    Handlers<typeof unitCameraRoutes> &
    Handlers<typeof unitConfigRoutes>;
  /** Name of the unit's leader; empty before it has joined. */
  readonly leader: () => string;
  /** @throws ApiError when this job may not be started: it could not be remembered, or a part that it needs is missing */
  readonly mayStart: (job: string, automation: string | undefined) => Promise<void>;
  /** What a job misses of the board, in a sentence; undefined: nothing. */
  readonly unavailable: (job: string, automation: string | undefined) => string | undefined;
  /** After the databases, before the tasks, in this order. */
  readonly parts: readonly Living[];
  /** After HTTP. */
  readonly partsAfterHttp: readonly Living[];
}

const living = (name: string, stop: () => Promise<void> | void): Living => ({
  name,
  start: async () => {},
  stop: async () => {
    await stop();
  },
});

/** Listens while jobs may run: what the guard says at the end of the node is no news. */
function followGuard({ onNews }: UnitBoard, take: (news: GuardNews) => void): Living {
  let cancel: Cancel = () => {};
  return {
    name: 'news of the guard',
    start: async () => {
      cancel = onNews(take);
    },
    stop: async () => cancel(),
  };
}

/** Builds the unit role of a node. */
export function createUnitRole(options: UnitRoleOptions): UnitRole {
  const { unit, identity, dataFolder, database, tasks, board, wire, log, newId } = options;
  const probe = options.probe === undefined ? {} : { probe: options.probe };
  const time = new UnitTime({ clock: options.clock, boot: identity.boot, hostSynced: options.hostSynced });
  const clock = unitClock(options.clock, time);
  const outbox = new Outbox({
    database: options.outboxDatabase,
    time,
    clock,
    wire,
    log,
    newId,
    freeBytes: async () => {
      const { bavail, bsize } = await statfs(dataFolder);
      return bavail * bsize;
    },
    configured: () => configuredLimits(config.view()),
    ...probe,
    onEpoch: () => enrolment.changed(),
  });
  const note = (record: NewNote): void => {
    outbox.append(record);
  };
  const config = new UnitConfig({ folder: dataFolder, log, ...probe, onChange: () => wiring.follow() });
  const bond = new LeaderBond({ folder: dataFolder, log, ...probe });
  const mqtt = new MqttConnection({
    url: options.mqttUrl ?? (() => brokerUrl(config.view())),
    clientId: `reactor-${unit}`,
    will: { topic: `reactor/${unit}/$experiment/monitor/$state`, payload: 'lost' },
    wire,
    log,
  });
  const mirror = new UnitMirror({
    unit,
    mqtt,
    clock: wire,
    log,
    onRefused: (job, message) => outlet.log(job, 'ERROR', message),
  });
  const outlet: OutboxOutlet = new OutboxOutlet({ outbox, time, mirror, log, isSimulated: board.isSimulated });
  const outputs = new GuardedOutputs({
    actuators: board.actuators,
    wire,
    display: mirror.outputs,
    onInterrupted: (job) => outlet.log(job, 'WARNING', 'Its outputs were off for a moment: the guard was lost.'),
    onLost: (jobId, error) => runtime.fail(jobId, error),
  });
  const guardNews = followGuard(board, (news) => {
    const record = guardNote(news);
    if (record !== undefined) note(record);
    outputs.take(news);
  });
  const memory = new DurableJobMemory({ database, clock, log });
  const { buses, layout } = board;
  const giveLimits = (): void => {
    const model = keeper.model();
    if (model === undefined) return;
    board.actuators
      .setLimits(calibrations.guardLimits(model))
      .catch((error: unknown) => log.warn('The guard gets its new limits when it is back', { error: String(error) }));
  };
  const wiring: OutputWiring = new OutputWiring({
    ...{ config: () => config.view(), usual: board.wiring, log },
    tell: (wanted) => board.actuators.setWiring(wanted),
    onChange: giveLimits,
    onClash: (message) => note(unitLog('ERROR', 'wiring', message)),
  });
  const calibrations: Calibrations = createCalibrations({
    ...{ unit, dataFolder, database, clock, newId, log, ...probe },
    wiring: () => wiring.wiring,
    config: () => config.view(),
    model: () => keeper.model(),
    experiment: () => keeper.facts().experiment?.name,
    runtime: () => runtime,
    devices: () => devices,
    onChange: (change) => note(changeNote(change)),
    onLimits: giveLimits,
  });
  const { calibrationOf, fusionOf, pumpCalibrationOf } = calibrations;
  /** Jobs on the bus hear it too; one that is ending may still say what it has moved. */
  const tellEvent = (job: JobOrigin, event: JobEvent): void => {
    outlet.event(job, event);
    runtime.topics.events.publish(event.name, event);
  };
  const survey: HardwareSurvey = new HardwareSurvey({
    ...{ buses, clock, log, model: () => reactorModel(keeper.model()) },
    layoutFor: (model) => board.layoutFor(model),
    say: (level, message) => note(unitLog(level, 'hardware', message)),
  });
  const hardware = new JobHardware(survey, () => config.view());
  const brokerIsWanted = () => (options.mqttUrl?.() ?? brokerUrl(config.view())) !== undefined;
  const devices: UnitDevices = createUnitDevices({
    calibrationOf,
    fusionOf,
    buses,
    layout,
    photodiodes: () => survey.photodiodes,
    clock,
    dataFolder,
    appVersion: options.version,
    memory,
    ownModel: () => keeper.model(),
    showTrouble: (code) => light.showCode(code),
    brokerReached: () => (brokerIsWanted() ? mqtt.isConnected : undefined),
    ...(options.powerOff && { powerOff: options.powerOff }),
    ...(!board.isSimulated && {
      button: { gpio: buses.gpio, line: layout.buttonLine, light: (isOn: boolean) => light.hold(isOn) },
    }),
    pumping: { ledger: () => bioreactor, calibrationOf: pumpCalibrationOf, event: tellEvent },
    tell: tellEvent,
    showControl: mirror.control,
    setVial: (experiment, values) => bioreactor.set(experiment, values),
  });
  const camera = createCamera({
    ...{ unit, dataFolder, database, tasks, board, clock, mqtt, note, newId, log },
    ...(options.camera && { camera: options.camera }),
    config: () => config.view(),
    facts: () => keeper.facts(),
    runtime: () => runtime,
    light: () => devices.infraredLight,
    hasRoom: () => outbox.canAccept().accepts,
  });
  const jobs = [...unitJobs(devices), ...calibrations.jobs, ...camera.jobs];
  const runtime: JobRuntime = new JobRuntime({
    unit,
    definitions: jobs,
    database,
    clock,
    wire,
    log,
    outlet,
    actuators: outputs,
    facts: () => keeper.facts(),
    config: () => config.view(),
  });
  const plugins = createNodePlugins({
    ...{ unit, dataFolder, isLeader: false, version: options.version, wire, holds: options.clock, log, tasks },
    ...{ own: jobs, optical: devices.opticalReadings, config: () => config.view(), sources: noSources },
    ...options.plugins,
    runtime: () => runtime,
  });
  mqtt.subscribe(setTopicFilters(unit), (topic, payload, isRetained) => {
    mirror.jobs
      .take(runtime, topic, payload, isRetained)
      .catch((error: unknown) => log.error('A wish of an outside client failed', { topic, error }));
  });
  const keeper: DesiredKeeper = new DesiredKeeper({
    unit,
    store: new SqlDesiredStore(database),
    bond,
    config,
    jobs: runtime,
    model: (model) => {
      survey.modelChanges();
      return board.actuators.setLimits(model === null ? null : calibrations.guardLimits(model));
    },
    note,
    now: () => clock.now(),
    wire,
    log,
    hearLeader: (leaderTimeMs) => time.hearLeader(leaderTimeMs),
    isDrained: () => outbox.acked >= outbox.head,
    ...probe,
  });
  const bioreactor: BioreactorState = new BioreactorState({
    ...{ unit, database, mqtt, log, event: tellEvent, now: () => clock.now() },
    config: () => config.view(),
    model: () => keeper.model(),
    current: () => keeper.facts().experiment,
    append: (record) => void outbox.append(record),
    reading: (reading) => runtime.topics.readings.publish(reading.source, reading),
    onLastHour: (stretches) => recallRuns(board.actuators, stretches, { nowMs: clock.now(), log }),
  });
  const dosesOfOthers = living(
    'doses of plugins',
    runtime.topics.events.listen((event) => bioreactor.hear(event)),
  );
  const descriptors = new NodeDescriptors({
    ...{ dataFolder, log },
    initialValues: () => initialBioreactorValues(config.view().bioreactor),
  });
  const light: StatusLight = new StatusLight({ gpio: buses.gpio, line: layout.statusLightLine, clock, log });
  mqtt.subscribe(blinkTopics(unit), (_topic, payload, isRetained) => {
    if (isBlinkWish(payload, isRetained)) light.blink();
  });
  const enrolment: Enrolment = new Enrolment({
    unit,
    machineId: identity.id,
    appVersion: options.version,
    boot: identity.boot,
    epoch: () => outbox.epoch,
    address: options.address,
    bond,
    call: httpEnrolCall(options.leaderUrl),
    ...(options.replace && { replace: true }),
    wire,
    log,
    random: options.random,
    note,
    hearLeader: (leaderTimeMs) => time.hearLeader(leaderTimeMs),
    onReplaced: () => keeper.release(),
  });
  const feed = new FeedHandler({
    unit,
    outbox,
    time,
    wire,
    leaderId: () => keeper.leaderId(),
    heartbeat: () => ({ ...keeper.heartbeat(), jobs: runtime.running().map(jobInHeartbeat) }),
    onLeader: () => enrolment.heard(),
    ...probe,
  });
  const resumption = new Resumption({ runtime, keeper, config, wire, log, note });
  return {
    runtime,
    memory,
    jobs,
    clock,
    handlers: {
      ...bioreactorHandlers(bioreactor),
      ...calibrations.handlers,
      ...camera.handlers,
      ...descriptorHandlers(descriptors),
      ...plugins.handlers,
      ...unitConfigHandlers({
        ...{ unit, config },
        memberOf: () => (keeper.standing()?.isMember ? bond.current?.leader : undefined),
      }),
      ...statusLightHandlers(light),
      ...leaderHandlers({ feed, keeper, enrolment, bond, wire }),
      ...hardwareHandlers({
        unit,
        tasks,
        buses,
        layoutFor: (model) => board.layoutFor(model),
        isModel: (name, version) => devices.modelOf(name, version) !== undefined,
      }),
    },
    leader: () => bond.current?.leader ?? '',
    mayStart: async (job, automation) => {
      if (!outbox.canAccept().accepts) throw new ApiError('storage_full', {});
      await hardware.mustHave(job, automation);
    },
    unavailable: (job, automation) => hardware.missing(job, automation),
    parts: [
      time,
      config,
      bond,
      outbox,
      mqtt,
      memory,
      ...calibrations.parts,
      outlet,
      ...board.parts,
      survey,
      wiring,
      guardNews,
      plugins.plugins,
      runtime,
      keeper,
      bioreactor,
      dosesOfOthers,
      followedNotes(keeper, bioreactor, log),
      ...camera.parts,
      light,
    ],
    partsAfterHttp: [
      feed,
      ...camera.partsAfterTasks,
      // Before the server stops, so that outputs are off and jobs have ended while it still waits for its requests.
      living('running jobs', () => runtime.stop()),
      monitorAlways(runtime, log, clock),
      enrolment,
      resumption,
    ],
  };
}
