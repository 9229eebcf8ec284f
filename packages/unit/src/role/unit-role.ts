import { join } from 'node:path';
import { ApiError, clusterExperiment } from '@lcs/contract';
import { initialBioreactorValues } from '@lcs/domain';
import {
  createNodePlugins,
  descriptorHandlers,
  EndedJobsFile,
  type JobEvent,
  type JobOrigin,
  JobRuntime,
  keepRunning,
  type Living,
  monitorDefinition,
  NodeDescriptors,
  noSources,
  setTopicFilters,
} from '@lcs/platform';
import { bioreactorHandlers } from '../bioreactor/bioreactor-handlers.ts';
import { BioreactorState } from '../bioreactor/bioreactor-state.ts';
import { followedNotes } from '../bioreactor/followed-notes.ts';
import { recallRuns } from '../bioreactor/recall-runs.ts';
import { changeEvent, changeNote } from '../calibrations/change-note.ts';
import { type Calibrations, createCalibrations } from '../calibrations/create-calibrations.ts';
import { createCamera } from '../camera/create-camera.ts';
import { unitConfigHandlers } from '../config/config-handlers.ts';
import { UnitConfig } from '../config/unit-config.ts';
import { afterDesired } from '../desired/after-desired.ts';
import { LeaderBond } from '../enrolment/leader-bond.ts';
import { HardwareSurvey, reactorModel } from '../hardware/hardware-survey.ts';
import { JobHardware } from '../hardware/job-hardware.ts';
import { biomassSignals } from '../jobs/dosing-automation/biomass-signals.ts';
import { createUnitDevices, type UnitDevices } from '../jobs/unit-devices.ts';
import { unitJobs } from '../jobs/unit-jobs.ts';
import { experimentTopics } from '../mirror/experiment-topics.ts';
import { hardwareHandlers } from '../node-routes/hardware-handlers.ts';
import { leaderHandlers } from '../node-routes/leader-handlers.ts';
import { unitLog } from '../outbox/unit-note.ts';
import { StatusLight } from '../status-light/status-light.ts';
import {
  blinkTopics,
  codeTopics,
  codeWish,
  isBlinkWish,
  statusLightHandlers,
} from '../status-light/status-light-handlers.ts';
import { brokerUrl } from './broker-url.ts';
import { DurableJobMemory } from './durable-job-memory.ts';
import { nodeOutlet } from './node-outlet.ts';
import { NodeRun } from './node-run.ts';
import { ownJobs } from './own-jobs.ts';
import { createUnitLeadership, type UnitLeadership } from './unit-leadership.ts';
import { createUnitOutputs, type UnitOutputs } from './unit-outputs.ts';
import { createUnitRecords } from './unit-records.ts';
import type { UnitRole, UnitRoleOptions } from './unit-role-options.ts';

const living = (name: string, stop: () => Promise<void> | void): Living => ({
  name,
  start: async () => {},
  stop: async () => {
    await stop();
  },
});

