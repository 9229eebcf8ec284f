export const configWords = {
  // Setting words
  vialAndBottles: 'Vial and bottles',
  stirringController: 'Stirring: controller',
  dosing: 'Dosing',
  dosingTurbidostat: 'Dosing: turbidostat',
  dosingMorbidostatPid: 'Dosing: morbidostat (PID)',
  temperatureThermostat: 'Temperature: thermostat',
  camera: 'Camera',
  powerOutputs: 'Power outputs',
  photodiodes: 'Photodiodes',
  unitMonitor: 'Unit monitor',
  restartAfterPowerFailure: 'Restart of jobs after a power failure',
  storageOnUnits: 'Storage on the units',
  shownCharts: 'Shown charts',
  exports: 'Exports',
  aiAssistants: 'AI assistants',
  addressesOfUnits: 'Addresses of units',
  broker: 'Broker',
  webUi: 'Web UI',
  spellings: {
    od: 'OD',
    ir: 'IR',
    rpm: 'RPM',
    pd: 'photodiode',
    ema: 'smoothing',
    ac: 'AC',
    hz: 'frequency',
    led: 'LED',
    leds: 'LEDs',
    kp: 'Kp',
    ki: 'Ki',
    kd: 'Kd',
    tls: 'TLS',
    wal: 'WAL',
    ekf: 'filter',
    std: 'standard deviations',
    alt: 'alternative',
    efflux: 'waste',
  },
  outputNamed: (key: string) => `Output ${key}`,
  ledNamed: (key: string) => `LED ${key}`,
  photodiodeNamed: (key: string) => `Photodiode ${key}`,
  otherWords: {
    samples_per_second: 'interval period seconds between readings how often rate frequency',
    initial_target_rpm: 'stirring speed RPM',
    pause_between_subdoses_seconds: 'interval wait delay between doses',
    waste_removal_multiplier: 'efflux outflow extra waste',
    efflux_tube_volume_ml: 'waste tube height level working volume',
    max_subdose: 'largest dose size',
  },

  // Config settings
  mustBe: (expected: string) => `Must be ${expected}.`,

  // Changed settings
  differsFrom: (than: string) => `Differs from ${than}`,
  nothingDiffersFrom: (than: string) => `Nothing differs from ${than}.`,
  setting: 'Setting',
  sharedFile: 'Shared file',
  reset: 'Reset',
  resetNamed: (name: string) => `Reset ${name}`,

  // Default text
  inheritedFromDefault: 'Inherited from [DEFAULT]',
  ifFieldIsEmpty: 'If the file has no value',
  ofNewFile: 'the value in the file of a new leader',
  noDefault: 'none',

  // After a save
  effectWords: { no: 'at once', job: 'when the job starts again', node: 'when the leader or the unit restarts' },
  saved: 'Saved.',
  savedChangeTakesEffect: (only: string) => `Saved. The change takes effect ${only}.`,
  savedWith: (parts: string) => `Saved. ${parts}`,

  // Config form
  above: 'above',
  from: 'from',
  choiceNames: { '1': 'On', '0': 'Off' },
  ifNothingIsChosen: 'If nothing is chosen',
  notSet: 'Not set',
  toMaximum: (max: string) => `to ${max}`,
  validRange: (valid: string) => `Valid: ${valid}.`,
  takesEffect: (needsRestart: string) => `Takes effect ${needsRestart}.`,
  showInText: 'Show in the text',
  findSetting: 'Find a setting',
  showRarelyUsedSettings: 'Show rarely used settings',
  noSettingMatches: 'No setting matches. Other keys can be written in the text.',
  valuesAreNotValid: (faults: number) => (faults === 1 ? '1 value is not valid' : `${faults} values are not valid`),

  // Diff view
  noDifferences: (label: string) => `${label}: no differences.`,
  addedRemoved: (label: string, added: number, removed: number) =>
    `${label}: ${added} ${added === 1 ? 'line' : 'lines'} added, ${removed} removed`,

  // Config history
  authorNotRecorded: ', author not recorded',
  newest: '(newest)',
  hideComparison: 'Hide the comparison',
  loadThisVersion: 'Load this version',
  fromVersionToEditor: 'From this version to the text in the editor',
  earlierVersions: 'Earlier versions',
  loadingEarlierVersions: 'Loading earlier versions',
  noEarlierVersions: 'No earlier versions.',
  showOlderVersions: 'Show older versions',

  // Conflict dialog
  savedByAnother: 'Not saved: another person has saved this file',
  fromTheirVersionToYours: 'From their version to yours',
  overwrittenVersionStays: 'A version that is overwritten stays in the list of earlier versions.',
  continueEditing: 'Continue editing',

  // Config editor
  notSaved: 'Not saved',
  correctFirst: 'Correct these values before you save',
  sharedConfiguration: 'Shared configuration',
  configurationOf: (unit: string) => `Configuration of ${unit}`,
  earlierVersionsBelow: 'Earlier versions below',
  text: 'Text',
  withoutValueHere: 'Without a value here',
  leaveEditorHelp: 'To leave the editor by keyboard press Esc, then Tab.',
  changesThatAreNotSaved: 'Changes that are not saved',
  fromSavedVersionToDraft: 'From the saved version to the draft',
  default: 'the default',
  sharedFileInline: 'the shared file',
  unsavedChanges: 'There are changes that are not saved.',

  // Config page
  sharedByAllUnits: 'Shared by all units',
  downloadAllFiles: 'Download all files',
  notAppliedEverywhere: 'Not applied on all units yet',
  appliedWhenReachable: (behind: string) => `${behind}: these units apply the saved file when they are reachable.`,
  loadingFile: 'Loading the file',
} as const;
