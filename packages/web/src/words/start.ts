/** What the first page shows of features whose pages, and whose words, load later. */
export const startWords = {
  // Alarm labels
  stateLabels: {
    unacknowledged: 'Not acknowledged',
    acknowledged: 'Acknowledged',
    returned: 'Cleared, not acknowledged',
    cleared: 'Cleared',
    shelved: 'Muted',
  },
  severityLabels: { warning: 'Warning', error: 'Error', critical: 'Critical' },
  actionLabels: {
    raised: 'Raised',
    raised_again: 'Raised again',
    returned: 'Returned to normal',
    acknowledged: 'Acknowledged',
    shelved: 'Muted',
    unshelved: 'Unmuted',
    shelf_ended: 'Muting ended',
    cleared: 'Cleared',
  },
  byModelOfVial: (label: string) => `${label}: by the model of the vial`,
  noLimitNamed: (label: string) => `${label}: no limit`,

  // Alarm badge
  atTime: (lastKnown: string) => ` at ${lastKnown}`,
  unacknowledgedCount: (count: number) => `${count} unacknowledged ${count === 1 ? 'alarm' : 'alarms'}`,
  showAlarms: (text: string, at: string) => `${text}${at}: show`,

  // Windows of time
  lookbackText: {
    '10min': '10 min',
    '1h': '1 h',
    '4h': '4 h',
    '12h': '12 h',
    '1d': '1 day',
    '3d': '3 days',
    '10d': '10 days',
    all: 'All',
  },

  // Join badge
  countWantsToJoin: (count: number) => `${count} ${count === 1 ? 'unit wants' : 'units want'} to join`,
  showJoinRequests: (text: string) => `${text}: show`,

  // Job phase
  jobPhases: {
    unknown: 'Unknown',
    off: 'Off',
    starting: 'Starting',
    on: 'On',
    paused: 'Paused',
    lost: 'Unknown – unit offline',
  },
  recordsOnly: 'Records only',

  // Biomass choices
  notMeasuredBy: (without: string) => `Not measured by ${without}.`,
  scalesDiffer: (scaleTexts: string) =>
    `The units measure it on different scales (${scaleTexts}): start each unit separately.`,
  notKnownYet: 'not known yet',

  // Offline text
  offlineStopsLater: (offline: string, count: number) =>
    `Offline: ${offline}. ${count === 1 ? 'It stops' : 'They stop'} when the connection is back.`,

  // Running dosing
  noAutomationKnown: 'no automation known',
  nameAndTarget: (name: string, target: string) => `${name}, target ${target}`,
  dosingWaitsForReadings: (where: string, text: string) =>
    `${where}Dosing (${text}) is on and waits for these readings: it may dose at the first one.`,
  dosingWith: (dosing: string) => `Dosing (${dosing})`,
  isPaused: (start: string) => `${start} is paused: nothing is dosed.`,
  waitsForReading: (start: string, signal: string) => `${start} waits: there is no current reading of ${signal}.`,
  target: (target: string) => `the target ${target}`,
  whereItBeginsToDose: (from: string) => `${from}, where it begins to dose`,
  isBelow: (start: string, now: string, limit: string) => `${start}: ${now} is below ${limit}: nothing to do.`,
  isNotBelow: (start: string, now: string, limit: string) => `${start}: ${now} is not below ${limit}: it dilutes.`,

  // Jobs that lack another
  needsOff: (title: string, off: readonly string[]) =>
    `${title} needs ${off.join(' and ')}, which ${off.length === 1 ? 'is' : 'are'} off`,

  // Jobs that wait for a person since a restart
  isHeld: (title: string, at: string, wasStopped: boolean) =>
    `${title} is off since ${at}: ${wasStopped ? "the unit's program was stopped" : 'the power of the unit failed, or its program crashed'}.`,
  startAgainOrLeaveOff: 'Start again or leave off',

  // Unit command
  theUnit: 'the unit',
  theUnitAtStart: 'The unit',

  // Command status
  notDone: 'not done.',
  notDoneWithoutAnswer: 'not done: the leader does not answer.',
  notDoneEverywhere: 'not done everywhere.',
  doneOnOfUnits: (count: number, units: number | undefined) => `done on ${count} of ${units} units.`,
  waitingForAnswer: (what: string) => `${what}: waiting for an answer…`,
  stoppedOn: (units: string) => `stopped on ${units}`,
  nothingToStopOn: (units: string) => `nothing to stop on ${units}`,
  alreadyRunningOn: (started: number, units: string) =>
    `${started > 0 ? `started on ${started} ${started === 1 ? 'unit' : 'units'}; ` : ''}already running on ${units}, nothing was changed there`,
  exceptAsFollows: (done: string) => `${done}; not done everywhere.`,
  taskDone: (what: string, units: number) => `${what}: done${units > 1 ? ` on all ${units} units` : ''}`,

  // Names of programs that people know by other words
  knownNames: {
    od_filtered: 'normalised OD',
    od_fused: 'fused OD',
    raw_od: 'raw OD',
    normalized_od: 'normalised OD',
    only_record_temperature: 'records only',
  },

  // Reading note
  timeInFuture: 'time in the future',
  jobStoppedLastKnown: (moment: string) => `job stopped, last known ${moment}`,
  stirringOff: 'stirring off',
  odOff: 'OD off',
  negativeWhileDosing: 'uncertain while doses dilute',

  // Experiment tabs
  overview: 'Overview',
  overviewSynonyms: 'charts plots curves usual jobs start',
  unitsSynonyms: 'jobs table cards assign',
  timelineSynonyms: 'log events notes samples doses',
  data: 'Data',
  dataSynonyms: 'export download csv',
  setup: 'Setup',
  setupSynonyms: 'design labels groups bottles media end experiment',

  // Experiment rows
  withoutName: 'without a name',

  // Running units
  setUpNothingRuns: 'Set up, nothing runs',
  stopped: 'Stopped',
  ofUnitsRun: (running: number, assigned: number) => `${running} of ${assigned} units run`,
} as const;
