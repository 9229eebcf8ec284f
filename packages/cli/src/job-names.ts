import { jobTitle, jobTitles } from '@lcs/domain';

interface DescribesJobs {
  readonly listJobDescriptors: () => Promise<NonNullable<Parameters<typeof jobTitle>[1]>>;
}

/** The name of a job for people, by its identifier. */
export type JobNameOf = (job: string) => string;

/**
 * The names of jobs for people, as the web UI shows them. The leader is asked for those of plugins, and only where there is one among the
 * identifiers. With `--json`, and as arguments, jobs keep their identifiers.
 */
export async function jobNames(leader: DescribesJobs, identifiers: Iterable<string>): Promise<JobNameOf> {
  const isBuiltIn = (job: string): boolean => Object.hasOwn(jobTitles, job);
  const descriptors = [...identifiers].every(isBuiltIn) ? [] : await leader.listJobDescriptors();
  return (job) => jobTitle(job, descriptors);
}