/** Builds the unit role of a node. */
export function createUnitRole(options: UnitRoleOptions): UnitRole {
  const { unit, dataFolder, database, tasks, board, wire, log, newId, leading } = options;
  const leadingJobs = new Set(leading?.definitions.map(({ name }) => name));
  const probe = options.probe === undefined ? {} : { probe: options.probe };
  const config = new UnitConfig({
    folder: leading?.configFolder ?? dataFolder,
    log,
    ...probe,
    onChange: () => wiring.follow(),
  });
  const records = createUnitRecords(options, {
    config: () => config.view(),
    onEpoch: () => enrolment.changed(),
  });
  const { time, clock, outbox, note, mqtt, mirror, outlet } = records;
  const bond = new LeaderBond({ folder: dataFolder, log, ...probe });
  const { outputs, guardNews, wiring, giveLimits }: UnitOutputs = createUnitOutputs(options, records, {
    config: () => config.view(),
    runtime: () => runtime,
    model: () => keeper.model(),
    limitsOf: (model) => calibrations.guardLimits(model),
  });
  const memory = new DurableJobMemory({ database, clock, log });
  const { buses, layout } = board;
  const calibrations: Calibrations = createCalibrations({
    ...{ unit, dataFolder, database, clock, newId, log, ...probe },
    wiring: () => wiring.wiring,
    config: () => config.view(),
    model: () => keeper.model(),
    experiment: () => keeper.facts().experiment?.name,
    runtime: () => runtime,
    devices: () => devices,
    ledger: () => bioreactor,
    tell: (job, event) => tellEvent(job, event),
    onChange: (change) => {
      note(changeNote(change));
      // For clients of MQTT; it is on disk by now.
      mirror.event({ experiment: clusterExperiment }, changeEvent(change), time.now());
    },
    say: (level, message) => note(unitLog(level, 'stirring_calibration', message, keeper.facts().experiment?.uid)),
    warn: (message) => note(unitLog('WARNING', 'calibrations', message, keeper.facts().experiment?.uid)),
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
    isSimulated: board.isSimulated,
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
  const jobs = [...unitJobs(devices), ...calibrations.jobs, ...camera.jobs, ...(leading?.definitions ?? [])];
  const runtime: JobRuntime = new JobRuntime({
    unit,
    definitions: jobs,
    database: options.nodeDatabase,
    clock,
    wire,
    log,
    outlet: leading === undefined ? outlet : nodeOutlet(outlet, leading),
    actuators: outputs,
    completeEvent: (event) => bioreactor.enterDose(event),
    endedJobs: new EndedJobsFile(join(dataFolder, 'storage', 'ended-jobs'), log),
    facts: () => keeper.facts(),
    config: () => config.view(),
  });
  const plugins = createNodePlugins({
    ...{
      unit,
      dataFolder,
      isLeader: leading !== undefined,
      version: options.version,
      wire,
      holds: options.clock,
      log,
      tasks,
    },
    ...{ own: jobs, optical: devices.opticalReadings, config: () => config.view(), sources: noSources },
    ...options.plugins,
    runtime: () => runtime,
  });
  mqtt.subscribe(setTopicFilters(unit), (topic, payload, isRetained) => {
    mirror.jobs
      .take(runtime, topic, payload, isRetained)
      .catch((error: unknown) => log.error('A wish of an outside client failed', { topic, error }));
  });
  const { keeper, enrolment, feed, resumption }: UnitLeadership = createUnitLeadership(options, records, {
    ...{ config, bond, jobs: ownJobs(runtime, leadingJobs) },
    onModel: (model) => {
      survey.modelChanges();
      return board.actuators.setLimits(model === null ? null : calibrations.guardLimits(model));
    },
  });
  const bioreactor: BioreactorState = new BioreactorState({
    ...{ unit, database, mqtt, log, event: tellEvent, now: () => clock.now() },
    config: () => config.view(),
    model: () => keeper.model(),
    current: () => keeper.facts().experiment,
    isLed: () => keeper.heartbeat().desired_version > 0,
    append: (record) => void outbox.append(record),
    reading: (reading) => runtime.topics.readings.publish(reading.source, reading),
    onLastHour: (stretches) => recallRuns(board.actuators, stretches, { nowMs: clock.now(), log }),
  });
  const descriptors = new NodeDescriptors({
    ...{ dataFolder, log },
    initialValues: () => initialBioreactorValues(config.view().bioreactor),
  });
  const light: StatusLight = new StatusLight({ gpio: buses.gpio, line: layout.statusLightLine, clock, log });
  mqtt.subscribe(blinkTopics(unit), (_topic, payload, isRetained) => {
    if (isBlinkWish(payload, isRetained)) light.blink();
  });
  mqtt.subscribe(codeTopics(unit), (topic, payload, isRetained) => {
    const code = codeWish(payload, isRetained);
    if (code !== undefined) light.showCode(code);
    else if (!isRetained) log.warn('A message asks for a code that the status light has not', { topic, payload });
  });
  return {
    runtime,
    memory,
    plugins,
    jobs,
    clock,
    handlers: {
      ...bioreactorHandlers(bioreactor, () =>
        biomassSignals({ topics: runtime.topics, clock, config: config.view() }, { calibrationOf, fusionOf }),
      ),
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
    afterDesired: (served) => afterDesired(served, keeper),
    clockSet: (utcMs) => time.setByPerson(utcMs),
    leader: () => bond.current?.leader ?? '',
    mayStart: async (job, automation, said, isSafer) => {
      if (leadingJobs.has(job)) return;
      if (!isSafer && !outbox.canAccept().accepts) throw new ApiError('storage_full', {});
      await hardware.mustHave(job, automation, said);
    },
    unavailable: (job, automation) => hardware.missing(job, automation),
    parts: [
      time,
      config,
      bond,
      outbox,
      // Before anything that records, so that its last word is the last.
      new NodeRun({ outbox, time, version: options.version, log }),
      mqtt,
      memory,
      ...calibrations.parts,
      outlet,
      survey,
      wiring,
      guardNews,
      plugins.plugins,
      runtime,
      keeper,
      bioreactor,
      followedNotes(keeper, bioreactor, log),
      experimentTopics({
        ...{ unit, mqtt },
        current: () => keeper.facts().experiment,
        running: () => runtime.running().map(({ origin }) => origin.experiment),
        onChange: (listener) => keeper.onChange(listener),
        onCleared: (experiment) => mirror.outputs.cleared(experiment),
        onJoined: (experiment) => bioreactor.showAll(experiment),
      }),
      ...camera.parts,
      light,
    ],
    partsAfterHttp: [
      feed,
      ...camera.partsAfterTasks,
      // Before the server stops, so that outputs are off and jobs have ended while it still waits for its requests.
      living('running jobs', () => runtime.stop()),
      keepRunning(monitorDefinition.name, runtime, log, clock),
      enrolment,
      resumption,
    ],
  };
}
