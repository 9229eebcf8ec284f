import type { ReactNode } from 'react';
import { rich } from './rich.ts';

export const nowWords = {
  // State of all units
  noUnitsRunning: 'No units running',
  someRunning: (running: number, assigned: string | number) => `${running} of ${assigned} running`,
  lackJobs: (count: number) => (count === 1 ? '1 lacks a job' : `${count} lack a job`),
  profilesRun: (names: readonly string[]) => (names.length === 1 ? `profile ${names[0]}` : `${names.length} profiles`),
  noAlarms: 'no alarms',
  allMuted: (count: number) => (count === 1 ? '1 alarm muted' : `${count} alarms muted`),
  someMuted: (count: number) => `${count} muted`,
  alarmCount: (count: number) => (count === 1 ? '1 alarm' : `${count} alarms`),
  allAcknowledged: (count: number) => (count === 1 ? '1 alarm (acknowledged)' : `${count} alarms (acknowledged)`),
  someAcknowledged: (count: number, acknowledged: number) => `${count} alarms (${acknowledged} acknowledged)`,

  // Onboarding
  addYourFirstUnit: 'Add your first unit',
  unitsFound: (found: number) => `${found} ${found === 1 ? 'unit' : 'units'} found`,
  addUnitHelp:
    'Start the program on a unit in this network: it is offered under Units. Or add it with a one-time code.',
  foundUnitsWait: 'They wait for an approval under Units.',
  showFoundUnits: 'Show found units',
  createExperiment: 'Create an experiment',
  experimentHelp: 'An experiment collects the readings and events of the units that you assign to it.',
  assignHelp: 'No unit is assigned to an experiment. Only assigned units record readings.',
  startJobs: 'Start the jobs',
  startJobsHelp:
    'Units are assigned, but nothing runs. Stirring, OD reading, growth rate and temperature can be started together.',
  startJobsOf: (experiment: string) => `Start jobs of ${experiment}`,

  // Values of a tile
  volume: 'Volume',
  titleOfJob: (title: string, job: string) => `${title}: ${job}`,
  titleEnded: (title: string) => `${title} (has ended)`,
  doseOfMedium: (ml: string) => `${ml} mL medium`,
  doseOfAlternative: (ml: string) => `${ml} mL alternative medium`,
  target: (value: string, unit: string) => `Target ${value}${unit}`,

  // Unit tile
  nothingRuns: 'nothing runs',
  timeInFuture: 'its time is in the future',
  pumping: (dose: string) => `Pumping… ${dose} so far`,
  lastDose: (dose: string, age: string) => `Last dose: ${dose}, ${age}`,

  // Now page
  leaveFullScreenEsc: 'Leave full screen (Esc)',
  fullScreen: 'Full screen',
  noUnitIsAssignedTo: (experiment: ReactNode) => rich`No unit is assigned to ${experiment}.`,
} as const;
