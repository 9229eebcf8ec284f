import type { Handlers, leaderApi } from '@lcs/contract';
import { accessHandlers } from '../access/access-handlers.ts';
import { brokerHandlers } from '../access/mosquitto-security.ts';
import { oidcHandlers } from '../access/oidc-handlers.ts';
import { passkeyHandlers } from '../access/passkey-handlers.ts';
import { tabletHandlers } from '../access/tablet-handlers.ts';
import { actuationHandlers } from '../actuations/actuation-handlers.ts';
import { leaderSystemHandlers } from '../api-reference/api-reference-handlers.ts';
import { assignmentHandlers } from '../assignments/assignment-handlers.ts';
import { auditHandlers } from '../audit/audit-handlers.ts';
import { bioreactorHandlers } from '../bioreactor/bioreactor-handlers.ts';
import { calibrationHandlers } from '../calibrations/calibration-handlers.ts';
import { changeCalibrations } from '../calibrations/calibration-tasks.ts';
import { chartHandlers } from '../charts/chart-handlers.ts';
import { createDerivations } from '../derived/create-derivations.ts';
import { leaderDescriptorHandlers } from '../descriptors/descriptor-handlers.ts';
import { experimentHandlers } from '../experiments/experiment-handlers.ts';
import { interruptionHandlers } from '../interruptions/interruption-handlers.ts';
import { jobHandlers } from '../jobs/job-handlers.ts';
import { latestHandlers } from '../latest/latest-handlers.ts';
import { logHandlers } from '../logs/log-handlers.ts';
import { enrolmentRequests } from '../machines/enrolment-requests.ts';
import { machineHandlers } from '../machines/machine-handlers.ts';
import { mcpHandlers } from '../mcp/mcp-handlers.ts';
import { mediaHandlers } from '../media/media-handlers.ts';
import { metricsHandlers } from '../metrics/metrics-handlers.ts';
import { otherLeaderHandlers } from '../other-leaders/other-leader-handlers.ts';
import { createLeaderPlugins } from '../plugins/create-leader-plugins.ts';
import { replicateGroupHandlers } from '../replicate-groups/replicate-group-handlers.ts';
import { timeSeriesHandlers } from '../series/time-series-handlers.ts';
import { createLeaderSystem, type LeaderMachine } from '../system/create-leader-system.ts';
import { timelineHandlers } from '../timeline/timeline-handlers.ts';
import { unitReadHandlers } from '../unit-reads/unit-read-handlers.ts';
import { unitHandlers } from '../units/unit-handlers.ts';
import { workerHandlers } from '../workers/worker-handlers.ts';
import type { FeaturesOutputs, LeaderBase, NodeJobs } from './features-stage.ts';

type Inputs = LeaderBase & NodeJobs & FeaturesOutputs & Pick<LeaderMachine, 'importOwnData'>;

/** What answers each route of the leader. */
export function leaderHandlers(inputs: Inputs): Handlers<typeof leaderApi> {
  const { version, wire, address, live, models, sharedConfig, config, defaultPort, context, directory } = inputs;
  const { enrolments, series, stored, plugins, configuration, descriptors, webUi: page } = inputs;
  const { machines, admission } = inputs;
  const { cameras, notes, alarms, deletion, unitTasks, profiles, exports, backups, charts } = inputs;
  const ownUrl = () => address.ownUrl;
  const machine = { ...inputs.machine, importOwnData: inputs.importOwnData };
  const clusterAddresses = () => sharedConfig.view()['cluster.addresses'] ?? {};
  const pluginsOptions = {
    config,
    plugins,
    unitTasks,
    sources: inputs.pluginSources,
    indexUrl: inputs.pluginIndexUrl,
  };
  return {
    ...accessHandlers(inputs.access, inputs.setUp, inputs.scopes),
    ...brokerHandlers({
      access: inputs.access,
      machines,
      settings: inputs.brokerSettings,
      leader: inputs.leader,
      wire,
    }),
    ...passkeyHandlers(inputs.access, inputs.passkeys),
    ...tabletHandlers(inputs.access, inputs.pins),
    ...oidcHandlers(inputs.access, inputs.oidc),
    ...auditHandlers(inputs.auditDatabase),
    ...experimentHandlers(context, deletion, inputs.scopes),
    ...replicateGroupHandlers(context),
    ...notes.handlers,
    ...assignmentHandlers(context, inputs.scopes),
    ...workerHandlers(context, { models, clusterAddresses, defaultPort }),
    ...unitHandlers(context, { directory, enrolments, admission }),
    ...machineHandlers({ context, machines, admission, requestEnrolment: enrolmentRequests(context) }),
    ...timeSeriesHandlers(context, series.answers, descriptors),
    ...latestHandlers(context, series.read),
    ...createDerivations({ context, series, data: stored, config, archive: inputs.archive }).handlers,
    ...jobHandlers(context, unitTasks, {
      scopes: inputs.scopes,
      recentStops: inputs.recentStops,
      stopProfiles: profiles.stopRuns,
      pumpingPluginJobs: () =>
        plugins
          .all()
          .flatMap(({ description }) =>
            (description?.jobs ?? []).flatMap(({ name, stopGroup, mayRunPumps }) =>
              stopGroup === 'pumps' || mayRunPumps ? [name] : [],
            ),
          ),
    }),
    ...unitReadHandlers(context, unitTasks),
    ...calibrationHandlers(context, unitTasks, changeCalibrations(context)),
    ...cameras.handlers,
    ...bioreactorHandlers(context, unitTasks),
    ...logHandlers(context, series.logPages),
    ...actuationHandlers(context, series.read),
    ...interruptionHandlers(context, series.read),
    ...timelineHandlers(context, series.read, { stepsOf: profiles.stepsOf, audit: inputs.auditDatabase }),
    ...chartHandlers(context, charts),
    ...leaderDescriptorHandlers(context, { descriptors, charts, furtherProblems: exports.problems }),
    ...configuration.handlers,
    ...profiles.handlers,
    ...exports.handlers,
    ...inputs.growth.handlers,
    ...inputs.archiveRoutes,
    ...inputs.capsules,
    ...inputs.imports,
    ...mediaHandlers(context, {
      reads: series.read,
      jobs: () => inputs.unitJobs.all(),
      configOf: configuration.effective,
    }),
    ...createLeaderPlugins(context, pluginsOptions).handlers,
    ...backups.handlers,
    ...alarms.handlers,
    ...leaderSystemHandlers(version, live, (caller) => inputs.access.current(caller)),
    ...createLeaderSystem({ context, health: inputs.health, unitTasks, version, machine, webUi: page }),
    ...otherLeaderHandlers(inputs.otherLeaders, inputs.summaryFacts),
    ...metricsHandlers(inputs.metrics, context.database.read),
    ...mcpHandlers({ version, wire, ownUrl, config, query: exports.query }),
  };
}
