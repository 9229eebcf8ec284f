import type { ReactNode } from 'react';
import { rich } from './rich.ts';

export const assignmentsWords = {
  // Unit boxes
  selectAll: (count: number) => `Select all ${count}`,

  // Assign units
  leavesExperiment: (unit: string, from: ReactNode) =>
    rich`${unit} leaves ${from}: its jobs there are stopped. Its readings stay with ${from}.`,
  theyMoveTo: (experiment: string) => `They move to ${experiment}.`,
  noFreeUnits: 'No free units. Add one on the page',
  findUnit: 'Find a unit',
  free: 'Free',
  inAnotherExperiment: 'In another experiment',
  moveAndAssign: 'Move and assign',
  assign: 'Assign',

  // Unassign dialog
  unassignNamed: (unit: string) => `Unassign ${unit}?`,
  unassignConsequence: (experiment: string) =>
    `Its jobs for ${experiment} are stopped and it becomes free. Its readings stay with the experiment.`,
  unassign: 'Unassign',

  // Past units
  noPastUnits: 'No unit has been in this experiment yet.',
  unitsThatTookPart: 'Units that took part',
  assignedNowOrEarlier: (isAssigned: number) => (isAssigned === 1 ? 'Assigned now' : 'Earlier'),
} as const;
