import { Capability, entriesOf, isObject, type Json, leaderApi, nodeApi, profileJobName } from '@lcs/contract';
import { dataTools, type RunSqlQuery } from './data-tools.ts';
import type { LeaderCalls } from './leader-calls.ts';
import { type Arguments, type McpTool, type RouteTool, routeTool } from './mcp-tool.ts';

const listOf = (value: Json): readonly Json[] => (Array.isArray(value) ? value : []);

const activeOnly = {
  type: 'boolean',
  description: 'Leave out inactive ones',
} as const;

/** An argument that filters the response of a route. */
function withChoice(tool: McpTool, name: string, schema: Readonly<Record<string, unknown>>): McpTool {
  const { inputSchema } = tool;
  return {
    ...tool,
    inputSchema: { ...inputSchema, properties: { ...inputSchema.properties, [name]: schema } },
  };
}

/** A job in one line, without its options. */
const shortCapability = ({ job_name, automation_name, help, options, published_settings }: Capability): Json => ({
  job_name,
  ...(automation_name === undefined ? {} : { automation_name }),
  help,
  options: options.map(({ name }) => name),
  published_settings: Object.keys(published_settings),
});

function condensed(answer: Json, args: Arguments): Json {
  if (args.condensed !== true || !isObject(answer)) return answer;
  return Object.fromEntries(
    Object.entries(answer).map(([unit, outcome]) => [
      unit,
      isObject(outcome) && outcome.ok === true
        ? { ...outcome, value: (entriesOf(Capability, outcome.value) ?? []).map(shortCapability) }
        : outcome,
    ]),
  );
}

const isActive = (row: Json): boolean => isObject(row) && row.is_active === 1;

/** Tools that read. */
const readingTools: readonly RouteTool[] = [
  {
    name: 'get_experiment',
    title: 'One experiment',
    route: leaderApi.getExperiment,
  },
  {
    name: 'get_workers_of_experiment',
    title: 'Workers of an experiment',
    route: leaderApi.listExperimentWorkers,
  },
  {
    name: 'get_jobs_running_on_reactor_unit',
    title: 'Running jobs',
    route: leaderApi.listUnitRunningJobs,
  },
  {
    name: 'get_current_job_settings_for_reactor_unit',
    title: 'Settings of a running job',
    route: leaderApi.getWorkerJobSettings,
  },
  {
    name: 'get_growth_rates',
    title: 'Growth rates',
    route: leaderApi.getGrowthRates,
    defaults: { target_points: 200 },
  },
  {
    name: 'get_od_readings',
    title: 'Optical densities',
    route: leaderApi.getOdReadings,
    defaults: { target_points: 200 },
  },
  {
    name: 'get_temperature_readings',
    title: 'Temperatures',
    route: leaderApi.getTemperatureReadings,
    defaults: { target_points: 200 },
  },
  {
    name: 'get_reactor_unit_configuration',
    title: 'Effective configuration',
    route: leaderApi.getMergedConfigs,
    without: ['unit'],
  },
  {
    name: 'get_experiment_profiles',
    title: 'Experiment profiles',
    route: leaderApi.listExperimentProfiles,
  },
  {
    name: 'get_units',
    title: 'Units',
    route: leaderApi.listUnits,
  },
];

/** Tools that act, where they are allowed. */
const actingTools: readonly RouteTool[] = [
  {
    name: 'create_experiment',
    title: 'Create an experiment',
    route: leaderApi.createExperiment,
    isActing: true,
  },
  {
    name: 'assign_workers_to_experiment',
    title: 'Assign a worker to an experiment',
    route: leaderApi.assignWorker,
    isActing: true,
  },
  {
    name: 'unassign_worker_from_experiment',
    title: 'Unassign a worker',
    route: leaderApi.unassignWorker,
    isActing: true,
    isDestructive: true,
  },
  {
    name: 'run_job_or_action_on_reactor_unit',
    title: 'Start a job',
    route: leaderApi.runWorkerJob,
    isActing: true,
    renamed: { job_or_action: 'job', arguments: 'args' },
    fixed: { body: { env: { JOB_SOURCE: 'mcp' } } },
    without: ['config_overrides'],
    defaults: { confirm_dilution: false },
  },
  {
    name: 'update_reactor_unit_job_settings',
    title: 'Change settings of a running job',
    route: leaderApi.updateWorkerJob,
    defaults: { confirm_dilution: false },
    isActing: true,
  },
  {
    name: 'reboot_reactor_unit',
    title: 'Restart the computer of a unit',
    route: leaderApi.rebootUnits,
    isActing: true,
    isDestructive: true,
  },
  {
    name: 'shutdown_reactor_unit',
    title: 'Switch off the computer of a unit',
    route: leaderApi.shutDownUnits,
    isActing: true,
    isDestructive: true,
  },
  {
    name: 'blink_reactor_unit',
    title: 'Blink the light of a unit',
    route: leaderApi.blinkWorker,
    isActing: true,
  },
];

