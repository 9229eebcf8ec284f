import { ApiError } from '@lcs/contract';
import type { AutomationDeclaration } from '@lcs/domain';
import type { JobContext } from '@lcs/node';

/** The numbers of an automation: options of the start, else the defaults. @throws ApiError `job_options_invalid` for a missing one */
export function automationSettings(
  job: string,
  { parameters }: AutomationDeclaration,
  { options }: Pick<JobContext, 'options'>,
): Readonly<Record<string, number>> {
  return Object.fromEntries(
    Object.entries(parameters).map(([name, { default: standard }]) => {
      const value = options[name] ?? standard;
      if (typeof value !== 'number')
        throw new ApiError('job_options_invalid', { job, cause: `The option ${name} is missing.`, option: name });
      return [name, value];
    }),
  );
}
