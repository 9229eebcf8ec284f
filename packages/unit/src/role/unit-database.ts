import {
  type Database,
  type JobTables,
  jobMigrations,
  type Migration,
  type TaskTables,
  taskMigrations,
} from '@lcs/platform';
import { type DesiredTables, desiredMigrations } from '../desired/desired-tables.ts';
import { type JobMemoryTables, jobMemoryMigrations } from './durable-job-memory.ts';

/** All tables of `unit.sqlite`. */
export interface UnitTables extends TaskTables, JobTables, DesiredTables, JobMemoryTables {}

export type UnitDatabase = Database<UnitTables>;

export const unitMigrations: readonly Migration[] = [
  ...taskMigrations,
  ...jobMigrations,
  ...desiredMigrations,
  ...jobMemoryMigrations,
];
