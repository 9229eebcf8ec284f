// What a thread needs to read files of people: it loads no more of this package.
export { parseCalibration } from '../calibrations/calibration-file.ts';
export { InvalidCalibrationFile } from '../calibrations/file-fields.ts';
export { parseEstimator } from '../estimators/estimator-file.ts';
export { type ParsedProfile, parseProfile } from '../profiles/parse-profile.ts';
