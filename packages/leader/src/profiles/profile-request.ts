import { ApiError, profileJobName } from '@lcs/contract';
import { validateExperimentName } from '@lcs/domain';
import type { JobDefinition } from '@lcs/node';

/** Request of a start of the job. */
export type ProfileRequest =
  | { readonly verb: 'execute'; readonly file: string; readonly experiment: string; readonly run: string | undefined }
  | { readonly verb: 'verify'; readonly file: string };

/** `run`: the interrupted run to continue, set by the runner itself. */
export function profileRequest(args: readonly string[]): ProfileRequest | undefined {
  const [verb, file, experiment, run, ...more] = args;
  if (!file || more.length > 0) return undefined;
  if (verb === 'verify') return experiment === undefined ? { verb, file } : undefined;
  return verb === 'execute' && experiment ? { verb, file, experiment, run } : undefined;
}

/** Why these arguments are invalid; `isInterrupted`: whether an interrupted run waits for its continuation. */
export function refuseProfileArgs(
  args: readonly string[],
  isInterrupted: (run: string) => boolean,
): string | undefined {
  const request = profileRequest(args);
  if (request === undefined) return "The args are ['execute', file, experiment] or ['verify', file].";
  if (request.verb === 'verify') return undefined;
  if (request.run !== undefined && !isInterrupted(request.run)) return 'There are too many args.';
  const name = validateExperimentName(request.experiment);
  return name.ok ? undefined : `The name of the experiment is not valid: ${name.cause}`;
}

/**
 * Of the units of an experiment those to which the option `units` of a start restricts the run: names, separated by commas.
 * @throws ApiError job_options_invalid
 */
export function chosenUnits(option: unknown, members: readonly string[]): (unit: string) => boolean {
  if (typeof option !== 'string' || option.trim() === '') return () => true;
  const chosen = option.split(',').map((name) => name.trim());
  const unknown = chosen.find((name) => !members.includes(name));
  if (unknown !== undefined) {
    const cause = `The experiment has no unit '${unknown}'.`;
    throw new ApiError('job_options_invalid', { job: profileJobName, cause, option: 'units' });
  }
  return (unit) => chosen.includes(unit);
}

const runOptions = {
  dry_run: { type: 'boolean' },
  ignore_findings: { type: 'boolean' },
  units: { type: 'string' },
} as const;

/** Description and arguments of the job. */
export const profileJobDeclaration = {
  name: profileJobName,
  help: 'Executes an experiment profile: args execute FILENAME EXPERIMENT, or verify FILENAME.',
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
  options: runOptions,
  commands: [
    {
      word: 'execute',
      help: 'Runs a profile in an experiment.',
      takes: [
        { name: 'filename', isRequired: true },
        { name: 'experiment', isRequired: true },
      ],
      options: runOptions,
    },
    { word: 'verify', help: 'Checks a profile without running it.', takes: [{ name: 'filename', isRequired: true }] },
  ],
} as const satisfies Omit<JobDefinition, 'start'>;

/** Settings whose topics are kept when a run has ended. */
export const lastingSettings: ReadonlySet<string> = new Set(['profile_filename', 'action_count']);
