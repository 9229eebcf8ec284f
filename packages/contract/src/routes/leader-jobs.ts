import { ChosenUnits, RunJob, StopEverywhere, UpdateRunningJob } from '../resources/job.ts';
import { type RouteDeclaration, routes } from '../route.ts';
import { accepted } from './answers.ts';

const base = {
  tag: 'Jobs',
  responses: accepted,
  cache: 'no-store',
  origin: 'specification',
} as const satisfies Partial<RouteDeclaration>;

const run = {
  ...base,
  summary: 'Start a job on a unit, or on all active workers of an experiment (`$broadcast`)',
  description:
    'A worker must be active and assigned to the experiment (to any experiment for `$experiment`); otherwise 404, or 409 for an inactive one among the chosen `units`. The task has one outcome for each unit: `{ok, job_id, state}` when the job has reached its state, or why not. EXPERIMENT, HOSTNAME, ACTIVE and the model are set by the leader, not from `env`. A start of an automation that controls a biomass, on several units with different scales, starts nothing: the task fails with `biomass_scales_differ`.',
  permission: 'jobs.run',
  needsReason: { ifField: 'confirm_dilution' },
  query: ChosenUnits,
  body: RunJob,
  errors: [
    'job_name_invalid',
    'job_target_not_found',
    'worker_not_in_experiment',
    'job_target_inactive',
    'job_experiment_ended',
    'reason_missing',
  ],
} as const satisfies Partial<RouteDeclaration>;

const stop = {
  ...base,
  summary: 'Stop a job of an experiment on a unit, or on all its units (`$broadcast`)',
  description: 'The task has one outcome for each unit: `{stopped, still_running}`.',
  permission: 'jobs.stop',
  query: ChosenUnits,
  errors: ['unit_unknown', 'job_name_invalid', 'worker_not_in_experiment'],
} as const satisfies Partial<RouteDeclaration>;

const stopAll = {
  ...base,
  summary: 'Stop all jobs of an experiment on a unit, or everywhere (`$broadcast`)',
  permission: 'jobs.stop',
  query: ChosenUnits,
  errors: ['unit_unknown', 'worker_not_in_experiment'],
} as const satisfies Partial<RouteDeclaration>;

const stopAllOnWorkers = {
  ...stopAll,
  description:
    'The task has one outcome for each unit: `{stopped, still_running}`. With `$broadcast` and without `units` the running profiles of the experiment are stopped too; `profiles_stopped` of the result lists them.',
} as const;

const stopAllOnUnits = {
  ...stopAll,
  description:
    'The task has one outcome for each unit: `{stopped, still_running}`. Running profiles of the experiment are part of the outcome of the leader.',
  origin: 'extension',
} as const;

const update = {
  ...base,
  method: 'PATCH',
  summary: 'Change settings of a running job, all or none; `$state` pauses, resumes and stops it',
  description:
    'The task has one outcome for each unit, with the effective values. An empty request changes nothing and contacts no unit.',
  permission: 'jobs.run',
  needsReason: { ifField: 'confirm_dilution' },
  query: ChosenUnits,
  body: UpdateRunningJob,
  errors: ['unit_unknown', 'job_name_invalid', 'worker_not_in_experiment', 'reason_missing'],
} as const satisfies Partial<RouteDeclaration>;

const read = { ...base, method: 'GET', permission: 'jobs.read' } as const satisfies Partial<RouteDeclaration>;

const running = { ...read, errors: ['unit_unknown'] } as const satisfies Partial<RouteDeclaration>;

const settings = {
  ...read,
  description: '`$broadcast` addresses the workers of the experiment. A unit where the job does not run answers 404.',
  errors: ['job_name_invalid', 'worker_not_in_experiment'],
} as const satisfies Partial<RouteDeclaration>;

const workers = '/api/workers/{reactor_unit}/jobs';
const units = '/api/units/{reactor_unit}/jobs';
const ofJob = 'job_name/{job}/experiments/{experiment}';
const ofJobName = 'job_name/{job_name}/experiments/{experiment}';

/** Jobs of units, as the leader controls them. Each answer is a task with one outcome for each unit. */
export const leaderJobRoutes = routes({
  runWorkerJob: { ...run, method: 'POST', path: `${workers}/run/${ofJob}` },
  runWorkerJobPatch: { ...run, method: 'PATCH', path: `${workers}/run/${ofJob}` },
  runUnitJob: { ...run, method: 'POST', path: `${units}/run/${ofJob}` },
  runUnitJobPatch: { ...run, method: 'PATCH', path: `${units}/run/${ofJob}` },
  stopWorkerJob: { ...stop, method: 'POST', path: `${workers}/stop/${ofJobName}` },
  stopWorkerJobPatch: { ...stop, method: 'PATCH', path: `${workers}/stop/${ofJobName}` },
  stopUnitJob: { ...stop, method: 'POST', path: `${units}/stop/${ofJobName}` },
  stopUnitJobPatch: { ...stop, method: 'PATCH', path: `${units}/stop/${ofJobName}` },
  stopWorkerJobsOfExperiment: {
    ...stopAllOnWorkers,
    method: 'POST',
    path: `${workers}/stop/experiments/{experiment}`,
  },
  stopWorkerJobsOfExperimentPatch: {
    ...stopAllOnWorkers,
    method: 'PATCH',
    path: `${workers}/stop/experiments/{experiment}`,
  },
  stopUnitJobsOfExperiment: { ...stopAllOnUnits, method: 'POST', path: `${units}/stop/experiments/{experiment}` },
  stopUnitJobsOfExperimentPatch: {
    ...stopAllOnUnits,
    method: 'PATCH',
    path: `${units}/stop/experiments/{experiment}`,
  },
  stopEverywhere: {
    ...base,
    method: 'POST',
    path: '/api/jobs/stop',
    summary: 'Stop all pumps, or everything, on all units',
    description:
      'In all experiments, calibrations included. The task has one outcome for each unit: `{stopped, still_running}`. A unit that is offline stops them when it is online again.',
    permission: 'jobs.stop',
    body: StopEverywhere,
    errors: [],
    origin: 'extension',
  },
  updateWorkerJob: { ...update, path: `${workers}/update/${ofJob}` },
  updateUnitJob: { ...update, path: `${units}/update/${ofJob}` },
  listWorkerRunningJobs: {
    ...running,
    path: `${workers}/running`,
    summary: 'The running jobs of a worker, or of all workers (`$broadcast`)',
  },
  listUnitRunningJobs: {
    ...running,
    path: `${units}/running`,
    summary: 'The running jobs of a unit, or of the leader and all workers (`$broadcast`)',
  },
  getWorkerJobSettings: {
    ...settings,
    path: `${workers}/settings/${ofJobName}`,
    summary: 'What a running job of a worker publishes',
  },
  getWorkerJobSetting: {
    ...settings,
    path: `${workers}/settings/job_name/{job_name}/setting/{setting}/experiments/{experiment}`,
    summary: 'One value that a running job of a worker publishes',
  },
});
