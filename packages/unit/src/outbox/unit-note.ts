import { clusterExperiment, type FeedRecord } from '@lcs/contract';
import type { NewNote } from './new-record.ts';

type LogLevel = Extract<FeedRecord, { kind: 'log' }>['level'];

/** An entry of the log about the unit itself, independent of its experiment unless one is named. */
export const unitLog = (
  level: LogLevel,
  task: string,
  message: string,
  experiment_uid: string = clusterExperiment,
): NewNote => ({
  kind: 'log',
  experiment_uid,
  level,
  task,
  source: 'app',
  message,
});
