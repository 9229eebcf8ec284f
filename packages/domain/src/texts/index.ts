// The exports for the thread that reads people's files: it loads no other part of this package.
export { parseCalibration } from '../calibrations/calibration-file.ts';
export { InvalidCalibrationFile } from '../calibrations/file-fields.ts';
export { parseEstimator } from '../estimators/estimator-file.ts';
export { type FormattedProfile, formatProfile } from '../profiles/format-profile.ts';
export { type ParsedProfile, parseProfile } from '../profiles/parse-profile.ts';
