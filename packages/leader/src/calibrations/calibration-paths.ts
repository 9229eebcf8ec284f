/** What of units is kept for 10 s, and is not good any more when a calibration, an estimator or a session changes. */
export const calibrationPaths = [
  '/unit_api/calibrations',
  '/unit_api/active_calibrations',
  '/unit_api/estimators',
  '/unit_api/active_estimators',
  // They name the sessions that are open.
  '/unit_api/calibration_protocols',
] as const;
