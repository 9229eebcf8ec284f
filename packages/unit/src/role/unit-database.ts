import { type JobTables, jobMigrations } from '@lcs/node';
import { type Database, type Migration, type TaskTables, taskMigrations } from '@lcs/platform';
import { type BioreactorTables, bioreactorMigrations } from '../bioreactor/bioreactor-tables.ts';
import { type CalibrationTables, calibrationMigrations } from '../calibrations/calibration-tables.ts';
import { type CameraTables, cameraMigrations } from '../camera/camera-tables.ts';
import { type DesiredTables, desiredMigrations } from '../desired/desired-tables.ts';
import { type JobMemoryTables, jobMemoryMigrations } from './durable-job-memory.ts';

/** All tables of `unit.sqlite`. */
export interface UnitTables
  extends TaskTables,
    JobTables,
    DesiredTables,
    JobMemoryTables,
    BioreactorTables,
    CalibrationTables,
    CameraTables {}

export type UnitDatabase = Database<UnitTables>;

export const unitMigrations: readonly Migration[] = [
  ...taskMigrations,
  ...jobMigrations,
  ...desiredMigrations,
  ...jobMemoryMigrations,
  ...bioreactorMigrations,
  ...calibrationMigrations,
  ...cameraMigrations,
];
