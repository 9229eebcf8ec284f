import { ApiError, type RunJob, sourceWithoutAccount } from '@lcs/contract';
import type { JobOptions } from '@lcs/domain';
import type { IniView } from '@lcs/platform';
import type { JobDefinition, JobRequest } from './job-definition.ts';
import { OptionsInvalid, type OptionValues, parseOptions } from './job-options.ts';
import type { InterruptedJob } from './job-registry.ts';
import { firstSource, given, resumedSourceName } from './job-source.ts';

/** `growth_rate_calculating clear_cache`: the first word is the job, the others are arguments. */
export function splitJobArguments(job: string): { readonly name: string; readonly words: readonly string[] } {
  const [name = '', ...words] = job.split(' ').filter((word) => word !== '');
  return { name, words };
}

/** The options that a start may have with this automation. */
export function declaredOptions({ options, variants }: JobDefinition, automationName: unknown): JobOptions {
  if (variants === undefined) return options;
  const automation = { type: 'string', required: true, choices: Object.keys(variants) } as const;
  const isKnown = typeof automationName === 'string' && Object.hasOwn(variants, automationName);
  return { ...options, ...(isKnown && variants[automationName]?.options), automation_name: automation };
}

const optionsOf = (definition: JobDefinition, given: Readonly<Record<string, unknown>>): OptionValues =>
  parseOptions(declaredOptions(definition, given.automation_name ?? given['automation-name']), given);

function overridesOf(given: readonly (readonly string[])[]): JobRequest['overrides'] {
  return given.map(([section, key, value, ...more]) => {
    if (section === undefined || key === undefined || value === undefined || more.length > 0)
      throw new OptionsInvalid('Each entry of config_overrides is [section, key, value].');
    return [section, key, value] as const;
  });
}

/** The environment of a resumed job. */
export const resumedEnv = (interrupted: Pick<InterruptedJob, 'body' | 'jobSource' | 'experiment'>) => ({
  ...interrupted.body.env,
  EXPERIMENT: interrupted.experiment,
  JOB_SOURCE: 'resume',
  [resumedSourceName]: firstSource(interrupted),
});

/**
 * Validates a start against the declaration of the job.
 * @throws ApiError `job_options_invalid`
 */
export function readJobRequest(definition: JobDefinition, body: RunJob, words: readonly string[] = []): JobRequest {
  try {
    const args = [...words, ...(body.args ?? [])];
    const refusal = args.length === 0 ? undefined : (definition.argsFault ?? (() => 'It does not accept args.'))(args);
    if (refusal !== undefined) throw new OptionsInvalid(refusal);
    const env = body.env ?? {};
    const [name, version] = [given(env, 'MODEL_NAME'), given(env, 'MODEL_VERSION')];
    const active = given(env, 'ACTIVE');
    const source = given(env, 'JOB_SOURCE') ?? sourceWithoutAccount;
    const resumedSource = source === 'resume' ? given(env, resumedSourceName) : undefined;
    return {
      definition,
      options: optionsOf(definition, body.options ?? {}),
      args,
      overrides: overridesOf(body.config_overrides ?? []),
      experiment: definition.experimentOf?.(args) ?? given(env, 'EXPERIMENT'),
      source,
      ...(resumedSource !== undefined && { resumedSource }),
      isActive: active === undefined ? undefined : active !== '0',
      model: name === undefined || version === undefined ? undefined : { name, version },
      body: { ...body, args },
    };
  } catch (error) {
    if (!(error instanceof OptionsInvalid)) throw error;
    throw new ApiError('job_options_invalid', {
      job: definition.name,
      cause: error.message,
      option: error.option,
    });
  }
}

/** The configuration of one run. */
export function overriddenConfig(config: IniView, overrides: JobRequest['overrides']): IniView {
  if (overrides.length === 0) return config;
  const view: Record<string, Record<string, string>> = Object.assign(Object.create(null), config);
  for (const [section, key, value] of overrides) {
    view[section] = Object.assign(Object.create(null), view[section], { [key]: value });
  }
  return view;
}
