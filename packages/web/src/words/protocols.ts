import type { ReactNode } from 'react';
import { rich } from './rich.ts';

export const protocolsWords = {
  // Finding groups
  theUnit: 'the unit',
  lineOfText: (line: string) => `Line ${line} of the text.`,
  stepIs: (step: string) => `Step: ${step}.`,

  // Preflight
  allChecksPassed: (count: number) => `Nothing stands in the way of the start (${count} checks).`,
  blocksStart: 'Blocks the start',
  stopFirstDialog: (names: string) => `Stop ${names} first…`,
  stopThese: (names: string) => `Stop ${names}?`,
  stopFirstConsequence:
    'These jobs run now and prevent starts of the profile. Recorded data is kept. They stay off until the profile or a person starts them, also when the run is not started.',
  jobOnUnitsOf: (job: string, units: string, experiment: string) => `${job} on ${units} (${experiment})`,
  otherJobsNeedThem: 'These running jobs need them:',
  stopOnlyThese: 'Stop only these',
  effectOnUnits: (units: string, effect: string) => `${units}: ${effect}`,
  checkingWhatRunNeeds: 'Checking what the run needs',
  startAlthoughFindingsBlockIt: 'Start although findings block it',

  // Step sentence
  stateOf: (job: string) => `state of ${job}`,
  nameOfUnit: 'name of the unit',
  hoursSinceStart: 'hours since the start',
  settingReaches: (setting: string, value: string) => `${setting} reaches ${value}`,
  settingExceeds: (setting: string, value: string) => `${setting} exceeds ${value}`,
  byFormula: (words: string, computed: string) => `${words} by the formula “${computed}”`,
  settingFallsTo: (setting: string, value: string) => `${setting} has fallen to ${value}`,
  settingFallsBelow: (setting: string, value: string) => `${setting} has fallen below ${value}`,
  settingIs: (setting: string, value: string) => `${setting} ${value}`,
  jobInMode: (job: string, mode: string) => `${job} (${mode})`,
  /** Without values, and with them. */
  stepActions: {
    start: [(job: string) => `Start ${job}`, (job: string, values: string) => `Start ${job}: ${values}`],
    update: [(job: string) => `Change ${job}`, (job: string, values: string) => `Change ${job}: ${values}`],
    pause: [(job: string) => `Pause ${job}`, (job: string, values: string) => `Pause ${job}: ${values}`],
    resume: [(job: string) => `Resume ${job}`, (job: string, values: string) => `Resume ${job}: ${values}`],
    stop: [(job: string) => `Stop ${job}`, (job: string, values: string) => `Stop ${job}: ${values}`],
  },
  otherStep: (action: string, job: string, values: string) => `${action} ${job}${values === '' ? '' : `: ${values}`}`,
  waitUntil: (read: string) => `Wait until ${read}`,
  beginIteration: (iteration: number) => `Begin iteration ${iteration} of the loop`,
  beginIterationWhile: (iteration: number, read: string) =>
    `Begin iteration ${iteration} of the loop, as long as the formula “${read}” is true`,
  beginIterationUntil: (iteration: number, end: string) => `Begin iteration ${iteration} of the loop, until ${end}`,
  writeToEventLog: (message: string) => `Write to the event log: “${message}”`,
  ifCondition: (text: string, read: string) => `${text}, if ${read}`,
  waitUntilEnds: (read: string) => `The wait until ${read} ends`,
  loopEndsFormula: (read: string) => `The loop ends: “${read}” is no longer true`,
  loopEnds: (end: string) => `The loop ends: ${end}`,

  // Run words
  skipped: 'Skipped',
  missed: 'Missed',
  iterationBegun: 'Iteration begun',
  loopEnded: 'Loop ended',
  conditionHeld: 'Condition held',
  late: (elapsed: string) => `${elapsed} late`,
  resumed: 'Resumed',
  skippedToLaterStep: 'Skipped to a later step',
  askedAboutMissedStep: 'Asked about a missed step',
  withIteration: (text: string, iteration: number) => `${text} (iteration ${iteration})`,

  // Run dialog
  itsEndDependsOnConditions: 'Its end depends on conditions.',
  lastActionIsDueAfter: (elapsed: string) => `The last action is due after ${elapsed}.`,
  noActiveUnits: (experiment: string) =>
    `${experiment} has no active units for this profile: the run would end at once.`,
  runSummary: (isDry: boolean, jobs: string, units: string, end: string) =>
    `${isDry ? 'Only logs the actions of' : 'Acts on'} ${jobs} on ${units}. ${end}`,
  temperaturesAndDoses: 'Temperatures, targets and doses:',
  stepAtStart: (step: string) => `${step} (at the start)`,
  stepAfter: (step: string, elapsed: string) => `${step} (after ${elapsed})`,
  stepAfterWait: (step: string) => `${step} (after a wait, or in a loop)`,
  stepOnUnits: (units: string, step: string) => `${units}: ${step}`,
  moreSteps: (count: number) => `${count} more steps, in the timeline of the profile`,
  jobsStayOn: 'Jobs that it has started stay on after the last action, unless the profile stops them.',
  runNamed: (filename: string) => `Run ${filename}`,
  chooseExperimentOfRun: 'Choose the experiment of the run',
  createOne: 'Create one',
  noExperimentIsRunning: (link: ReactNode) =>
    rich`No experiment is running. ${link} and assign units to it, then run the profile.`,
  dryRun: 'Dry run',
  dryRunHelp: 'Waits for the time of each action and only logs it',
  startDryRun: 'Start the dry run',
  startRun: 'Start the run',

  // Run here
  chooseStartingPoint: 'Choose a starting point',
  noProfileIsSavedYet: (link: ReactNode) => rich`No profile is saved yet. ${link}, save it, then run it here.`,
  profile: 'Profile',
  chooseSavedProfile: 'Choose a saved profile',
  run: 'Run…',

  // Marks of a timeline
  markAt: (time: string, isUncertain: boolean, sentence: string, end: string) =>
    `At ${time}${isUncertain ? ' or later' : ''}: ${sentence}${end}`,

  // Run controls
  stopThisRun: 'Stop this run?',
  stopRunConsequence: (units: string) =>
    `All jobs that the run has started are stopped, on ${units}. A unit that cannot be reached stops them when it returns. Recorded data is kept. The run cannot be continued.`,
  stopRun: 'Stop the run',
  pauseConsequence: 'The remaining actions are delayed by the length of the pause. Jobs that run continue.',
  actionWasMissed: 'An action was missed',
  aStep: 'a step',
  missedAction: (reactorUnit: string, text: string) =>
    `${reactorUnit}: ${text} was due while the leader was off. The run is paused until you decide.`,
  carryItOutNow: 'Carry it out now',
  leaveItOut: 'Leave it out',

  // Run steps
  endWait: 'End the wait',
  skipToThis: 'Skip to this',
  endWaitDialog: 'End the wait…',
  skipToThisDialog: 'Skip to this…',
  endWaitConsequence: 'The wait ends as if its condition held, and its actions follow.',
  skipConsequence:
    'The run continues at the time of this action, on all units. Stops and pauses that were due before are carried out.',
  nothingIsLeftOut: 'No step is left out.',
  theseAreLeftOut: 'These steps are left out:',
  stepOfUnits: (units: string, step: string) => `${units}: ${step}.`,
  needsLeftOut: (step: string, needed: string, job: string, effect: string) =>
    `“${step}” needs ${needed}, whose start is left out. Without it, ${job} ${effect}.`,
  effectsOfLack: {
    waits: 'waits and does nothing',
    'goes on': 'goes on with doubtful values',
    unknown: 'may not work',
  },
  changesLeftOut: (step: string, job: string) =>
    `“${step}” changes ${job}, whose start is left out: the step fails unless it runs by then.`,
  warningOfUnits: (units: string, warning: string) => `${units}: ${warning}`,
  skipTakesEffectWhenResumed: 'It takes effect when the run is resumed.',
  skipWaits: 'The skip takes effect when the run is resumed',
  skipWaitsFor: (units: string, step: string) => `The run then continues with “${step}” of ${units}.`,
  leftOutWhenResumed: 'left out when the run is resumed',
  continuesWhenResumed: 'the run continues here when it is resumed',
  runIsEnding: 'The run is ending.',
  nothingRunHasEnded: 'Nothing: the run has ended.',
  nextActions: 'Next actions',
  when: 'When',
  action: 'Action',
  control: 'Control',
  endThisWait: 'End this wait?',
  skipToThisAction: 'Skip to this action?',
  skip: 'Skip',
  nothingYet: 'Nothing yet.',
  actionsOfRun: 'Actions of the run',
  planned: 'Planned',
  carriedOut: 'Carried out',

  // Run page
  hasNoSuchRun: (experiment: string) => `${experiment} has no such run`,
  runDeletedOrMisspelled: 'It is too old and was deleted, or the address is not complete.',
  allProfilesAndRuns: 'All profiles and runs',
  noUnits: 'no units',
  onStarted: (file: string, units: string, moment: ReactNode) => rich`${file} on ${units}. Started ${moment}`,
  endedAt: (moment: ReactNode) => rich`, ended ${moment}`,
  notCarriedOut: 'Not carried out',
  notCarriedOutStopped: 'Not carried out: the run was stopped before',
  countMore: (count: number) => `Show more (${count} left)`,
  changesOfRun: 'Changes of the run',
  loadingActions: 'Loading actions',
  partNextActions: 'The next actions',
  partActionsOfRun: 'The actions of the run',
  checkBeforeStart: 'Check before the start',
  textOfProfileAtStart: 'Text of the profile at the start',
  downloadRecordOfRun: 'Download the record of the run',
  showText: 'Show the text',
  loadingRun: 'Loading the run',

  // Newest runs
  loadingRuns: 'Loading runs',
  noRunsYet: 'No runs yet. Open a saved profile and start it in an experiment.',
  runsOfProfiles: 'Runs of profiles',
  started: 'Started',
  by: 'By',

  // Saved profiles
  durationForUnits: (span: ReactNode, units: string) => rich`${span}, for ${units}`,
  cannotBeUsed: (parseError: string) => `Cannot be used: ${parseError}`,
  savedProfiles: 'Saved profiles',
  loadingProfiles: 'Loading profiles',
  noProfilesYet: 'No profiles yet. Choose a starting point below: you set its values in a form, save it and run it.',

  // Profile steps
  steps: 'Steps',
  stepsOf: (name: string) => `Steps of ${name}`,
  loadingSteps: 'Loading the steps',
  moreStepsFollow: 'More steps follow.',

  // Starting points
  startingPoints: 'Starting points',
  loadingLibrary: 'Loading the library',
  asStartingPoint: 'Use as a starting point',
  asStartingPointNamed: (name: string) => `Use as a starting point: ${name}`,

  // Protocols page
  profileHelp:
    'A profile starts, changes and stops jobs on the units of an experiment, by time and by condition. Choose a starting point, set its values, save it and run it.',
  writeProfileYaml: 'Write a profile (YAML)',
  listOfProfiles: 'The list of profiles',
  library: 'The library',
  listOfRuns: 'The list of runs',

  // Delete profile
  deleteConsequence:
    'The profile can no longer be run. Runs that are under way continue. Its text stays in the history of the folder on the leader.',

  // Fields of a profile
  verbs: { start: 'Start', update: 'Change', pause: 'Pause', resume: 'Resume', stop: 'Stop' },
  entryInEventLog: 'Entry in the event log',
  timeAfter: (actions: string) => `${actions} after`,
  unitOf: (label: string) => `Unit of “${label}”`,
  notInThisCluster: (name: string) => `${name} (not in this cluster)`,

  // Profile findings
  findings: 'Findings',
  errorCount: (count: number) => (count === 1 ? '1 error' : `${count} errors`),
  warningCount: (count: number) => (count === 1 ? '1 warning' : `${count} warnings`),
  noFindings: 'No findings in the text. What it needs of the units is checked before a run.',
  error: 'Error',
  warning: 'Warning',
  cannotBeRun: (reason: string) => `Cannot be run: ${reason}`,

  // Timeline
  moreActionsFollow: 'More actions follow.',
  logEntry: 'log entry',
  afterWait: 'after a wait: this early or later',
  endDependsOnConditions: 'The end depends on conditions.',
  moreUnitsAreNotShown: (omittedUnits: number) => ` ${omittedUnits} more units are not shown.`,
  eachStepInSentence: 'Each step in a sentence',

  // Timeline panel
  unitsOf: 'Units of',
  ofTextBefore: 'Of the text before: the present one has errors.',
  eachUnit: 'Each unit',

  // Schema suggestions
  aJob: 'A job',
  aUnit: 'A unit',

  // Profile form
  profileKeeps: (enteredFault: string, value: string) => `${enteredFault} The profile keeps ${value}.`,
  values: 'Values',
  textOfProfileHasErrors: 'The text of the profile has errors: correct them first.',
  twoFieldsHaveThisUnit: 'Two fields have this unit.',
  noValuesHere: 'This profile has no values to set here. Change its steps in the text.',
  times: 'Times',
  timesSinceStart: 'Times since the start',
  otherStepsInText: 'Other steps are changed in the text.',

  // Profile editor
  textYaml: 'Text (YAML)',
  saved: 'Saved',
  savedRunsKeepTheirText: 'Saved. The run under way keeps the text with which it began; the next run has the new one.',
  notSavedYet: 'Not saved yet',
  notFormatted: (error: string) => `Not formatted: ${error}`,
  duplicate: 'Duplicate',
  saveChangesFirst: 'Save the changes first',
  fileName: 'File name',
  ctrl: 'Ctrl',
  space: 'Space',
  tab: 'Tab',
  esc: 'Esc',
  editorKeysHelp: (ctrl: ReactNode, space: ReactNode, tab: ReactNode, esc: ReactNode) =>
    rich`${ctrl} ${space} suggests what may come next. ${tab} indents; to leave the editor press ${esc}, then ${tab}.`,
  newProfile: 'New profile',
  historyOfFolder: 'the history of the folder',
  editProfileBy: 'Edit the profile by',
  partForm: 'The form',
  loadingForm: 'Loading the form',
  textOf: (title: string) => `Text of ${title}`,
  loadingRehearsal: 'Loading the rehearsal',

  // Editor page
  loadingProfile: 'Loading the profile',
  thereIsNoProfile: (name: string) => `There is no profile ${name}`,
  // Run page
  stoppedBy: (stopper: string) => `: stopped by ${stopper}`,
  paused: 'paused',
  evaluated: 'evaluated',
} as const;
