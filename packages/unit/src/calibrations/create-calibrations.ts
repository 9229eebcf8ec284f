import type { Handlers, Model, unitCalibrationRoutes } from '@lcs/contract';
import type { Wiring } from '@lcs/hardware';
import type { JobDefinition, JobEvent, JobOrigin, JobRuntime } from '@lcs/node';
import type { Clock, Database, IniView, Service } from '@lcs/platform';
import type { VialLedger } from '../bioreactor/vial-ledger.ts';
import type { PumpCalibrationOf } from '../jobs/pumps/pump-settings.ts';
import type { UnitDevices } from '../jobs/unit-devices.ts';
import { CalibrationActions } from './calibration-actions.ts';
import { calibrationHandlers, storeCalibration } from './calibration-handlers.ts';
import { calibrationJobDefinitions } from './calibration-jobs.ts';
import { CalibrationSessions } from './calibration-sessions.ts';
import type { CalibrationStore } from './calibration-store.ts';
import type { CalibrationTables } from './calibration-tables.ts';
import { hertzOf, protocolFacts } from './protocol-facts.ts';
import { frequencyWarning } from './pump-frequency.ts';
import { SessionStore } from './session-store.ts';

export interface CalibrationsOptions {
  readonly unit: string;
  readonly database: Pick<Database<CalibrationTables>, 'read' | 'write'>;
  readonly store: CalibrationStore;
  readonly pumpCalibrationOf: PumpCalibrationOf;
  readonly wiring: () => Wiring;
  readonly config: () => IniView;
  /** Of this unit; undefined while the leader has not named one. */
  readonly model: () => Model | undefined;
  /** The experiment that this unit is in. */
  readonly experiment: () => { readonly name: string; readonly uid: string } | undefined;
  readonly runtime: Pick<JobRuntime, 'running' | 'acceptOwn' | 'stopJobs' | 'topics' | 'definition' | 'isEnding'>;
  readonly devices: UnitDevices;
  readonly ledger: Pick<VialLedger, 'open'>;
  /** Records what happened in the name of a job, also of one that is ending. */
  readonly event: (job: JobOrigin, event: JobEvent) => void;
  readonly clock: Pick<Clock, 'now' | 'monotonic' | 'every'>;
  readonly newId: () => string;
  /** Logs the result of a calibration that runs without a person. */
  readonly logOutcome: (level: 'NOTICE' | 'ERROR', message: string) => void;
  /** Logs a fault of a calibration that a person has chosen. */
  readonly warn: (message: string) => void;
}

/** What calibrates: jobs, and sessions that guide people. */
export interface Calibrations {
  readonly handlers: Handlers<typeof unitCalibrationRoutes>;
  /** The jobs that calibrate, and those that sessions work with. */
  readonly jobs: readonly JobDefinition[];
  /** After the database. */
  readonly sessions: Service;
  /** Stores the first calibration of a device from its text, and uses it; a device that has calibrations keeps them. @throws ApiError */
  readonly addFirst: (device: string, yaml: string) => Promise<void>;
}

export function createCalibrations(options: CalibrationsOptions): Calibrations {
  const { unit, database, store, wiring, config, model, runtime, clock, newId, pumpCalibrationOf } = options;
  const { texts, calibrationFiles, estimatorFiles, calibrations, estimators } = store;
  const now = () => clock.now();
  const { experiment, devices, ledger, event } = options;
  const actions = new CalibrationActions({
    runtime,
    devices,
    pumps: { ledger, calibrationOf: pumpCalibrationOf, event, experiment },
  });
  const known = { calibrations, calibrationFiles, estimators, estimatorFiles };
  const facts = () => protocolFacts({ unit, now, config, wiring, model, runtime, experiment, ...known });
  const sessions = new CalibrationSessions({
    store: new SessionStore(database, now),
    actions,
    calibrations,
    estimators,
    facts,
    newId,
    clock,
    isEnding: () => runtime.isEnding,
    warn: options.warn,
  });
  const onActive = (device: string): void => {
    const warning = frequencyWarning(device, calibrations.active(device)?.content, hertzOf(wiring(), 'pump'));
    if (warning !== undefined) options.warn(warning);
  };
  return {
    handlers: calibrationHandlers({
      unit,
      calibrations,
      calibrationFiles,
      estimators,
      sessions,
      texts,
      now,
      onActive,
    }),
    jobs: calibrationJobDefinitions({
      actions,
      sessions,
      runtime,
      facts,
      calibrations,
      logOutcome: options.logOutcome,
    }),
    sessions,
    addFirst: async (device, yaml) => {
      const known = (await calibrations.ofDevice(device)) ?? [];
      if (known.length === 0) await storeCalibration({ texts, calibrations, onActive }, device, yaml, true);
    },
  };
}
