import { ApiError, type CalibrationContent, type EstimatorContent } from '@lcs/contract';
import { validateCalibration, validateEstimator } from '@lcs/domain';
import { TextReader } from '@lcs/node';
import type { Database, Log, Probe } from '@lcs/platform';
import { ArtefactFiles } from './artefact-files.ts';
import { ArtefactShelf } from './artefact-shelf.ts';
import type { CalibrationTables } from './calibration-tables.ts';

export interface CalibrationStoreOptions {
  readonly unit: string;
  readonly dataFolder: string;
  readonly database: Pick<Database<CalibrationTables>, 'read' | 'write'>;
  readonly log: Log;
  readonly probe?: Probe;
}

/** The calibrations and estimators of a unit: files, and which of them is active. */
export interface CalibrationStore {
  readonly texts: TextReader;
  readonly calibrationFiles: ArtefactFiles<CalibrationContent>;
  readonly estimatorFiles: ArtefactFiles<EstimatorContent>;
  readonly calibrations: ArtefactShelf<CalibrationContent>;
  readonly estimators: ArtefactShelf<EstimatorContent>;
}

export function createCalibrationStore(options: CalibrationStoreOptions): CalibrationStore {
  const { unit, dataFolder, database, log, probe } = options;
  const texts = new TextReader();
  const common = { dataFolder, log, ...(probe === undefined ? {} : { probe }) };
  const calibrationFiles = new ArtefactFiles<CalibrationContent>({
    ...common,
    folder: 'calibrations',
    parse: (yaml) => texts.read('calibration', yaml),
  });
  const estimatorFiles = new ArtefactFiles<EstimatorContent>({
    ...common,
    folder: 'estimators',
    parse: (yaml) => texts.read('estimator', yaml),
  });
  const calibrations = new ArtefactShelf<CalibrationContent>({
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
  const estimators = new ArtefactShelf<EstimatorContent>({
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
