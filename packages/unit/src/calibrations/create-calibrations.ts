import {
  ApiError,
  type CalibrationContent,
  type EstimatorContent,
  type Handlers,
  type Model,
  type unitCalibrationRoutes,
} from '@lcs/contract';
import { pumpDevices, validateCalibration, validateEstimator } from '@lcs/domain';
import type { GuardLimits, Wiring } from '@lcs/hardware';
import {
  type Clock,
  type Database,
  type IniView,
  type JobDefinition,
  type JobEvent,
  type JobOrigin,
  type JobRuntime,
  type Living,
  type Log,
  type Probe,
  TextReader,
} from '@lcs/platform';
import type { VialLedger } from '../bioreactor/vial-ledger.ts';
import type { PumpCalibrationOf } from '../jobs/pumps/pump-settings.ts';
import type { CalibrationOf, FusionOf } from '../jobs/shared/calibration.ts';
import type { UnitDevices } from '../jobs/unit-devices.ts';
import { activeCalibrations, activeFusion, activePumpCalibrations } from './active-for-jobs.ts';
import { ArtefactFiles } from './artefact-files.ts';
import { type ArtefactChange, ArtefactShelf } from './artefact-shelf.ts';
import { CalibrationActions } from './calibration-actions.ts';
import { calibrationHandlers } from './calibration-handlers.ts';
import { calibrationJobDefinitions } from './calibration-jobs.ts';
import { CalibrationSessions } from './calibration-sessions.ts';
import type { CalibrationTables } from './calibration-tables.ts';
import { hertzOf, protocolFacts } from './protocol-facts.ts';
import { frequencyWarning } from './pump-frequency.ts';
import { guardLimits } from './pump-limits.ts';
import { SessionStore } from './session-store.ts';

export interface CalibrationsOptions {
  readonly unit: string;
  readonly dataFolder: string;
  readonly database: Pick<Database<CalibrationTables>, 'read' | 'write'>;
  readonly wiring: () => Wiring;
  readonly config: () => IniView;
  /** Of this unit; undefined while the leader has not named one. */
  readonly model: () => Model | undefined;
  /** The experiment that this unit is in. */
  readonly experiment: () => string | undefined;
  readonly runtime: () => Pick<JobRuntime, 'running' | 'runOwn' | 'stopJobs' | 'topics'>;
  readonly devices: () => UnitDevices;
  readonly ledger: () => Pick<VialLedger, 'open'>;
  /** Tells what happened in the name of a job, also of one that is ending. */
  readonly tell: (job: JobOrigin, event: JobEvent) => void;
  readonly clock: Pick<Clock, 'now' | 'monotonic' | 'every'>;
  readonly newId: () => string;
  readonly log: Log;
  /** Tells what came of a calibration that nobody stood by. */
  readonly say: (level: 'NOTICE' | 'ERROR', message: string) => void;
  /** Tells what is wrong with a calibration that somebody has chosen. */
  readonly warn: (message: string) => void;
  /** Something has changed: for the leader. */
  readonly onChange: (change: ArtefactChange) => void;
  /** The guard's limits have to be given again. */
  readonly onLimits: () => void;
  readonly probe?: Probe;
}

/** Calibrations, estimators and sessions of a unit. */
export interface Calibrations {
  readonly handlers: Handlers<typeof unitCalibrationRoutes>;
  readonly calibrationOf: CalibrationOf;
  readonly fusionOf: FusionOf;
  readonly pumpCalibrationOf: PumpCalibrationOf;
  /** The jobs that calibrate, and those that sessions work with. */
  readonly jobs: readonly JobDefinition[];
  readonly guardLimits: (model: Model) => GuardLimits;
  /** After the database, before the job runtime. */
  readonly parts: readonly Living[];
}

const isPump = (device: string): boolean => pumpDevices.some((pump) => pump === device);

function shelves(
  { unit, dataFolder, database, log, probe, onChange, onLimits }: CalibrationsOptions,
  texts: TextReader,
) {
  const common = { dataFolder, log, ...(probe === undefined ? {} : { probe }) };
  const calibrationFiles = new ArtefactFiles<CalibrationContent>({
    ...{ ...common, folder: 'calibrations' },
    parse: (yaml) => texts.read('calibration', yaml),
  });
  const estimatorFiles = new ArtefactFiles<EstimatorContent>({
    ...{ ...common, folder: 'estimators' },
    parse: (yaml) => texts.read('estimator', yaml),
  });
  const calibrations = new ArtefactShelf<CalibrationContent>({
    ...{ unit, database, log, files: calibrationFiles, kind: 'calibrations' },
    nameOf: (content) => content.calibration_name,
    unknown: (device, name) => new ApiError('calibration_unknown', { device, name }),
    invalid: (cause) => new ApiError('calibration_invalid', { cause }),
    faultOf: validateCalibration,
    unusable: (cause) => new ApiError('calibration_unusable', { cause }),
    onChange: (change) => {
      onChange(change);
      if (isPump(change.device)) onLimits();
    },
  });
  const estimators = new ArtefactShelf<EstimatorContent>({
    ...{ unit, database, log, files: estimatorFiles, kind: 'estimators', onChange },
    nameOf: (content) => content.estimator_name,
    unknown: (device, name) => new ApiError('estimator_unknown', { device, name }),
    invalid: (cause) => new ApiError('estimator_invalid', { cause }),
    faultOf: validateEstimator,
    unusable: (cause) => new ApiError('estimator_unusable', { cause }),
  });
  return { calibrationFiles, estimatorFiles, calibrations, estimators };
}

/** Builds what a unit knows about calibrating. */
export function createCalibrations(options: CalibrationsOptions): Calibrations {
  const { unit, database, wiring, config, model, runtime, clock, newId } = options;
  const texts = new TextReader();
  const { calibrationFiles, estimatorFiles, calibrations, estimators } = shelves(options, texts);
  const now = () => clock.now();
  const pumpCalibrationOf = activePumpCalibrations(calibrations);
  const { experiment, devices, ledger, tell } = options;
  const actions = new CalibrationActions({
    ...{ runtime, experiment, devices },
    priming: { ledger, calibrationOf: pumpCalibrationOf, event: tell },
  });
  const known = { calibrations, calibrationFiles, estimators, estimatorFiles };
  const facts = () => protocolFacts({ unit, now, config, wiring, model, runtime, experiment, ...known });
  const store = new SessionStore(database, now);
  const sessions = new CalibrationSessions({
    ...{ store, actions, calibrations, estimators, facts, newId, clock },
    warn: options.warn,
  });
  const onActive = (device: string): void => {
    const warning = frequencyWarning(device, calibrations.active(device)?.content, hertzOf(wiring(), 'pump'));
    if (warning !== undefined) options.warn(warning);
  };
  return {
    handlers: calibrationHandlers({
      ...{ unit, calibrations, calibrationFiles, estimators, sessions, texts, now, onActive },
    }),
    calibrationOf: activeCalibrations(calibrations),
    fusionOf: activeFusion(estimators),
    pumpCalibrationOf,
    jobs: calibrationJobDefinitions({ actions, sessions, runtime, facts, calibrations, say: options.say }),
    guardLimits: (given) => guardLimits(given, wiring(), config(), (device) => calibrations.active(device)?.content),
    parts: [calibrations, estimators, sessions],
  };
}
