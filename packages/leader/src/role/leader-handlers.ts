import type { Handlers, leaderApi } from '@lcs/contract';
import type { NotFoundHook } from '@lcs/platform';
import { actuationHandlers } from '../actuations/actuation-handlers.ts';
import { assignmentHandlers } from '../assignments/assignment-handlers.ts';
import { bioreactorHandlers } from '../bioreactor/bioreactor-handlers.ts';
import { calibrationHandlers } from '../calibrations/calibration-handlers.ts';
import { changeCalibrations } from '../calibrations/calibration-tasks.ts';
import { chartHandlers } from '../charts/chart-handlers.ts';
import { createDerivations } from '../derived/create-derivations.ts';
import { leaderDescriptorHandlers } from '../descriptors/descriptor-handlers.ts';
import { experimentHandlers } from '../experiments/experiment-handlers.ts';
import { interruptionHandlers } from '../interruptions/interruption-handlers.ts';
import { jobHandlers } from '../jobs/job-handlers.ts';
import { logHandlers } from '../logs/log-handlers.ts';
import { mcpHandlers } from '../mcp/mcp-handlers.ts';
import { mediaHandlers } from '../media/media-handlers.ts';
import { createLeaderPlugins } from '../plugins/create-leader-plugins.ts';
import { replicateGroupHandlers } from '../replicate-groups/replicate-group-handlers.ts';
import { timeSeriesHandlers } from '../series/time-series-handlers.ts';
import { leaderSystemHandlers } from '../system/api-reference-handlers.ts';
import { createLeaderSystem } from '../system/create-leader-system.ts';
import { unitReadHandlers } from '../unit-reads/unit-read-handlers.ts';
import { unitHandlers } from '../units/unit-handlers.ts';
import { workerHandlers } from '../workers/worker-handlers.ts';
import type { LeaderCluster } from './leader-cluster.ts';
import type { LeaderCore } from './leader-core.ts';
import type { LeaderFeatures } from './leader-features.ts';
import type { LeaderRoleOptions } from './leader-role-options.ts';

/** What answers each route of the leader. `page`: the files of the page, which the reference of the API needs too. */
export function leaderHandlers(
  options: LeaderRoleOptions,
  parts: { readonly core: LeaderCore; readonly cluster: LeaderCluster; readonly features: LeaderFeatures },
  page: NotFoundHook,
): Handlers<typeof leaderApi> {
  const { version, wire, ownUrl } = options;
  const { live, models, sharedConfig, config, defaultPort } = parts.core;
  const { context, units, series, stored } = parts.cluster;
  const { cameras, notes, descriptors, alarms, deletion, unitTasks, profiles, configuration } = parts.features;
  const { exports, backups, charts } = parts.features;
  const clusterAddresses = () => sharedConfig.view()['cluster.addresses'] ?? {};
  const pluginsOptions = { config, sources: options.pluginSources, plugins: options.plugins, unitTasks };
  return {
    ...experimentHandlers(context, deletion),
    ...replicateGroupHandlers(context),
    ...notes.handlers,
    ...assignmentHandlers(context),
    ...workerHandlers(context, { models, clusterAddresses, defaultPort }),
    ...unitHandlers(context, units),
    ...timeSeriesHandlers(context, series.answers),
    ...createDerivations({ context, series, data: stored, config }).handlers,
    ...jobHandlers(context, unitTasks),
    ...unitReadHandlers(context, unitTasks),
    ...calibrationHandlers(context, unitTasks, changeCalibrations(context)),
    ...cameras.handlers,
    ...bioreactorHandlers(context, unitTasks),
    ...logHandlers(context, series.logPages),
    ...actuationHandlers(context, series.read),
    ...interruptionHandlers(context, series.read),
    ...chartHandlers(context, charts),
    ...leaderDescriptorHandlers(context, { descriptors, charts, furtherProblems: exports.problems }),
    ...configuration.handlers,
    ...profiles.handlers,
    ...exports.handlers,
    ...mediaHandlers(context, series.read),
    ...createLeaderPlugins(context, pluginsOptions).handlers,
    ...backups.handlers,
    ...alarms.handlers,
    ...leaderSystemHandlers(version, live),
    ...createLeaderSystem({ context, unitTasks, version, machine: options.machine, page }),
    ...mcpHandlers({ version, wire, ownUrl, config, query: exports.query }),
  };
}
