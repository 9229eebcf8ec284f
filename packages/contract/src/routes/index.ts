import { assignmentRoutes } from './assignments.ts';
import { chartRoutes } from './charts.ts';
import { configRoutes } from './config.ts';
import { enrolmentRoutes } from './enrolment.ts';
import { experimentRoutes } from './experiments.ts';
import { leaderJobRoutes } from './leader-jobs.ts';
import { logRoutes } from './logs.ts';
import { leaderSystemRoutes, nodeRoutes } from './system.ts';
import { timeSeriesRoutes } from './time-series.ts';
import { unitFeedRoutes } from './unit-feed.ts';
import { unitJobRoutes } from './unit-jobs.ts';
import { capabilityRoutes, hardwareRoutes } from './unit-node.ts';
import { unitReadRoutes } from './unit-reads.ts';
import { unitRoutes } from './units.ts';
import { workerRoutes } from './workers.ts';

export {
  assignmentRoutes,
  capabilityRoutes,
  chartRoutes,
  configRoutes,
  enrolmentRoutes,
  experimentRoutes,
  hardwareRoutes,
  leaderJobRoutes,
  leaderSystemRoutes,
  logRoutes,
  nodeRoutes,
  timeSeriesRoutes,
  unitFeedRoutes,
  unitJobRoutes,
  unitReadRoutes,
  unitRoutes,
  workerRoutes,
};

/** `/api`: what only the leader serves. */
export const leaderApi = {
  ...experimentRoutes,
  ...assignmentRoutes,
  ...workerRoutes,
  ...unitRoutes,
  ...enrolmentRoutes,
  ...timeSeriesRoutes,
  ...leaderJobRoutes,
  ...unitReadRoutes,
  ...logRoutes,
  ...chartRoutes,
  ...configRoutes,
  ...leaderSystemRoutes,
};
export type LeaderApi = typeof leaderApi;

/** `/unit_api`, as every node serves it. */
export const nodeApi = { ...nodeRoutes, ...unitJobRoutes, ...capabilityRoutes };
export type NodeApi = typeof nodeApi;

/** `/unit_api` of a unit: what it serves beside that is for its leader and its board. */
export const unitApi = { ...nodeApi, ...unitFeedRoutes, ...hardwareRoutes };
export type UnitApi = typeof unitApi;
