import type { JobDefinition } from '@lcs/node';
import type { LeaderBackups } from './leader-backups.ts';

export const backupJobName = 'backup_database';

/** The backup as a job of the leader's own node, for clients that start it as a job; the route does the same. */
export const backupJob = (backups: Pick<LeaderBackups, 'make'>): JobDefinition => ({
  name: backupJobName,
  help: 'Copies all that the leader needs to be the same again on another machine.',
  isLongRunning: true,
  servesCluster: true,
  isActuating: false,
  stopGroup: 'rest',
  settings: {},
  options: {},
  start: ({ signal }) => ({ done: backups.make({ signal, progress: () => {} }) }),
});
