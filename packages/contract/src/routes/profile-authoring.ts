import { ExperimentProfileText } from '../resources/profile.ts';
import { ProfileFormatted } from '../resources/profile-format.ts';
import { PreflightRequest, ProfilePlan, ProfilePlanRequest } from '../resources/profile-plan.ts';
import { PreflightReport } from '../resources/profile-preflight.ts';
import { SimulateProfile } from '../resources/profile-rehearsal.ts';
import { type RouteDeclaration, routes } from '../route.ts';
import { accepted, ok } from './answers.ts';

const base = {
  tag: 'Experiment profiles',
  origin: 'extension',
  method: 'POST',
  permission: 'profiles.read',
  cache: 'no-store',
} as const satisfies Partial<RouteDeclaration>;

const profiles = '/api/experiment_profiles';

/** What helps people who write a profile; nothing is saved or started. */
export const profileAuthoringRoutes = routes({
  planExperimentProfile: {
    ...base,
    path: `${profiles}/plan`,
    summary: 'The timeline of a profile for each unit, without running it',
    description:
      'Loops are unrolled. At most 200 units and 1,000 actions for each are listed, and at most 10,000,000 characters in all; `is_truncated` is true where more follow.',
    body: ProfilePlanRequest,
    responses: ok(ProfilePlan),
    errors: ['profile_unreadable', 'profile_invalid', 'profile_experiment_unknown'],
  },
  formatExperimentProfile: {
    ...base,
    path: `${profiles}/format`,
    summary: 'The canonical form of the text of a profile, without saving it',
    description:
      'Order of keys, indentation, spacing, and style of actions. Comments, anchors, aliases, quotes and single blank lines are kept, and the profile means the same. A formatted text does not change again.',
    body: ExperimentProfileText,
    responses: ok(ProfileFormatted),
    errors: ['profile_unreadable', 'profile_invalid'],
  },
  simulateExperimentProfile: {
    ...base,
    // It takes the processors of the leader for minutes.
    permission: 'profiles.write',
    path: `${profiles}/simulate`,
    summary: 'Rehearse a profile on simulated vials',
    description:
      'The task carries out the profile with the runner and the jobs of real runs, on virtual time, in processes of their own with low priority. Its result is a ProfileRehearsal: predicted curves with bands, when conditions become true, and whether the run can finish. One rehearsal is computed at a time.',
    body: SimulateProfile,
    responses: accepted,
    errors: [
      'profile_unreadable',
      'profile_invalid',
      'profile_not_supported',
      'profile_experiment_unknown',
      'rehearsal_invalid',
    ],
  },
  preflightExperimentProfile: {
    ...base,
    path: '/api/experiments/{experiment}/experiment_profiles/preflight',
    summary: 'Check what a run of a profile needs, without starting it',
    description:
      'The units are asked in parallel, for at most 2 s each; one that does not answer is a finding. A start makes the same check.',
    body: PreflightRequest,
    responses: ok(PreflightReport),
    errors: [
      'profile_not_given',
      'profile_not_found',
      'profiles_unreadable',
      'profile_unreadable',
      'profile_invalid',
      'profile_experiment_unknown',
      'job_options_invalid',
    ],
  },
});
