import type { ReactNode } from 'react';
import { rich } from './rich.ts';

export const jobsWords = {
  // Questions before pumps dilute at once
  dilutionRefused: {
    start: 'Dosing has not been started there. Check the values, and the scale of a target.',
    change: 'Nothing has been changed there. Check the values, and the scale of a target.',
  },
  confirmDilution: { start: 'Start and dilute', change: 'Change and dilute' },

  // Job control
  requestDoing: { start: 'Starting', stop: 'Stopping', pause: 'Pausing', resume: 'Resuming', adjust: 'Changing' },
  requestDone: { start: 'Started', stop: 'Stopped', pause: 'Paused', resume: 'Resumed', adjust: 'Changed' },
  requestFailed: {
    start: 'Not started',
    stop: 'Not stopped',
    pause: 'Not paused',
    resume: 'Not resumed',
    adjust: 'Not changed',
  },
  requestSending: (kind: string) => `${kind}: sending…`,
  requestWaiting: (kind: string) => `${kind}: waiting for the unit…`,
  requestAccepted: (kind: string) => `${kind}: accepted, waiting for its state…`,
  requestUnconfirmed: 'The unit accepted the request but has not reported the new state yet.',

  // Start refusals
  pumpsMayDiluteAtOnce: 'The pumps may dilute at once',

  // Start fields
  yes: 'Yes',
  no: 'No',
  mayStayEmpty: 'May stay empty.',
  defaultIs: (list: string) => `Default: ${list}.`,
  valueOfUnits: (value: string, units: string) => `${value} (${units})`,
  chooseBiomassSignalFirst: 'Choose the biomass signal first.',
  scaleNow: (label: string, now: string) => `${label} now: ${now}.`,
  severalAreSeparatedByCommas: 'Several are separated by commas.',

  // Biomass field
  scaleOfTarget: 'The scale of the target. The same culture has another number on each of them.',
  nowWithHelp: (now: string, help: string) => `Now: ${now}. ${help}`,

  // Dosing consequence
  about: (span: string) => `about ${span}`,
  bottleIsEmpty: 'The bottle is empty.',
  bottleLasts: (span: string) => `The bottle lasts ${span}.`,
  growthRateIsNotKnown: 'The growth rate is not known yet.',
  cultureHardlyGrowsNow: 'The culture hardly grows now.',
  readingsNotKnown: (unit: string) => `${unit}: its readings are not known yet.`,
  dilutesAtOnce: (unit: string, signal: string, now: string, target: string) =>
    `${unit}: ${signal} now ${now}, target ${target}: dilutes at once.`,
  dilutesIn: (unit: string, signal: string, now: string, target: string, span: string) =>
    `${unit}: ${signal} now ${now}, target ${target}: dilutes in ${span}.`,
  dilutesAtTarget: (unit: string, signal: string, now: string, target: string) =>
    `${unit}: ${signal} now ${now}, target ${target}: dilutes when the target is reached.`,
  dilutesAtTargetUnread: (unit: string, signal: string, target: string) =>
    `${unit}: ${signal} has no reading now, target ${target}: dilutes when the target is reached.`,
  mediumUntilTarget: (ml: string) => `It takes about ${ml} mL until the target is reached.`,
  thenMediumPerDay: (ml: string) => `Then about ${ml} mL of medium a day.`,
  mediumInTotal: (ml: string, units: number) =>
    `In total about ${ml} mL until ${units} units have reached their targets.`,
  mediumPerDay: (unit: string, ml: string) => `${unit}: about ${ml} mL of medium a day.`,
  pumpsEach: (pumped: string, exchange: string) =>
    `Each exchange pumps ${pumped} mL: ${exchange} mL, and what mixing and evaporation take of its effect.`,
  dilutionRate: (rate: string) => `The dilution rate is ${rate} h⁻¹.`,
  dilutionAndGrowth: (rate: string, growth: string) =>
    `The dilution rate is ${rate} h⁻¹, the growth rate now ${growth} h⁻¹.`,
  cultureWashedOut: (rate: string, growth: string) =>
    `The dilution rate is ${rate} h⁻¹, the growth rate now ${growth} h⁻¹: the culture is washed out unless it grows faster.`,
  exchangesAtUnread: (unit: string, signal: string, from: string) =>
    `${unit}: ${signal} has no reading now: exchanges medium from ${from} on.`,
  exchangesAt: (unit: string, signal: string, now: string, from: string) =>
    `${unit}: ${signal} now ${now}: exchanges medium from ${from} on.`,
  exchangesIn: (unit: string, signal: string, now: string, from: string, span: string) =>
    `${unit}: ${signal} now ${now}: exchanges medium from ${from} on, in ${span}.`,
  exchangesNow: (unit: string, signal: string, now: string, from: string) =>
    `${unit}: ${signal} now ${now}: exchanges medium from ${from} on, at the next check.`,
  bothMediaPerDay: (ml: string, rate: string, factor: number) =>
    `Then about ${ml} mL of medium and alternative medium a day (${rate} h⁻¹), ${factor} times as much while the culture is far above its target.`,
  addsPerDay: (unit: string, ml: string) => `${unit}: adds about ${ml} mL a day; no liquid is removed.`,
  addsPerDayToVial: (unit: string, ml: string, volumeMl: string) =>
    `${unit}: adds about ${ml} mL a day to the ${volumeMl} mL in the vial; no liquid is removed.`,
  vialIsFullAfter: (limitMl: string, additions: number, time: string) =>
    `The vial is full (${limitMl} mL) after ${additions === 1 ? 'one addition' : `${additions} additions`}, in ${time}.`,
  firstAdditionTooLarge: (limitMl: string) =>
    `The first addition would reach the limit of the vial (${limitMl} mL): it is refused.`,

  // Temperature consequence
  liquidWarms: (unit: string, now: string, target: string, span: string, room: string) =>
    `${unit}: liquid ${now} °C now, target ${target} °C: about ${span} in a room of ${room} °C.`,
  liquidNotMeasured: (unit: string, target: string, room: string, span: string) =>
    `${unit}: the liquid has no current reading. From ${room} °C the heater needs about ${span} to ${target} °C.`,
  liquidCools: (unit: string, now: string, target: string) =>
    `${unit}: liquid ${now} °C now, target ${target} °C: the heater is off until it has cooled. It does not become colder than the room.`,
  liquidIsKept: (unit: string, now: string, target: string) =>
    `${unit}: liquid ${now} °C now, target ${target} °C: the heater keeps it there. It does not become colder than the room.`,
  liquidTargetNotReached: (unit: string, target: string, room: string) =>
    `${unit}: the heater does not reach the target of ${target} °C in a room of ${room} °C.`,

  // Dependents
  effectNotDeclared: 'has old or no values from it; what it then does is not declared',
  waitsWithoutDosing: 'waits and doses nothing',
  waitsWithoutValues: 'waits and has no new values',
  dosesByDoubtfulValues: 'goes on and doses by doubtful values',
  heatsUnevenly: 'goes on, but the temperature in the vial is uneven',
  valuesAreDoubtful: 'goes on, but its values are doubtful',

  // Stop question
  stopOn: (title: string, where: string) => `Stop ${title} on ${where}?`,
  undoStop: (title: string) => `Undo the stop of ${title}`,
  theseRunningJobsNeedIt: 'These running jobs need it:',
  effectWithoutIt: (needed: string, effect: string) => `${needed}: without it, it ${effect}.`,
  stopOnlyThis: 'Stop only this',
  stopAllOfThese: 'Stop all of these',

  // Missing readings
  isOffOn: (job: string, missing: string) => `${job} is off on ${missing}: without its readings nothing is dosed.`,
  mixingIsOff: (job: string, missing: string) =>
    `${job} is off on ${missing}: what is dosed is not mixed with the culture.`,

  // Pump capacity
  growthOutrunsPumps: (unit: string, fastest: string, exchangeMl: string, growthPerHour: string) =>
    `${unit}: growth can outrun the pumps. They dilute by at most ${fastest} h⁻¹ with exchanges of ${exchangeMl} mL; growth rate now ${growthPerHour} h⁻¹. Choose larger exchanges.`,
  growthOutrunsRareReadings: (
    unit: string,
    fastest: string,
    exchangeMl: string,
    growthPerHour: string,
    readingEveryS: string,
  ) =>
    `${unit}: growth can outrun the pumps. With a reading every ${readingEveryS} s they dilute by at most ${fastest} h⁻¹ with exchanges of ${exchangeMl} mL; growth rate now ${growthPerHour} h⁻¹. Choose larger exchanges or more frequent readings.`,
  exchangeTooSlow: (unit: string, exchangeMl: string, seconds: number) =>
    `${unit}: an exchange of ${exchangeMl} mL takes ${seconds} min, longer than the interval: the set dilution rate is not reached.`,
  exchangeTooLarge: (unit: string, exchangeMl: string, left: string, volumeMl: string) =>
    `${unit}: each exchange of ${exchangeMl} mL leaves only ${left} % of the culture of ${volumeMl} mL. Choose smaller exchanges, unless it is to be washed out.`,

  // Value warnings
  targetFarFromValue: (unit: string, target: string, value: string, of: string) =>
    `${unit}: the target is ${target} times the present value, ${value} ${of}. Is it a number of this scale?`,
  targetIsFar: 'The target is far above the present density',
  nothingDosedUntilThen: 'Nothing is dosed until the culture is as dense as that.',
  confirmFarTarget: { start: 'Start with this target', change: 'Change to this target' },
  changedMeanwhile: (value: string) => `Meanwhile the value was changed to ${value}.`,
  changedMeanwhileOnSome: 'Meanwhile the value was changed on some of these units.',
  takeTheirs: (value: string) => `Use ${value}`,
  pumpsNotCalibrated: (unit: string, pumps: string) =>
    `Not calibrated on ${unit}: ${pumps}. It refuses to start until a calibration is active (Calibrations).`,
  keepMine: 'Keep mine',
  tooSlowToMeasure: (rpm: number) =>
    `Slower than ${rpm} RPM cannot be measured: the stirrer counts as stalled. 0 stops it.`,
  mostCulturesDie: (mostCelsius: number) => `Most cultures do not survive more than ${mostCelsius} °C.`,

  // Start job
  mode: 'Mode',
  notPossibleNow: (help: string, missing: string) => `${help} Not possible now: ${missing}`,
  lastUsedAt: (moment: ReactNode) => rich`Last used ${moment}`,
  lastUsed: 'Last used: ',
  defaultAgain: 'use the default',
  sameAgain: (value: string) => `use ${value} again`,
  toDefault: (text: string) => `Use the default${text}`,
  fromPlugin: (plugin: string) => `From the plugin ${plugin}.`,
  optionsNotLoadedYet: 'Options not loaded yet; it starts with defaults.',
  notOnUnit: (unit: string, reason: string) => `Not on ${unit}: ${reason}`,
  moreOptions: 'More options',
  loadingLastRun: 'Asking for the values of the last run…',
  startOn: (shownTitle: string, where: string) => `Start ${shownTitle} on ${where}`,

  // Stop all
  stopAllJobsOn: (where: string) => `Stop all jobs on ${where}?`,
  stopAllConsequence:
    'Pumps, stirring, heating, light and all measurements of this experiment stop there. A running profile ends. Recorded data is kept. Jobs stay off until you start them.',

  // Adjust setting
  range: (min: string, max: string, unit: string) => `From ${min} to ${max}${unit}`,
  changeSettingOf: (name: string, text: string, owner: string) => `${name} ${text} of ${owner}: change`,

  // Confirm dilution
  diluteNow: (unitName: string) => `Dilute ${unitName} now?`,
  keepOldValue: 'Keep the old value',
  changeAndDilute: 'Change and dilute',

  // Resume question
  resumeOn: (title: string, unitName: string) => `Resume ${title} on ${unitName}?`,

  // Start question
  needsOtherJobs: (count: number) => `It needs ${count === 1 ? 'a job that does not run' : 'jobs that do not run'}:`,
  valuesMissingWithout: (count: number) => `Without ${count === 1 ? 'it' : 'them'} its values are missing or wrong.`,
  startOnlyThis: 'Start only this',
  startAlso: (count: number) => `Start ${count === 1 ? 'both' : 'all'}`,

  // Job row
  actionOnUnit: (verb: string, shownTitle: string, unitName: string) => `${verb} ${shownTitle} on ${unitName}`,
  needsWhichOff: (off: string, count: number) => `Needs ${off}, which ${count === 1 ? 'is' : 'are'} off`,
  endedAt: (at: string, why: string) => `${at}: ${why}`,
  startWithLastValues: 'Start again with the last values…',
  leaveOff: 'Leave off',
  unitWentAway: 'The unit went away while the job ran. The job may still run.',
} as const;
