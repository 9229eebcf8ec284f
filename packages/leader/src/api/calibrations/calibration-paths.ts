/** What of units is kept for 10 s, and is not good any more when a calibration or an estimator changes. */
export const calibrationPaths = [
  '/unit_api/calibrations',
  '/unit_api/active_calibrations',
  '/unit_api/estimators',
  '/unit_api/active_estimators',
] as const;