/** A profile runs on the leader itself. */
const runProfile = (calls: LeaderCalls): McpTool => ({
  name: 'run_experiment_profile',
  title: 'Run an experiment profile',
  description: 'Starts a profile in an experiment. With dry_run its steps are only written to the event log.',
  inputSchema: {
    type: 'object',
    properties: {
      profile: { type: 'string', minLength: 1, description: 'Name of its file' },
      experiment: { type: 'string', minLength: 1 },
      dry_run: { type: 'boolean' },
    },
    required: ['profile', 'experiment'],
    additionalProperties: false,
  },
  permission: 'jobs.run',
  isActing: true,
  isDestructive: false,
  run: ({ profile = '', experiment = '', dry_run = false }, signal) =>
    calls.call(
      nodeApi.runJob,
      {
        params: { job: profileJobName },
        body: {
          args: ['execute', profile, experiment],
          options: dry_run === true ? { 'dry-run': null } : {},
          env: { JOB_SOURCE: 'mcp' },
        },
      },
      signal,
    ),
});

function stopJob(made: (tool: RouteTool) => McpTool): McpTool {
  const stopOne = made({ name: '', title: '', route: leaderApi.stopWorkerJob });
  const stopAll = made({ name: '', title: '', route: leaderApi.stopWorkerJobsOfExperiment });
  return {
    name: 'stop_job_on_reactor_unit',
    title: 'Stop a job, or all jobs of an experiment',
    description: 'Stops one job of an experiment, or without a job all of them, on one worker or on all.',
    inputSchema: {
      type: 'object',
      properties: {
        experiment: { type: 'string', minLength: 1 },
        job: { type: ['string', 'null'], description: 'Null: all jobs' },
        reactor_unit: { type: 'string', description: 'Default: all workers of the experiment' },
      },
      required: ['experiment'],
      additionalProperties: false,
    },
    permission: 'jobs.stop',
    isActing: true,
    isDestructive: true,
    run: async ({ experiment = '', job = null, reactor_unit = '$broadcast' }, signal) =>
      job === null
        ? stopAll.run({ experiment, reactor_unit }, signal)
        : stopOne.run({ experiment, reactor_unit, job_name: job }, signal),
  };
}

/** Tools with an argument that filters the response of their route. */
function filteringTools(made: (tool: RouteTool) => McpTool): readonly McpTool[] {
  const experiments = made({
    name: 'get_experiments',
    title: 'Experiments',
    route: leaderApi.listExperiments,
  });
  const activeExperiments = made({ name: '', title: '', route: leaderApi.listActiveExperiments });
  const recentLogs = made({ name: '', title: '', route: leaderApi.listRecentExperimentLogs });
  return [
    withChoice(
      {
        ...experiments,
        run: async ({ active_only, ...args }, signal) =>
          active_only === true ? activeExperiments.run(args, signal) : experiments.run(args, signal),
      },
      'active_only',
      activeOnly,
    ),
    withChoice(
      made({
        name: 'get_reactor_workers',
        title: 'Workers and their experiments',
        route: leaderApi.listAssignments,
        pick: (answer, { active_only }) => (active_only === true ? listOf(answer).filter(isActive) : answer),
      }),
      'active_only',
      activeOnly,
    ),
    withChoice(
      made({
        name: 'get_reactor_unit_capabilities',
        title: 'Jobs and automations of a unit',
        route: leaderApi.getUnitCapabilities,
        pick: condensed,
      }),
      'condensed',
      { type: 'boolean', description: 'Names only, without the details of each option' },
    ),
    withChoice(
      {
        ...recentLogs,
        name: 'get_recent_experiment_logs',
        title: 'Newest entries of the event log',
        run: async ({ lines, ...args }, signal) => {
          const entries = listOf(await recentLogs.run(args, signal));
          return typeof lines === 'number' ? entries.slice(0, lines) : [...entries];
        },
      },
      'lines',
      { type: 'integer', minimum: 1, maximum: 50, description: 'How many at most' },
    ),
  ];
}

/** The tools of this leader. Each calls a route, with the checks of the route. */
export function leaderTools(calls: LeaderCalls, query: RunSqlQuery): readonly McpTool[] {
  const made = (tool: RouteTool): McpTool => routeTool(calls, tool);
  return [
    ...filteringTools(made),
    ...readingTools.map(made),
    ...dataTools(calls, query),
    ...actingTools.map(made),
    runProfile(calls),
    stopJob(made),
  ];
}
