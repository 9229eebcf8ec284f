import type { RunJob } from '@lcs/contract';

/** Empty texts and the word None stand for "not given" in environments. */
export const given = (env: Readonly<Record<string, string>>, name: string): string | undefined => {
  const value = Object.hasOwn(env, name) ? env[name] : undefined;
  return value === '' || value === 'None' ? undefined : value;
};

/** Set by the node itself when it resumes a job. */
export const resumedSourceName = 'RESUMED_SOURCE';

/** The source of the start that an interrupted job goes back to, whatever restarts were between. */
export const firstSource = ({
  body: { env = {} },
  jobSource,
}: {
  readonly body: Pick<RunJob, 'env'>;
  readonly jobSource: string;
}): string => given(env, resumedSourceName) ?? jobSource;
