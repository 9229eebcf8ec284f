export type { LeaderSchema } from './leader-context.ts';
export { checkLeaderName } from './leader-name.ts';
export { createLeaderRole, type LeaderRole, type LeaderRoleOptions } from './leader-role.ts';
export { leaderMigrations } from './store/migrations.ts';
