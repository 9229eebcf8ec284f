import type { ReactNode } from 'react';
import { rich } from './rich.ts';

/** Stopping pumps, an experiment or everything from the header of any page, and starting again. */
export const stopsWords = {
  // Start again
  countsOnUnits: (count: number, units: number) =>
    `${count} ${count === 1 ? 'job' : 'jobs'} on ${units} ${units === 1 ? 'unit' : 'units'}`,
  canStartAgain: (jobs: string) => `${jobs} can be started again with the same values.`,
  dosingOnUnit: (unit: string, dosing: string) => `${unit} (${dosing})`,
  dosingAmongThem: (dosings: string) =>
    `Dosing is among them, on ${dosings}: it may dose at once, and may need your confirmation.`,
  heatingAmongThem: (heatings: string) => `Heating is among them, on ${heatings}: the vials warm up again.`,
  startedSince: (stop: string) => `${stop}. Something was started since.`,

  // Stop preview
  jobCount: (count: number) => (count === 1 ? '1 job' : `${count} jobs`),
  experimentCount: (count: number) => (count === 1 ? '1 experiment' : `${count} experiments`),
  pumpJobs: (count: number) => (count === 1 ? '1 job that runs pumps' : `${count} jobs that run pumps`),
  noJobRunsPumps: 'No job runs pumps.',
  noJobRuns: 'No job runs.',
  jobsOnUnitsOf: (counts: string, units: string, experiments: string) =>
    `${counts} on ${units}${experiments === '' ? '' : ` (${experiments})`}.`,
  alsoPlugins: (plugins: string) => `Also ${plugins} where it may run pumps.`,
  othersGoOn: 'Stirring, heating and measurements go on.',
  runningOf: (count: number, profiles: string) => `The running ${count === 1 ? 'profile' : 'profiles'} of ${profiles}.`,

  // Stops by name
  stopAllPumps: 'Stop all pumps',
  stopEverything: 'Stop everything',
  stopProfileOf: (experiment: string) => `Stop the profile of ${experiment}`,
  stopAllOn: (units: string) => `Stop all jobs on ${units}`,
  startAgain: 'Start again',
  startAgainAfterStop: 'Start again after a stop',
  startDosingAgain: 'Start dosing again',

  // Stop menu
  exceptThese: (leftOff: string) => `, except ${leftOff}`,
  stopMenuConsequence: (count: ReactNode) =>
    rich`Jobs stay off until you start them. “Start again” starts them with their present values${count}. A dose that is cut short is not made up for, and a profile that has ended does not go on.`,

  // Stop notice
  lastStop: 'Stops',
  orderedAt: (stop: string, at: string) => `${stop}: ordered at ${at}`,
  orderedBy: (stop: string, at: string, by: string) => `${stop}: ordered by ${by} at ${at}`,
  profileStillRunsIn: (profiles: string) =>
    `A profile still runs in ${profiles}: its next action may start pumps again. “Stop everything” ends it.`,
  scaleChanged: (leftOff: string) =>
    `Not started again, since the scale of the biomass has changed and the target would mean another density: ${leftOff}. Choose the target again on the page of the unit.`,
  startOnPageOf: 'Start on the page of',
  notStartedAgain: (leftOff: string) => `Not started again: ${leftOff}.`,
  notStartedYet: 'Not started yet: it needs your confirmation.',
  startedAgainExcept: 'Started again, except what needs your confirmation:',
} as const;
