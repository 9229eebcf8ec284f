import { Type } from 'typebox';
import { textLimit } from '../resources/common.ts';
import {
  CheckedJobRequest,
  JobHistoryEntry,
  JobSetting,
  JobSettings,
  RunJob,
  RunningJob,
  StopJobs,
  UpdatedJobSettings,
  UpdateJobSettings,
} from '../resources/job.ts';
import { routes } from '../route.ts';
import { accepted, ok } from './answers.ts';

const tag = 'Jobs';

const run = {
  path: '/unit_api/jobs/run/job_name/{job}',
  summary: 'Start a job on this unit',
  description:
    'The task succeeds with `{ok, job_id, state}` when the job is ready (at most 10 s), and fails with the reason otherwise. `warnings` of the result: the pumps dilute the culture at once, or may do so. With `confirm_dilution: false` such a start is refused.',
  tag,
  permission: 'jobs.run',
  needsReason: { ifField: 'confirm_dilution' },
  body: RunJob,
  responses: accepted,
  errors: [
    'job_unknown',
    'job_requested_recently',
    'job_options_invalid',
    'model_unknown',
    'job_hardware_missing',
    'job_start_overtaken',
    'job_of_other_experiment',
    'dose_overflows',
    'dilution_not_confirmed',
    'idempotency_key_reused',
    'reason_missing',
  ],
  cache: 'no-store',
  origin: 'specification',
} as const;

const check = {
  method: 'POST',
  path: '/unit_api/jobs/check/job_name/{job}',
  summary: 'Check whether a job could be started, and what a person must confirm first; starts nothing',
  description: 'Before a leader starts a job on several units, it asks each of them.',
  tag,
  permission: 'jobs.run',
  body: RunJob,
  responses: ok(CheckedJobRequest),
  errors: ['job_unknown', 'job_options_invalid', 'model_unknown', 'dose_overflows', 'job_already_running'],
  cache: 'no-store',
  origin: 'extension',
} as const;

const stop = {
  path: '/unit_api/jobs/stop',
  summary: 'Stop the jobs that match all given filters',
  description:
    'Long-running jobs too. The filters may be in the query instead. The result of the task lists the stopped jobs; the task fails when a job still runs.',
  tag,
  permission: 'jobs.stop',
  query: Type.Object({
    job_name: Type.Optional(Type.String({ maxLength: textLimit })),
    experiment: Type.Optional(Type.String({ maxLength: textLimit })),
    job_source: Type.Optional(Type.String({ maxLength: textLimit })),
    job_id: Type.Optional(Type.Integer()),
  }),
  body: StopJobs,
  responses: accepted,
  errors: ['job_filter_missing', 'idempotency_key_reused'],
  cache: 'no-store',
  origin: 'specification',
} as const;

const stopAll = {
  path: '/unit_api/jobs/stop/all',
  summary: 'Stop every job except the long-running ones',
  tag,
  permission: 'jobs.stop',
  responses: accepted,
  errors: ['idempotency_key_reused'],
  cache: 'no-store',
  origin: 'specification',
} as const;

const list = {
  method: 'GET',
  tag,
  permission: 'jobs.read',
  responses: ok(Type.Array(RunningJob)),
  errors: [],
  cache: 'no-store',
  origin: 'specification',
} as const;

const ofExperiment = Type.Object({
  experiment: Type.Optional(
    Type.String({ maxLength: textLimit, description: 'Only when the job runs in this experiment' }),
  ),
});

/** Jobs of one unit. */
export const unitJobRoutes = routes({
  runJob: { ...run, method: 'POST' },
  runJobByPatch: { ...run, method: 'PATCH' },
  checkJobStart: check,
  stopJobs: { ...stop, method: 'POST' },
  stopJobsByPatch: { ...stop, method: 'PATCH' },
  stopAllJobs: { ...stopAll, method: 'POST' },
  stopAllJobsByPatch: { ...stopAll, method: 'PATCH' },
  listJobHistory: {
    ...list,
    path: '/unit_api/jobs',
    summary: 'All jobs of this unit, past and present, newest first',
    query: Type.Object({ limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 5000, default: 500 })) }),
    responses: ok(Type.Array(JobHistoryEntry)),
    origin: 'extension',
  },
  listRunningJobs: { ...list, path: '/unit_api/jobs/running', summary: 'The jobs that run, oldest first' },
  listRunningJobsByName: {
    ...list,
    path: '/unit_api/jobs/running/{job}',
    summary: 'The running jobs of one name',
  },
  listRunningJobsOfExperiment: {
    ...list,
    path: '/unit_api/jobs/running/experiments/{experiment}',
    summary: 'The running jobs of one experiment',
  },
  listRunningLongJobs: {
    ...list,
    path: '/unit_api/long_running_jobs/running',
    summary: 'The running jobs that "stop all" does not stop',
  },
  getJobSettings: {
    ...list,
    path: '/unit_api/jobs/settings/job_name/{job_name}',
    summary: 'What a running job publishes',
    description: 'Booleans are 0 and 1, structured values JSON text. Of several jobs of a name the newest answers.',
    query: ofExperiment,
    responses: ok(JobSettings),
    errors: ['job_not_running'],
  },
  getJobSetting: {
    ...list,
    path: '/unit_api/jobs/settings/job_name/{job_name}/setting/{setting}',
    summary: 'One value that a running job publishes',
    query: ofExperiment,
    responses: ok(JobSetting),
    errors: ['job_not_running', 'job_setting_not_published'],
  },
  checkJobSettings: {
    method: 'POST',
    path: '/unit_api/jobs/settings/job_name/{job_name}/check',
    summary:
      'Check whether settings of a running job could be changed, and what a person must confirm first; changes nothing',
    description: 'Before a leader changes running dosing on several units, it asks each of them.',
    tag,
    permission: 'jobs.run',
    body: UpdateJobSettings,
    responses: ok(CheckedJobRequest),
    errors: ['job_not_running', 'job_setting_invalid'],
    cache: 'no-store',
    origin: 'extension',
  },
  updateJobSettings: {
    method: 'PATCH',
    path: '/unit_api/jobs/settings/job_name/{job_name}',
    summary: 'Change settings of a running job, all or none',
    description:
      'Returns the effective values: some settings are clamped to their range, all others are refused outside it.',
    tag,
    permission: 'jobs.run',
    needsReason: { ifField: 'confirm_dilution' },
    body: UpdateJobSettings,
    responses: { 202: { description: 'Applied', schema: UpdatedJobSettings } },
    errors: [
      'job_not_running',
      'job_setting_invalid',
      'dilution_not_confirmed',
      'idempotency_key_reused',
      'job_cannot_pause',
      'job_failed',
      'reason_missing',
    ],
    cache: 'no-store',
    origin: 'specification',
  },
});
