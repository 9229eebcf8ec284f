import type { ReactNode } from 'react';
import { rich } from './rich.ts';

export const logsWords = {
  // Event log
  info: 'Info',
  notice: 'Notice',
  errors: 'Errors',
  lowestLevel: 'Lowest level',
  searchEventLog: 'Search the event log',
  goToTime: 'Go to a time',
  timeOfLog: 'Time of the log',
  goToTimeShort: 'Go to time',
  hourLater: '1 h later',
  newestEntries: 'Newest entries',
  timesIn: (zones: string) => `times in ${zones}`,
  eventLog: (span: ReactNode) => rich`Event log ${span}`,
  loadingEventLog: 'Loading the event log',
  nothingMatches: 'Nothing in the log matches up to this time. Choose a later time, a lower level or another search.',
  nothingInLogMatches: 'Nothing in the log matches. Choose a lower level or another search.',
  noEntriesOfCluster: 'No entries yet.',
  clusterLog: 'The log of the cluster',
  noEntriesYet: 'No entries yet. The log records what units and people do in this experiment.',
} as const;
