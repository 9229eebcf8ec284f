import { accessRoutes } from './access.ts';
import { actuationRoutes } from './actuations.ts';
import { alarmRoutes } from './alarms.ts';
import { archiveRoutes } from './archive.ts';
import { assignmentRoutes } from './assignments.ts';
import { auditRoutes } from './audit.ts';
import { backupRoutes } from './backups.ts';
import { bioreactorRoutes, blinkRoutes, leaderBioreactorRoutes } from './bioreactor.ts';
import { brokerRoutes } from './broker.ts';
import { calibrationRoutes } from './calibrations.ts';
import { cameraRoutes, unitCameraRoutes } from './cameras.ts';
import { capsuleRoutes } from './capsules.ts';
import { chartRoutes } from './charts.ts';
import { clusterSystemRoutes } from './cluster-system.ts';
import { configRoutes } from './config.ts';
import { datasetRoutes } from './datasets.ts';
import { derivationRoutes } from './derivations.ts';
import { descriptorRoutes, nodeDescriptorRoutes } from './descriptors.ts';
import { enrolmentRoutes, machineRoutes } from './enrolment.ts';
import { noteRoutes, replicateGroupRoutes } from './experiment-life.ts';
import { experimentRoutes } from './experiments.ts';
import { growthCurveRoutes } from './growth-curves.ts';
import { identityProviderRoutes } from './identity-provider.ts';
import { importRoutes } from './imports.ts';
import { interruptionRoutes } from './interruptions.ts';
import { latestRoutes } from './latest.ts';
import { leaderJobRoutes } from './leader-jobs.ts';
import { logRoutes } from './logs.ts';
import { mcpRoutes } from './mcp.ts';
import { mediaRoutes } from './media.ts';
import { metricsRoutes } from './metrics.ts';
import { nodeSystemRoutes } from './node-system.ts';
import { otherLeaderRoutes } from './other-leaders.ts';
import { passkeyRoutes } from './passkeys.ts';
import { leaderPluginRoutes, pluginRoutes } from './plugins.ts';
import { profileAuthoringRoutes } from './profile-authoring.ts';
import { profileControlRoutes } from './profile-controls.ts';
import { profileRoutes } from './profiles.ts';
import { leaderSystemRoutes, nodeRoutes } from './system.ts';
import { tabletRoutes } from './tablets.ts';
import { timeSeriesRoutes } from './time-series.ts';
import { timelineRoutes } from './timeline.ts';
import { unitCalibrationRoutes } from './unit-calibrations.ts';
import { unitConfigRoutes } from './unit-config.ts';
import { unitFeedRoutes } from './unit-feed.ts';
import { unitJobRoutes } from './unit-jobs.ts';
import { capabilityRoutes, hardwareRoutes } from './unit-node.ts';
import { unitReadRoutes } from './unit-reads.ts';
import { unitRoutes } from './units.ts';
import { workerRoutes } from './workers.ts';

export {
  accessRoutes,
  actuationRoutes,
  alarmRoutes,
  archiveRoutes,
  assignmentRoutes,
  auditRoutes,
  backupRoutes,
  bioreactorRoutes,
  blinkRoutes,
  brokerRoutes,
  calibrationRoutes,
  cameraRoutes,
  capabilityRoutes,
  capsuleRoutes,
  chartRoutes,
  clusterSystemRoutes,
  configRoutes,
  datasetRoutes,
  derivationRoutes,
  descriptorRoutes,
  enrolmentRoutes,
  experimentRoutes,
  growthCurveRoutes,
  hardwareRoutes,
  identityProviderRoutes,
  importRoutes,
  interruptionRoutes,
  latestRoutes,
  leaderBioreactorRoutes,
  leaderJobRoutes,
  leaderPluginRoutes,
  leaderSystemRoutes,
  logRoutes,
  machineRoutes,
  mcpRoutes,
  mediaRoutes,
  metricsRoutes,
  nodeDescriptorRoutes,
  nodeRoutes,
  nodeSystemRoutes,
  noteRoutes,
  otherLeaderRoutes,
  passkeyRoutes,
  pluginRoutes,
  profileAuthoringRoutes,
  profileControlRoutes,
  profileRoutes,
  replicateGroupRoutes,
  tabletRoutes,
  timelineRoutes,
  timeSeriesRoutes,
  unitCalibrationRoutes,
  unitCameraRoutes,
  unitConfigRoutes,
  unitFeedRoutes,
  unitJobRoutes,
  unitReadRoutes,
  unitRoutes,
  workerRoutes,
};

/** `/api`: what only the leader serves. */
export const leaderApi = {
  ...accessRoutes,
  ...passkeyRoutes,
  ...tabletRoutes,
  ...identityProviderRoutes,
  ...auditRoutes,
  ...brokerRoutes,
  ...experimentRoutes,
  ...replicateGroupRoutes,
  ...noteRoutes,
  ...assignmentRoutes,
  ...workerRoutes,
  ...unitRoutes,
  ...enrolmentRoutes,
  ...machineRoutes,
  ...timeSeriesRoutes,
  ...latestRoutes,
  ...derivationRoutes,
  ...growthCurveRoutes,
  ...capsuleRoutes,
  ...importRoutes,
  ...interruptionRoutes,
  ...timelineRoutes,
  ...leaderJobRoutes,
  ...unitReadRoutes,
  ...logRoutes,
  ...actuationRoutes,
  ...chartRoutes,
  ...configRoutes,
  ...descriptorRoutes,
  ...leaderBioreactorRoutes,
  ...calibrationRoutes,
  ...cameraRoutes,
  ...profileAuthoringRoutes,
  ...profileControlRoutes,
  ...profileRoutes,
  ...datasetRoutes,
  ...mediaRoutes,
  ...leaderPluginRoutes,
  ...clusterSystemRoutes,
  ...archiveRoutes,
  ...backupRoutes,
  ...leaderSystemRoutes,
  ...metricsRoutes,
  ...otherLeaderRoutes,
  ...mcpRoutes,
  ...alarmRoutes,
};
export type LeaderApi = typeof leaderApi;

/** `/unit_api`, as every node serves it, with or without a board. */
export const nodeApi = {
  ...nodeRoutes,
  ...nodeSystemRoutes,
  ...unitJobRoutes,
  ...capabilityRoutes,
  ...unitConfigRoutes,
  ...nodeDescriptorRoutes,
  ...pluginRoutes,
  ...hardwareRoutes,
  ...bioreactorRoutes,
  ...blinkRoutes,
  ...unitCalibrationRoutes,
  ...unitCameraRoutes,
};
export type NodeApi = typeof nodeApi;

/** `/unit_api` of a node with the unit role; its other routes are for its leader. */
export const unitApi = {
  ...nodeApi,
  ...unitFeedRoutes,
};
export type UnitApi = typeof unitApi;
