import type { AutomationDeclaration } from '@lcs/domain';
import type { JobContext } from '@lcs/platform';

/** The numbers of an automation: what was said at the start, else what is usual. @throws Error for one that is missing */
export function automationSettings(
  { parameters }: AutomationDeclaration,
  { options }: Pick<JobContext, 'options'>,
): Readonly<Record<string, number>> {
  return Object.fromEntries(
    Object.entries(parameters).map(([name, { default: usual }]) => {
      const value = options[name] ?? usual;
      if (typeof value !== 'number') throw new Error(`The option ${name} is missing.`);
      return [name, value];
    }),
  );
}
