import { ProfileRunDetails } from '../resources/profile.ts';
import { ProfileItemKey } from '../resources/profile-controls.ts';
import { ProfileRunExport } from '../resources/profile-export.ts';
import { type RouteDeclaration, routes } from '../route.ts';
import { ok } from './answers.ts';

const base = {
  tag: 'Experiment profiles',
  origin: 'extension',
  method: 'POST',
  responses: ok(ProfileRunDetails),
  cache: 'no-store',
} as const satisfies Partial<RouteDeclaration>;

const run = '/api/experiments/{experiment}/experiment_profiles/runs/{run_id}';

/** Controls of a run, and its record. */
export const profileControlRoutes = routes({
  pauseProfileRun: {
    ...base,
    path: `${run}/pause`,
    permission: 'jobs.run',
    summary: 'Pause a run: its remaining actions are delayed, its jobs continue',
    errors: ['profile_run_not_found', 'profile_run_ended', 'profile_run_paused'],
  },
  resumeProfileRun: {
    ...base,
    path: `${run}/resume`,
    permission: 'jobs.run',
    summary: 'Resume a paused run',
    description: 'If the run asks about missed actions, they are carried out.',
    errors: ['profile_run_not_found', 'profile_run_ended', 'profile_run_not_paused'],
  },
  stopProfileRun: {
    ...base,
    path: `${run}/stop`,
    permission: 'jobs.stop',
    summary: 'Stop a run and all jobs that it has started',
    description: 'A unit that cannot be reached stops them when it returns.',
    errors: ['profile_run_not_found', 'profile_run_ended'],
  },
  skipProfileItem: {
    ...base,
    path: `${run}/skip`,
    permission: 'jobs.run',
    summary: 'Skip to an action, loop or wait of a run',
    description:
      'A wait that is being evaluated ends as if its condition held. A missed action about which the run asks is left out. Otherwise the run continues at the time of the item, on all units: what was due before is skipped, except for stops and pauses, which are carried out. A paused run stays paused.',
    body: ProfileItemKey,
    errors: ['profile_run_not_found', 'profile_run_ended', 'profile_item_not_waiting'],
  },
  exportProfileRun: {
    ...base,
    method: 'GET',
    path: `${run}/export`,
    permission: 'profiles.read',
    summary: 'The record of a run as one document',
    description:
      'Its text and inputs, the versions and active calibrations at its start, each action with its planned and actual time, outcome and reason, and all pauses and skips.',
    responses: ok(ProfileRunExport),
    errors: ['profile_run_not_found'],
  },
});
