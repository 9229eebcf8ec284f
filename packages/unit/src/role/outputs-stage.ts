import type { Model } from '@lcs/contract';
import { pumpDevices } from '@lcs/domain';
import type { GuardEvent, GuardLimits, UnitBoard } from '@lcs/hardware';
import type { Cancel, Service, Stage } from '@lcs/platform';
import { guardLimits } from '../calibrations/pump-limits.ts';
import { HardwareSurvey, reactorModel } from '../hardware/hardware-survey.ts';
import { JobHardware } from '../hardware/job-hardware.ts';
import { unitLog } from '../outbox/unit-note.ts';
import { StatusLight } from '../status-light/status-light.ts';
import { blinkTopics, codeTopics, errorCodeOf, isBlinkRequest } from '../status-light/status-light-handlers.ts';
import type { BrokerOutputs } from './broker-stage.ts';
import { guardNote } from './guard-note.ts';
import { GuardedOutputs } from './guarded-outputs.ts';
import { OutputWiring } from './output-wiring.ts';
import type { RecordsOutputs } from './records-stage.ts';
import type { StorageOutputs } from './storage-stage.ts';
import type { TimeOutputs } from './time-stage.ts';
import type { UnitRoleInputs } from './unit-role-options.ts';

export interface OutputsOutputs {
  readonly survey: HardwareSurvey;
  /** Whether the board has the parts that a job needs. */
  readonly hardware: JobHardware;
  readonly outputs: GuardedOutputs;
  readonly wiring: OutputWiring;
  /** The guard's limits for a reactor of this model, with the present calibrations and wiring. */
  readonly limitsOf: (model: Model) => GuardLimits;
  readonly light: StatusLight;
}

type Inputs = UnitRoleInputs & TimeOutputs & StorageOutputs & BrokerOutputs & RecordsOutputs;

/** The board: what jobs drive through the guard, and the limits that the guard has. */
export function outputsStage(inputs: Inputs): Stage<OutputsOutputs> {
  const { options, clock, config, assignment, note, mirror, calibrationStore, sink } = inputs;
  const { board, wire, log } = options;
  const { calibrations } = calibrationStore;
  const { buses } = board;
  const survey = new HardwareSurvey({
    buses,
    clock,
    log,
    model: () => reactorModel(assignment.model),
    layoutFor: (model) => board.layoutFor(model),
    logEvent: (level, message) => note(unitLog(level, 'hardware', message)),
  });
  const outputs = new GuardedOutputs({
    actuators: board.actuators,
    wire,
    display: mirror.outputs,
    onInterrupted: (job) => sink.log(job, 'WARNING', 'Its outputs were off for a moment: the guard was lost.'),
  });
  const wiring = new OutputWiring({
    config,
    defaults: board.wiring,
    log,
    send: (wiring) => board.actuators.setWiring(wiring),
    onClash: (message) => note(unitLog('ERROR', 'wiring', message)),
  });
  const limitsOf = (model: Model): GuardLimits =>
    guardLimits(model, wiring.wiring, config.view(), (device) => calibrations.active(device)?.content);
  const sendLimits = (): void => {
    const { model } = assignment;
    if (model === undefined) return;
    board.actuators
      .setLimits(limitsOf(model))
      .catch((error: unknown) => log.warn('The guard gets its new limits when it is back', { error: String(error) }));
  };
  wiring.onChange(sendLimits);
  calibrations.onChange(({ device }) => {
    if (pumpDevices.some((pump) => pump === device)) sendLimits();
  });
  const guardEvents = followGuard(board, (event) => {
    const record = guardNote(event);
    if (record !== undefined) note(record);
    outputs.take(event);
  });
  const light = createLight(inputs);
  return {
    outputs: { survey, hardware: new JobHardware(survey, () => config.view()), outputs, wiring, limitsOf, light },
    services: [survey, wiring, guardEvents, light],
  };
}

/** Follows the guard while jobs may run: reports of the guard at the end of the node are not recorded. */
function followGuard({ onGuardEvent }: UnitBoard, take: (event: GuardEvent) => void): Service {
  let cancel: Cancel = () => {};
  return {
    name: 'news of the guard',
    start: async () => {
      cancel = onGuardEvent(take);
    },
    stop: async () => cancel(),
  };
}

/** The status light; MQTT clients may make it blink. */
function createLight({ options, clock, mqtt }: Inputs): StatusLight {
  const { unit, board, log } = options;
  const light = new StatusLight({ gpio: board.buses.gpio, line: board.layout.statusLightLine, clock, log });
  mqtt.subscribe(blinkTopics(unit), (_topic, payload, isRetained) => {
    if (isBlinkRequest(payload, isRetained)) light.blink();
  });
  mqtt.subscribe(codeTopics(unit), (topic, payload, isRetained) => {
    const code = errorCodeOf(payload, isRetained);
    if (code !== undefined) light.showCode(code);
    else if (!isRetained) log.warn('A message requests a code that the status light does not have', { topic, payload });
  });
  return light;
}
