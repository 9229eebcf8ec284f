import {
  ApiError,
  type Json,
  profileJobName,
  type RunJob,
  type StopEverywhere,
  type UpdateRunningJob,
} from '@lcs/contract';
import type { UnitCommand } from '../core/leader-context.ts';
import type { StartTarget } from './job-targets.ts';

/** `growth_rate_calculating clear_cache`: a name, and optional arguments. */
const jobName = /^[A-Za-z][A-Za-z0-9_]{0,63}( [A-Za-z0-9_.-]{1,64})*$/;
const settingName = /^\$?[A-Za-z][A-Za-z0-9_]{0,63}$/;

const expectName = (pattern: RegExp, name: string) => {
  if (!pattern.test(name)) throw new ApiError('job_name_invalid', { name });
};

/** The path of a job's settings on a unit. */
const settingsPath = (job: string): string => {
  expectName(jobName, job);
  return `/unit_api/jobs/settings/job_name/${encodeURIComponent(job)}`;
};

/** The body as JSON, if it was JSON. */
const jsonOf = (body: object): { readonly [name: string]: Json } => JSON.parse(JSON.stringify(body));

/**
 * Starts a job. Experiment, unit and model are known to the leader and override the caller's
 * environment.
 * @throws ApiError job_name_invalid
 */
export function startCommand(
  { unit, model }: StartTarget,
  { job, experiment, body }: { job: string; experiment: string; body: RunJob },
): UnitCommand {
  expectName(jobName, job);
  const env = {
    ...body.env,
    EXPERIMENT: experiment,
    HOSTNAME: unit,
    ACTIVE: '1',
    ...(model ? { MODEL_NAME: model.name, MODEL_VERSION: model.version } : {}),
  };
  const { options, args, config_overrides, confirm_dilution, ends_at } = body;
  return {
    unit,
    method: 'POST',
    path: `/unit_api/jobs/run/job_name/${encodeURIComponent(job)}`,
    body: jsonOf({ options, args, config_overrides, env, confirm_dilution, ends_at }),
  };
}

/** Asks the unit of a start what a person must confirm before it. */
export const checkStartCommand = (start: UnitCommand): UnitCommand => ({
  ...start,
  path: start.path.replace('/jobs/run/', '/jobs/check/'),
});

/** Asks the unit of a change what a person must confirm before it. */
export const checkChangeCommand = (change: UnitCommand): UnitCommand => ({
  ...change,
  method: 'POST',
  path: `${change.path}/check`,
});

/**
 * Stops one job of an experiment.
 * @throws ApiError job_name_invalid
 */
export function stopJobCommand(unit: string, job: string, experiment: string): UnitCommand {
  expectName(jobName, job);
  return { unit, method: 'POST', path: '/unit_api/jobs/stop', body: { job_name: job, experiment } };
}

/** Stops everything that belongs to an experiment. */
export const stopExperimentCommand = (unit: string, experiment: string): UnitCommand => ({
  unit,
  method: 'POST',
  path: '/unit_api/jobs/stop',
  body: { experiment },
});

/** Stops all jobs, or those that run pumps, whatever their experiment. */
export const stopEverywhereCommand = (unit: string, what: StopEverywhere['what']): UnitCommand =>
  what === 'pumps'
    ? { unit, method: 'POST', path: '/unit_api/jobs/stop', body: { stop_group: 'pumps' } }
    : { unit, method: 'POST', path: '/unit_api/jobs/stop/all', body: {} };

/** Stops the profiles of an experiment: they would start its jobs again. */
export const stopProfilesCommand = (leader: string, experiment: string): UnitCommand => ({
  unit: leader,
  method: 'POST',
  path: '/unit_api/jobs/stop',
  body: { job_name: profileJobName, experiment },
});

/**
 * Changes settings of a running job.
 * @throws ApiError job_name_invalid
 */
export const updateCommand = (
  unit: string,
  { job, experiment, body }: { job: string; experiment: string; body: UpdateRunningJob },
): UnitCommand => ({
  unit,
  method: 'PATCH',
  path: settingsPath(job),
  body: jsonOf({ settings: body.settings, experiment, confirm_dilution: body.confirm_dilution }),
});

/**
 * The path of the settings of a job on a unit, or of one of them.
 * @throws ApiError job_name_invalid
 */
export function settingsRead(job: string, experiment: string, setting?: string): string {
  const query = `?experiment=${encodeURIComponent(experiment)}`;
  if (setting === undefined) return settingsPath(job) + query;
  expectName(settingName, setting);
  return `${settingsPath(job)}/setting/${encodeURIComponent(setting)}${query}`;
}
