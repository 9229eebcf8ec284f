export const unitsWords = {
  // Reading note
  jobStopped: 'job stopped, ',

  // Usual start dialog
  leaveOff: 'Leave off',
  startUsualJobs: 'Start the usual jobs',
  jobNotOnUnit: (title: string, unit: string, reason: string) => `${title} not on ${unit}: ${reason}`,
  chooseAtLeastOneUnit: 'Choose at least one unit.',
  startOn: (text: string) => `Start on ${text}`,
  loadingLastRuns: 'Asking for the values of the last runs…',

  // Matrix cells
  shortTitles: {
    stirring: 'Stir',
    od_reading: 'OD',
    growth_rate_calculating: 'Grow',
    temperature_automation: 'Temp.',
    dosing_automation: 'Dose',
    led_automation: 'Light',
  },

  // Set value dialog
  setValue: 'Set a value',
  noValueToSet: 'The selected units run no job with a value that can be changed. Start their jobs first.',
  setNamed: (label: string) => `Set ${label}`,
  setValueOn: (selected: number) => `Set a value on ${selected === 1 ? '1 unit' : `${selected} units`}`,
  value: 'Value',
  runsOnSome: (jobTitle: string, count: number, selected: number) =>
    `${jobTitle} runs on ${count} of the ${selected} selected units; the others are left as they are.`,
  scalesDiffer: (scaleTexts: string) =>
    `These units measure the density on different scales (${scaleTexts}): one target would mean different densities. Select units with the same biomass signal.`,

  // All units
  allUnitsDialog: 'All units…',
  setValueDialog: 'Set a value…',
  stopAllJobs: 'Stop all jobs…',
  allUnitsNamed: (count: number) => (count === 1 ? '1 unit' : `all ${count} units`),

  // Actuation text
  outputNames: {
    heater: 'Heater',
    stirrer: 'Stirrer',
    media_pump: 'Media pump',
    alt_media_pump: 'Alternative medium pump',
    waste_pump: 'Waste pump',
    led_A: 'LED A',
    led_B: 'LED B',
    led_C: 'LED C',
    led_D: 'LED D',
  },
  onUntilStopped: 'on until stopped',
  refused: (amount: string) => `refused: ${amount}`,
  requested: (amount: string) => `${amount} requested`,
  pumpedStates: { pumping: 'pumping…', stopped: 'stopped' },
  withRemarks: (volume: string, remarks: string) => `${volume} (${remarks})`,
  setsLevelAfterDose: 'Sets the level after the dose: draws air once the liquid is at the end of the tube',
  setByProfile: 'Set by an experiment profile',
  setByHand: 'Set by hand',
  continued: 'Continued after a restart',
  setAfterRestart: 'Set on request, in a job that continued after a restart',
  setByHandNamed: (who: string) => `Set by hand (${who})`,

  // Unit actuations
  allOutputs: 'All outputs',
  inExperiment: (experiment: string) => `In ${experiment}`,
  output: 'Output',
  loading: 'Loading',
  noActuationsYet: 'No actuations yet. Changes of heater, stirrer, pumps and LEDs appear here with their reasons.',
  historyOf: (unitName: string) => `History of ${unitName}`,
  showInTimeline: 'Timeline',
  newestActuations: 'Show the newest',
  olderActuations: 'Older actuations',

  // Unit camera
  noPicture: (message: string) => `No picture: ${message}`,
  pictureTakenAgo: (elapsed: string) => `Picture taken ${elapsed} ago`,
  noPictureYet: 'No picture yet',
  takePicture: 'Take a picture',
  earlierPictures: 'Earlier pictures',
  picturesOf: (unit: string) => `Pictures of ${unit}`,
  noPictureInExperiment: 'The unit has taken no picture in this experiment.',
  earlierPicture: 'Earlier',
  laterPicture: 'Later',
  placeOfPicture: (place: number, count: number) => `, picture ${place} of ${count}`,
  picturesAtThisTime: 'Pictures at this time',

  // Unit status
  faultTexts: {
    foreign_leader: 'It belongs to another leader. Enrol it here to receive its data again.',
    not_enrolled: 'It is not enrolled with this leader. Start it with this leader’s address.',
    feed_epoch_changed: 'Its record numbers have restarted. Its data are received again after its next enrolment.',
    protocol_unsupported: 'It uses another version of the protocol. Install the same version on it and on the leader.',
    revoked: 'Its credentials are revoked: the leader refuses this machine. It joins again with a one-time code.',
  },
  asLeader: 'as the leader',
  clockDifference: (amount: string, offsetMs: number) => `${amount} ${offsetMs > 0 ? 'ahead of' : 'behind'} the leader`,
  diskFull: 'Its disk is full: new readings are not stored. Free space on the unit.',
  recordsWaiting: (backlog: string) => `${backlog} records were waiting at its last contact.`,
  catchingUp: (backlog: string) => `Catching up: ${backlog} records left.`,
  clockDiffers: (seconds: string, offsetMs: number) =>
    `Its clock is ${seconds} s ${offsetMs > 0 ? 'ahead of' : 'behind'} the leader’s.`,
  changesOnTheirWay: 'Changes of its assignment or configuration are on their way.',
  changesWait: 'Changes will be applied when the unit reconnects.',
  itIsInactive: 'It is inactive: no jobs can be started.',
  livenessTexts: { online: 'Online', stale: 'No contact', offline: 'Offline' },
  unknown: 'Unknown',
  neverConnected: 'Never connected',
  livenessFor: (liveness: string, span: string) => `${liveness} for ${span}`,

  // Unit values
  temperatureShort: 'Temp.',
  targetIs: (target: number) => `target ${target}`,
  dataHaveTimeInFuture: 'data have a time in the future',

  // Unit card
  whyDialog: 'Why? – pump, heater and light history…',
  stopAllItsJobs: 'Stop all its jobs…',
  unassign: 'Unassign…',

  // Bulk bar
  selectHelp: 'Select units to start, change or stop their jobs.',
  countSelected: (where: string) => `${where} selected`,
  inactiveUnits: (leftOut: string, count: number) =>
    `No job starts on ${leftOut}: inactive. Make ${count === 1 ? 'it' : 'them'} active in the inventory first.`,
  start: 'Start…',
  allJobs: 'All jobs…',
  isInactive: 'it is inactive.',

  // Units matrix
  select: 'Select…',
  none: 'None',
  thoseWithoutJob: 'Those without a job',
  jobsOfAllUnits: 'Jobs of all units',
  odNow: 'OD now',

  // Units panel
  howUnitsAreShown: 'How units are shown',
  cards: 'Cards',
  experimentEnded: 'This experiment has ended. No unit is assigned to it.',
  noUnitsYet: 'No unit is assigned to this experiment. Choose “Assign units”; then start their jobs here.',
} as const;
