import type { Stage } from '@lcs/platform';
import { type Calibrations, createCalibrations } from '../calibrations/create-calibrations.ts';
import { unitLog } from '../outbox/unit-note.ts';
import type { DevicesOutputs } from './devices-stage.ts';
import type { JobsOutputs } from './jobs-stage.ts';
import type { LedgerOutputs } from './ledger-stage.ts';
import type { OutputsOutputs } from './outputs-stage.ts';
import type { RecordsOutputs } from './records-stage.ts';
import type { StorageOutputs } from './storage-stage.ts';
import type { TimeOutputs } from './time-stage.ts';
import type { UnitRoleInputs } from './unit-role-options.ts';

export interface CalibrationsOutputs {
  readonly calibrations: Calibrations;
}

type Inputs = UnitRoleInputs &
  TimeOutputs &
  StorageOutputs &
  RecordsOutputs &
  OutputsOutputs &
  JobsOutputs &
  LedgerOutputs &
  DevicesOutputs;

/** The jobs and sessions that calibrate. */
export function calibrationsStage(inputs: Inputs): Stage<CalibrationsOutputs> {
  const { options, clock, config, assignment, note, calibrationStore: store, wiring } = inputs;
  const { runtime, publishEvent: event, ledger, devices, pumpCalibrationOf } = inputs;
  const { unit, database, newId } = options;
  const log = (level: 'NOTICE' | 'WARNING' | 'ERROR', task: string, message: string): void =>
    note(unitLog(level, task, message, assignment.experiment?.uid));
  const calibrations = createCalibrations({
    unit,
    database,
    store,
    clock,
    newId,
    runtime,
    devices,
    ledger,
    event,
    pumpCalibrationOf,
    wiring: () => wiring.wiring,
    config: () => config.view(),
    model: () => assignment.model,
    experiment: () => assignment.experiment,
    logOutcome: (level, message) => log(level, 'stirring_calibration', message),
    warn: (message) => log('WARNING', 'calibrations', message),
  });
  runtime.register(calibrations.jobs);
  return { outputs: { calibrations }, services: [calibrations.sessions] };
}
