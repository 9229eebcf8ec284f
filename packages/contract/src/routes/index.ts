import { assignmentRoutes } from './assignments.ts';
import { chartRoutes } from './charts.ts';
import { configRoutes } from './config.ts';
import { experimentRoutes } from './experiments.ts';
import { leaderSystemRoutes, nodeRoutes } from './system.ts';
import { unitFeedRoutes } from './unit-feed.ts';
import { unitJobRoutes } from './unit-jobs.ts';
import { workerRoutes } from './workers.ts';

export {
  assignmentRoutes,
  chartRoutes,
  configRoutes,
  experimentRoutes,
  leaderSystemRoutes,
  nodeRoutes,
  unitFeedRoutes,
  unitJobRoutes,
  workerRoutes,
};

/** `/api`: what only the leader serves. */
export const leaderApi = {
  ...experimentRoutes,
  ...assignmentRoutes,
  ...workerRoutes,
  ...chartRoutes,
  ...configRoutes,
  ...leaderSystemRoutes,
};
export type LeaderApi = typeof leaderApi;

/** `/unit_api`: what every node serves. */
export const unitApi = { ...nodeRoutes };
export type UnitApi = typeof unitApi;
