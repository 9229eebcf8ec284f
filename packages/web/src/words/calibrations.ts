import type { ReactNode } from 'react';
import { rich } from './rich.ts';

export const calibrationsWords = {
  // Blank runs
  photodiodeVolts: (channel: string, volts: string, spread: string) => `photodiode ${channel}: ${volts}${spread} V`,
  calibrationIsRunning: 'a calibration is running',
  resultNotKnown: 'Ended; the result is not known yet.',
  starting: 'Starting…',
  progressNotKnown: 'Started; the progress is not known yet.',

  // Measuring blanks
  measureBlanks: 'Measure blanks',
  keepBlank: 'Keep the blank',
  measureAgain: 'Measure again',

  // Blank dialog
  keptBlank: (blank: string) => `Kept: ${blank}`,
  notMeasured: (error: string) => `Not measured. ${error}`,
  progressOf: (unit: string) => `Progress of ${unit}`,
  measureUnitAgain: (unit: string) => `Measure ${unit} again`,
  keepAllTheSame: 'Keep it all the same',
  keepBlankOf: (unit: string) => `Keep the blank of ${unit}`,
  progress: 'Progress',
  blankHelp:
    'Each unit stirs and reads sterile medium for about a minute. The result is subtracted from every reading of its experiment from then on: measure blanks before cells are added.',
  vialsAreSterile: 'These vials hold sterile medium and a stir bar, no cells',
  odReadingIsRunningOn: (reading: string) =>
    `OD reading is running on ${reading}: it is stopped first, and stays off until you start it.`,
  withoutItTheseWait: (dependents: string) =>
    ` Without it these go on with old or missing values, or wait: ${dependents}.`,
  cancelNamed: (count: number) => `Cancel ${count === 1 ? 'the measurement' : `all ${count} measurements`}`,
  stopOdReadingAndMeasure: 'Stop OD reading and measure',
  measureNamed: (count: string) => `Measure ${count}`,

  // Calibration matrix
  none: 'none',
  noneActive: 'none active',
  countStored: (count: number) => `${count} stored`,
  pointsScatter: 'points scatter',
  blankMeasured: 'measured',
  blankOld: 'old',
  missing: 'missing',
  olderThan90Days: 'older than 90 days',
  today: 'today',
  keptInSpiteOfWarning: 'kept in spite of a warning',
  withScatteredPoints: 'with scattered points',
  activeCalibrations: 'Active calibrations',
  blanks: 'Blanks',

  // Compared curves
  pointAtCurve: 'Point at a curve to see the unit and its point.',
  pointedAt: (unit: string, y: string, x: string, yAxis: string, xAxis: string) =>
    `${unit}: ${y} at ${x} (${yAxis} by ${xAxis})`,
  curvesOfUnits: (title: string, y: string, x: string, count: number) =>
    `${title}: ${y} by ${x} of ${count === 1 ? '1 unit' : `${count} units`}`,
  activeCurvesOfAllUnits: (device: string) => `${device}: active curves of all units`,
  closeCurves: 'Close the curves',
  loadingCurves: 'Loading the curves',
  noActiveCurve: 'No unit has an active calibration of this device with points.',

  // Matrix table
  halfDone: 'half done: continue',
  titleOfUnit: (title: string, unit: string) => `${title} of ${unit}: `,
  calibrationsOfAllUnits: 'Calibrations of all units',
  compareCurvesOfAllUnits: (device: string) => `${device}: compare the curves of all units`,
  blank: 'Blank',

  // Calibrations page
  thereAreNoUnitsYet: 'There are no units yet',
  noUnitsHelp: 'A calibration belongs to a pump, a stirrer or a sensor of a unit.',
  measureBlanksDialog: 'Measure blanks…',

  // Blank in use
  removeBlankOf: (unit: string) => `Remove the blank of ${unit}?`,
  removeBlankConsequence: (unit: string, experiment: string) =>
    `From the next start of OD reading on, nothing is subtracted from the readings of ${unit} in ${experiment}. Readings that are stored already stay as they are. Measure a new blank below, if the vial holds no cells.`,
  removeIt: 'Remove it',
  blankOf: (experiment: string) => `Blank of ${experiment}`,
  measuredAt: (moment: ReactNode) => rich`Measured ${moment}. OD reading subtracts it in this experiment.`,
  keptInSpiteOfWarningNamed: (problems: string) => `Kept in spite of a warning: ${problems}`,

  // Point chart
  curve: 'curve',

  // Calibration chart
  curveOf: (name: string, y: string, x: string) => `${name}: ${y} by ${x}`,
  points: 'Points',
  curveThroughPoints: (count: number) => `A curve through ${count} points.`,

  // Calibration card
  active: 'Active',
  pointCount: (count: number) => (count === 1 ? '1 point' : `${count} points`),
  scatter: (scatter: string) => ` · scatter ${scatter}`,
  actionOnCalibration: (isActive: boolean, name: string, device: string) =>
    `${isActive ? 'Deactivate' : 'Activate'} ${name} of ${device}`,
  deactivate: 'Deactivate',
  activate: 'Activate',
  deleteOf: (name: string, device: string) => `Delete ${name} of ${device}`,
  itIsActive: (device: string) =>
    `It is active: without it the ${device} has no calibration. Running jobs keep it until they start again.`,
  isUsedNow: (job: string, unit: string, needsIt: boolean) =>
    needsIt
      ? `${job} of ${unit} uses it now, and cannot start again without a calibration, also not after a restart of the unit.`
      : `${job} of ${unit} uses it now, and starts again without a calibration.`,
  movedAside: (unit: string, file: string) =>
    `No page brings it back. ${unit} keeps the file as ${file}: remove “.deleted” from its name there to have it again.`,
  deleteIt: 'Delete it',

  // Calibration list
  noCalibrationYet: (unit: string) =>
    `${unit} has no calibration yet. Start with its pumps: without a calibration a pump runs by time only, not by volume. Choose “Calibrate media pump (weigh)” below.`,

  // Procedure list
  youNeed: (requirements: string) => `You need: ${requirements}.`,
  continuesAtLastStep: 'Open: it continues at its last step.',
  runningJobsDisturb: (jobs: string, isOne: boolean) =>
    `${jobs} ${isOne ? 'is' : 'are'} running, and would disturb the measurement.`,
  itStaysOff: 'It stays off until you start it.',
  theyStayOff: 'They stay off until you start them.',
  jobsNeedThem: (isOne: boolean) => `These running jobs need ${isOne ? 'it' : 'them'}:`,
  stopAllAndStart: 'Stop all of these and start',
  stopAndStart: (isOne: boolean) => `Stop ${isOne ? 'it' : 'them'} and start`,
  continueOpenProcedure: 'Continue it',
  discardOpenProcedure: 'Discard it…',
  continueOrDiscardFirst: 'It needs the same parts of the unit: continue or discard it first.',
  procedures: 'Procedures',

  // Results of a procedure
  flow: 'Flow',
  offset: 'Offset',
  goodnessOfFit: 'Fit (R²)',
  recommendedVolumes: 'Recommended volumes',
  volumeRange: (low: string, high: string) => `${low} to ${high} mL`,
  correction: 'Correction',
  comparisonsWithProbe: 'Comparisons with the probe',
  farthestPoint: 'Farthest point',
  pumpedVolume: 'Pumped volume',
  timeOfRunning: 'Time of running',
  passedChecks: 'Passed checks',
  failedChecks: 'Failed checks',
  estimator: 'Estimator',
  copiedFrom: 'Copied from',
  logarithmScale: 'Scale of the logarithm of the concentration',
  logarithmOffset: 'Offset of the logarithm of the concentration',

  // Fields of a step
  atLeast: (minimum: string) => `at least ${minimum}`,
  atMost: (maximum: string) => `at most ${maximum}`,

  // Step form
  unitIsWorking: 'The unit is working.',
  stopNow: 'Stop now',

  // Session panel
  rowOf: (label: string, index: number) => `${label}: row ${index}`,
  pointsOfCurve: (label: string, count: number) => `${label}: ${count} points`,
  storedAndActive: (created: string) => `Stored and active: ${created}.`,
  sessionDeviceMissing:
    'The unit cannot continue this session: its configuration no longer contains the device of the session. Restore the configuration, then open the session again.',
  procedure: 'Procedure',
  backToCalibrations: 'Back to the calibrations',
} as const;
