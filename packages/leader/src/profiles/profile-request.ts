import { validateExperimentName } from '@lcs/domain';
import type { JobDefinition } from '@lcs/platform';

export const profileJobName = 'experiment_profile';

/** What a start of the job asks for. */
export type ProfileRequest =
  | { readonly verb: 'execute'; readonly file: string; readonly experiment: string; readonly run: string | undefined }
  | { readonly verb: 'verify'; readonly file: string };

/** `run`: the interrupted run that goes on, said by the runner itself. */
export function profileRequest(args: readonly string[]): ProfileRequest | undefined {
  const [verb, file, experiment, run, ...more] = args;
  if (!file || more.length > 0) return undefined;
  if (verb === 'verify') return experiment === undefined ? { verb, file } : undefined;
  return verb === 'execute' && experiment ? { verb, file, experiment, run } : undefined;
}

/** Why these words cannot be taken; `isInterrupted`: whether a run waits to go on. */
export function refuseProfileArgs(
  args: readonly string[],
  isInterrupted: (run: string) => boolean,
): string | undefined {
  const request = profileRequest(args);
  if (request === undefined) return "The args are ['execute', file, experiment] or ['verify', file].";
  if (request.verb === 'verify') return undefined;
  if (request.run !== undefined && !isInterrupted(request.run)) return 'There are too many args.';
  const name = validateExperimentName(request.experiment);
  return name.ok ? undefined : `No experiment can have that name: ${name.cause}`;
}

/** What the job says about itself, and what it takes. */
export const profileJobDeclaration = {
  name: profileJobName,
  help: 'Carries out an experiment profile: args execute FILENAME EXPERIMENT, or verify FILENAME.',
  isLongRunning: true,
  allowsSeveral: true,
  servesCluster: true,
  isActuating: false,
  stopGroup: 'automations',
  settings: {
    experiment_profile_name: { type: 'string', readOnly: true, nullable: true },
    start_time_utc: { type: 'string', readOnly: true, nullable: true },
    profile_filename: { type: 'string', readOnly: true, nullable: true },
    action_count: { type: 'integer', readOnly: true },
  },
  options: { dry_run: { type: 'boolean' } },
} as const satisfies Omit<JobDefinition, 'start'>;

/** Settings that stay on their topics when a run has ended. */
export const lastingSettings: ReadonlySet<string> = new Set(['profile_filename', 'action_count']);
