import type { Stage } from '@lcs/platform';
import { activeCalibrations, activeFusion, activePumpCalibrations } from '../calibrations/active-for-jobs.ts';
import type { PumpCalibrationOf } from '../jobs/pumps/pump-settings.ts';
import { createUnitDevices, type UnitDevices } from '../jobs/unit-devices.ts';
import { unitJobs } from '../jobs/unit-jobs.ts';
import type { BrokerOutputs } from './broker-stage.ts';
import type { JobsOutputs } from './jobs-stage.ts';
import type { LedgerOutputs } from './ledger-stage.ts';
import type { OutputsOutputs } from './outputs-stage.ts';
import type { RecordsOutputs } from './records-stage.ts';
import type { StorageOutputs } from './storage-stage.ts';
import type { TimeOutputs } from './time-stage.ts';
import type { UnitRoleInputs } from './unit-role-options.ts';

export interface DevicesOutputs {
  readonly devices: UnitDevices;
  readonly pumpCalibrationOf: PumpCalibrationOf;
}

type Inputs = UnitRoleInputs &
  TimeOutputs &
  StorageOutputs &
  BrokerOutputs &
  RecordsOutputs &
  OutputsOutputs &
  JobsOutputs &
  LedgerOutputs;

/** The drivers of the board, and the jobs that measure and act with them. */
export function devicesStage(inputs: Inputs): Stage<DevicesOutputs> {
  const { options, clock, assignment, mirror, brokerReached, memory, calibrationStore, survey, light } = inputs;
  const { runtime, publishEvent, opticalReadings, ledger } = inputs;
  const { board, dataFolder, version, powerOff } = options;
  const { buses, layout, isSimulated } = board;
  const pumpCalibrationOf = activePumpCalibrations(calibrationStore.calibrations);
  const devices = createUnitDevices({
    buses,
    layout,
    clock,
    dataFolder,
    appVersion: version,
    memory,
    isSimulated,
    opticalReadings,
    brokerReached,
    calibrationOf: activeCalibrations(calibrationStore.calibrations),
    fusionOf: activeFusion(calibrationStore.estimators),
    photodiodes: () => survey.photodiodes,
    ownModel: () => assignment.model,
    showFault: (code) => light.showCode(code),
    ...(powerOff && { powerOff }),
    ...(!isSimulated && {
      button: { gpio: buses.gpio, line: layout.buttonLine, light: (isOn: boolean) => light.hold(isOn) },
    }),
    pumping: { ledger, calibrationOf: pumpCalibrationOf, event: publishEvent },
    recordEvent: publishEvent,
    showControl: mirror.control,
    setVial: (experiment, values) => ledger.set(experiment, values),
  });
  runtime.register(unitJobs(devices));
  return { outputs: { devices, pumpCalibrationOf }, services: [] };
}
