import type { ReactNode } from 'react';
import { rich } from './rich.ts';

export const experimentWords = {
  // Experiment switcher
  switchToAnotherExperiment: 'Switch to another experiment',
  switchExperiment: 'Switch experiment',
  withUnits: 'With units',
  others: 'Others',

  // Experiment header
  actionsForThisExperiment: 'Actions for this experiment',
  lastReading: 'Last reading',
  createdToLastReading: 'Creation to last reading',

  // Protection notice
  mayStopJobs: ' You see it, and may stop its jobs.',

  // Experiment page
  couldNotBeShown: (name: string) => `${name} could not be shown`,
  thereIsNoExperiment: (name: string) => `There is no experiment ${name}`,
  recordNotReadable: 'The leader sent a record that the web UI cannot read.',
  loadingExperiment: 'Loading the experiment',
  partsOfExperiment: 'Parts of the experiment',
  runningProfiles: 'The running profiles',

  // Unit strip
  nothingRecorded: 'No unit is assigned to this experiment: nothing is recorded.',
  unitsNow: 'Units now',

  // Overview tab
  units: 'The units',
  charts: 'The charts',

  // Timeline tab
  eventLog: 'The event log',

  // Export preview
  noRowsYet: 'No rows yet.',
  timesInFilesAreUtc: 'Times in the files are UTC. ',
  filesAlsoHave: 'The files also have: ',
  newestRowsOf: (displayName: string) => `Newest rows of ${displayName}`,
  previewOfDatasets: 'Preview of datasets',

  // Export request
  chooseAtLeastOneDataset: 'Choose at least one dataset.',
  endIsBeforeBeginning: 'The end is before the beginning.',
  beginningIsInFuture: 'The beginning is in the future: there are no data yet.',

  // Export size text
  n1Row: '1 row',
  rowCount: (count: string) => `${count} rows`,
  aboutRows: (count: string) => `about ${count} rows`,
  sizeNotKnown: 'size not known',
  whenUnpacked: (size: string) => `, ${size} when unpacked`,
  zipFileWillHave: (isWhole: boolean, size: string, zip: string) =>
    `The zip file will have ${isWhole ? 'about' : 'more than'} ${size}${zip}.`,
  sizeIsNotKnown: 'The size is not known: it could not be estimated in time.',

  // Export size
  estimatingSize: 'Estimating the size…',
  sizeOfExport: 'Size of the export',
  exportTooLarge: (size: string) =>
    `The disk of the leader has ${size} for exports. Choose fewer datasets or a shorter time, or free some space.`,
  notEnoughSpace: 'There is not enough space for this export',

  // Export form
  csv: 'CSV',
  parquet: 'Parquet',
  datasets: 'Datasets',
  exportFailed: (cause: string, remediation: string) => `The export failed. ${cause} ${remediation}`,
  exporting: 'Exporting…',
  exportStillRuns: 'The export that you began is still running.',
  exportAnother: 'Start another export',
  downloadZipFile: 'Download the zip file',
  emptyFromBeginning: (fromZone: string) => `${fromZone}; empty: from the beginning`,
  emptyUpToNow: (toZone: string) => `${toZone}; empty: up to now`,
  windowOfCharts: 'Window of the charts',
  fileForEachUnit: 'A file for each unit',
  alwaysFileForEachUnit: (datasets: string) => `Always for ${datasets}`,
  exportingNamed: (experiment: string) => `Exporting ${experiment}`,
  isExported: (experiment: string) => `${experiment} is exported: its page Data has the file`,
  wasNotExported: (experiment: string) => `${experiment} was not exported`,
  export: 'Export',

  // Data tab
  growthCurves: 'The growth curves',
  partExport: 'The export',

  // Description editor
  phaseText: {
    settled: 'Saved',
    edited: 'Not saved yet',
    saving: 'Saving…',
    failed: 'Not saved',
    conflicting: 'Changed by someone else',
  },
  savedBySomeoneElse: 'Someone else saved this description meanwhile:',
  empty: '(empty)',
  useTheirs: 'Use theirs',
  keepMine: 'Keep mine',
  whatIsThisExperimentAbout: 'What is this experiment about?',
  saveAgain: 'Save again',

  // Media forecast
  moreThanAt: (span: string, rate: string) => `more than ${span} at ${rate}`,
  untilAt: (end: string, rate: string) => `until ${end} at ${rate}`,
  enterBottleLeft: 'Enter what is left in the bottle to see how long it lasts.',
  bottleIsEmpty: 'The bottle is empty: change it.',
  noDosingRuns: 'No dosing runs: no forecast.',
  dosingIsPaused: 'Dosing is paused: no forecast.',
  plannedRate: 'the planned rate',
  bottleLasts: (lasts: string) => `Lasts ${lasts}.`,
  forecastTooEarly: 'Too early to say at the measured rate.',
  noMediumDosed: 'No medium is dosed at present.',
  measuredRate: 'the measured rate',
  volumeNeeded: 'A volume of at least 0 is needed.',

  // Media panel
  bottle: 'Bottle',
  mediumLeftOf: (unit: string) => `Medium left in the bottle of ${unit}, mL`,
  earlier: 'earlier',
  left: 'left',
  freeInBottle: 'free in the bottle',
  mediumPerHour: 'Medium per hour',
  mediumLeft: 'Medium left',
  notMonitored: 'not monitored',
  forecast: 'Forecast',
  loadingWhatWasUsed: 'Loading what was used…',
  nothingWasDosedYet: 'Nothing was dosed yet. Enter what is in the bottles, then start “Dosing” on the tab Units.',
  nothingDosed: 'Nothing was dosed in this experiment.',
  mediaUsedAndLeft: 'Media used and left',
  mediaRateHelp: (mediaRateHours: number) =>
    `By the dosing that runs, from its first dose; at most the last ${mediaRateHours} h`,
  mediaAndBottles: 'Media and bottles',
  noUnitsAssignFirst: 'No unit is or was in this experiment. Assign units first.',

  // Setup units
  labelOf: (unit: string) => `Label of ${unit}`,
  noLabel: 'No label',
  replicateGroupOf: (unit: string) => `Replicate group of ${unit}`,
  noGroup: 'No group',
  noUnits: 'No unit is or was in this experiment.',
  labelsAndGroups: 'Labels and groups',
  label: 'Label',
  replicateGroup: 'Replicate group',

  // Setup tab
  design: 'Design',
  edit: 'Edit',
  notStated: 'not stated',
  noTags: 'none',
  createdBy: 'Created by',
  whoActs: 'Who acts',
  ownerMembersAndAdministrators: 'owner, members and administrators',
  everyOperator: 'every operator',
  endAndArchive: 'End and archive',
  endStopsAllJobs: 'The end stops all jobs. All data are kept.',
  endedAt: (moment: ReactNode) => rich`Ended ${moment}.`,
  itIsArchived: 'It is archived: lists show it on request only.',
  archiveHelp: 'An archived experiment is kept, and lists show it on request only.',
  unitsLabelsAndGroups: 'Units, labels and groups',
  partLabelsAndGroups: 'The labels and groups',
  description: 'The description',
  protocol: 'Protocol',
  profilesHelp: 'A profile runs the steps of a protocol by itself. A running one is shown at the top of this page.',
  profiles: 'The profiles',
  assignmentHistory: 'History of assignments',
  partAssignmentHistory: 'The history of assignments',
  media: 'The media',
  audit: 'The audit',
} as const;
