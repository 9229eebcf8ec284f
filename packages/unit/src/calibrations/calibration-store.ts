import { ApiError, type CalibrationContent, type EstimatorContent } from '@lcs/contract';
import { validateCalibration, validateEstimator } from '@lcs/domain';
import { TextReader } from '@lcs/node';
import type { Database, Log, Probe } from '@lcs/platform';
import { CalibrationFiles } from './calibration-files.ts';
import { CalibrationFolder } from './calibration-folder.ts';
import type { CalibrationTables } from './calibration-tables.ts';

export interface CalibrationStoreOptions {
  readonly unit: string;
  readonly dataFolder: string;
  readonly database: Pick<Database<CalibrationTables>, 'read' | 'write'>;
  readonly log: Log;
  readonly probe?: Probe;
}

/** The calibrations and estimators of a unit: files, and the active one of each device. */
export interface CalibrationStore {
  readonly texts: TextReader;
  readonly calibrationFiles: CalibrationFolder<CalibrationContent>;
  readonly estimatorFiles: CalibrationFolder<EstimatorContent>;
  readonly calibrations: CalibrationFiles<CalibrationContent>;
  readonly estimators: CalibrationFiles<EstimatorContent>;
}

export function createCalibrationStore(options: CalibrationStoreOptions): CalibrationStore {
  const { unit, dataFolder, database, log, probe } = options;
  const texts = new TextReader();
  const common = { dataFolder, log, ...(probe === undefined ? {} : { probe }) };
  const calibrationFiles = new CalibrationFolder<CalibrationContent>({
    ...common,
    folder: 'calibrations',
    parse: (yaml) => texts.read('calibration', yaml),
  });
  const estimatorFiles = new CalibrationFolder<EstimatorContent>({
    ...common,
    folder: 'estimators',
    parse: (yaml) => texts.read('estimator', yaml),
  });
  const calibrations = new CalibrationFiles<CalibrationContent>({
    unit,
    database,
    log,
    files: calibrationFiles,
    kind: 'calibrations',
    nameOf: (content) => content.calibration_name,
    unknown: (device, name) => new ApiError('calibration_unknown', { device, name }),
    invalid: (cause) => new ApiError('calibration_invalid', { cause }),
    faultOf: validateCalibration,
    unusable: (cause) => new ApiError('calibration_unusable', { cause }),
  });
  const estimators = new CalibrationFiles<EstimatorContent>({
    unit,
    database,
    log,
    files: estimatorFiles,
    kind: 'estimators',
    nameOf: (content) => content.estimator_name,
    unknown: (device, name) => new ApiError('estimator_unknown', { device, name }),
    invalid: (cause) => new ApiError('estimator_invalid', { cause }),
    faultOf: validateEstimator,
    unusable: (cause) => new ApiError('estimator_unusable', { cause }),
  });
  return { texts, calibrationFiles, estimatorFiles, calibrations, estimators };
}
