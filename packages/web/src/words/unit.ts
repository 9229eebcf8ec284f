import type { ReactNode } from 'react';
import { rich } from './rich.ts';

export const unitWords = {
  // Head
  itsCharts: 'Charts of this unit',
  itsLog: 'Log of this unit',

  // Identity form
  labelIn: (experiment: string) => `Label in ${experiment}`,
  modelHelp: 'It determines the volume of the vial and the limits of the heater.',
  labelAndModel: 'Label and model',

  // Vial state
  pumpNames: { media: 'medium pump', alt_media: 'alternative medium pump', waste: 'waste pump' },
  volumeNotKnown: 'volume not known',
  ofFullVolume: (fullMl: string) => ` of ${fullMl} mL`,
  stirrerOff: 'stirrer off',
  stirringAtRpm: (stirringRpm: string) => `stirring at ${stirringRpm} RPM`,
  heaterOff: 'heater off',
  heaterAtPercent: (heaterPercent: string) => `heater at ${heaterPercent} %`,
  ledAtPercent: (channel: string, percent: string | number) => `LED ${channel} at ${percent} %`,
  noPumpRuns: 'no pump runs',
  vialOf: (name: string, parts: string) => `Vial of ${name}: ${parts}.`,

  // Vial drawing
  mediumInlet: (text: ReactNode) => rich`medium ${text}`,
  alternativeInlet: (text: ReactNode) => rich`alternative ${text}`,
  wasteOutlet: (text: ReactNode) => rich`${text} waste`,
  heatPercent: (percent: string) => `heat ${percent} %`,
  atMostVolume: (fullMl: string) => `full at ${fullMl} mL`,
  stirringRpm: (stirringRpm: string) => `stirring ${stirringRpm} RPM`,

  // Live tab
  noDoseYet: 'No dose yet',
  lastDose: (output: string, change: string, elapsed: ReactNode) =>
    rich`Last dose: ${output}, ${change}, ${elapsed} ago`,
  onWith: (dosing: string) => `On: ${dosing}`,
  runningJobs: 'Running jobs',
  runningJobsLastKnown: (lastKnown: string) => `Running jobs, last known ${lastKnown}`,
  startAndChangeJobs: 'Start and change jobs',
  noJobRuns: 'No job runs on this unit.',
  latestReadings: 'Latest readings',
  unitIsFree: (unit: string, link: ReactNode) =>
    rich`${unit} is in no experiment. Open one of the ${link} and assign the unit to it; then its readings and jobs are shown here.`,

  // Dose forecast
  bottleLeft: (bottleLeftMl: string) => `The bottle has ${bottleLeftMl} left.`,
  vialAfterDose: (nowMl: string, afterMl: string) => `The vial has ${nowMl} now, ${afterMl} after the dose.`,
  vialTooFull: (afterMl: string, stopLimitMl: string) =>
    `The vial would have ${afterMl}; it must stay below ${stopLimitMl}. Remove waste first.`,
  bottleTooEmpty: (bottleLeftMl: string) => `The bottle has ${bottleLeftMl} left only.`,
  wasteTubeEnds: (wasteTubeMl: string) => `The waste tube ends at ${wasteTubeMl}.`,
  vialVolumeNotKnown: 'The volume in the vial is not known.',
  pumpMovesAirOnly: (nowMl: string, tubeMl: string) =>
    `The vial has ${nowMl}. The waste tube ends at ${tubeMl}: the pump would move air only.`,
  vialAfterRemoval: (nowMl: string, afterMl: string) => `The vial has ${nowMl} now, ${afterMl} after the removal.`,
  thenPumpMovesAir: (tubeMl: string) => `The waste tube ends at ${tubeMl}: then the pump moves air.`,
  pumpNotCalibrated: 'This pump is not calibrated, so the volume of a run by time is not known.',
  amountIsNeeded: 'An amount is needed.',
  mustBeNumberAbove0: 'Must be a number above 0.',

  // Dose run
  aPumpRuns: 'A pump runs…',
  pumpRuns: (what: string) => `The pump runs: ${what}…`,
  pumpHasEnded: 'The pump has ended. Reading the volume…',
  doseDone: (done: string, volume: string) => `${done}: ${volume}`,
  pumpedVolumeNotKnown: (what: string) =>
    `The pump has ended: ${what} requested, the volume that was moved is not known.`,
  pumpWasStopped: (what: string) => `The pump was stopped: not all of ${what}.`,

  // Manual dosing
  dose: {
    s: (amount: string, liquid: string) => `${amount} s ${liquid}`,
    mL: (amount: string, liquid: string) => `${amount} mL ${liquid}`,
  },
  added: (liquid: string) => `${liquid} added`,
  removed: (liquid: string) => `${liquid} removed`,
  doseByHand: 'Dose by hand',
  pump: 'Pump',
  amount: 'Amount',
  amountIn: 'In',
  millilitres: 'mL',
  seconds: 'seconds',
  stopPump: 'Stop the pump',
  stopPumps: 'Stop the pumps',
  byTime: 'by time',
  byVolume: 'volume',
  aboutVolume: (volumeMl: string) => `About ${volumeMl} mL. `,

  // Manual light
  ledReadsOd: 'infrared, the optical density is read with it. Stop OD reading to light it by hand.',
  ledNow: (channel: string, text: string) => `LED ${channel}: ${text}`,
  off: 'off',
  intensityOfLed: (channel: string) => `Intensity of LED ${channel}`,
  set: 'Set',
  setLed: (channel: string) => `Set LED ${channel}`,
  ledOff: (channel: string) => `LED ${channel} off`,
  lightByHand: 'Light by hand',
  lightHelp:
    'An LED stays at its intensity until it is changed. Light pauses while the optical density is read; the LED of the density itself cannot be set meanwhile.',

  // Vial form
  volumeInVial: 'Volume in the vial',
  endOfWasteTube: 'End of the waste tube',
  mediumLeftInBottle: 'Medium left in the bottle',
  alternativeMediumLeft: 'Alternative medium left',
  freeVolumeOfWasteBottle: 'Free volume of the waste bottle',
  volumeNow: (nowMl: string) => `now ${nowMl} mL`,
  correctVolumes: 'Correct the volumes',
  volumesAndBottles: 'Volumes and bottles',
  volumesHelp:
    'Enter what you measured or changed; an empty field stays as it is. Doses are refused when the vial would be too full or a bottle empty.',

  // Hardware tab
  lastContact: 'Last contact',
  address: 'Address',
  recordsToSend: 'Records to send',
  processor: 'Processor',
  memoryUsed: 'Memory used',
  diskUsed: 'Disk used',
  processorTemperature: 'Processor temperature',
  supplyOfOutputs: 'Supply of the outputs',
  ipAddress: 'IP address',
  macAddressWireless: 'MAC address, wireless',
  macAddressCable: 'MAC address, cable',
  lightBlinks: (unit: string) => `The light of ${unit} blinks.`,
  contactAndVersion: 'Contact and version',
  computerAndBoard: 'Computer and board',
  computerNotReported: 'The unit has not reported its computer yet.',
  selfTest: 'Self-test',
  selfTestHelp:
    'The self-test is one of the procedures of the unit: it tests photodiodes, LED, heater and stirrer with a clear vial.',

  // Unit page
  tabs: { live: 'Live', control: 'Control', why: 'Why?', calibrations: 'Calibrations', hardware: 'Hardware' },
  thereIsNoUnit: (unit: string) => `There is no unit ${unit}`,
  removedOrMisspelled: 'It was removed from the inventory, or its name is spelled differently.',
  loadingUnit: 'Loading the unit',
  leaderVersion: (version: string) => ` (leader: ${version})`,
  never: 'never',
} as const;
