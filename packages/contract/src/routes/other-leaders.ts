import { LeaderSummary, OtherLeaders } from '../resources/other-leader.ts';
import { routes } from '../route.ts';
import { ok } from './answers.ts';

const shared = {
  method: 'GET',
  tag: 'System',
  permission: 'system.read',
  errors: [],
  cache: 'no-store',
  origin: 'extension',
} as const;

/** Several leaders seen from one. Each keeps the control of its units. */
export const otherLeaderRoutes = routes({
  listOtherLeaders: {
    ...shared,
    path: '/api/leaders',
    summary: 'The leaders that `leader.ini` names, each with its summary or why it has none',
    description: 'From the memory of this leader, which asks the others every 30 seconds.',
    responses: ok(OtherLeaders),
  },
  getLeaderSummary: {
    ...shared,
    path: '/api/leaders/own',
    summary: 'Units, jobs and alarms of this leader in a few numbers, for other leaders',
    responses: ok(LeaderSummary),
  },
});
