import { join } from 'node:path';

/** The leader's database, below its data folder. */
export const leaderDatabaseFile = join('storage', 'leader.sqlite');
