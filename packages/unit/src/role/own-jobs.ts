import type { JobFilter, JobOrigin, JobRuntime } from '@lcs/platform';

/** The jobs of the unit role alone: on a node that leads too, jobs that serve the cluster are no business of its unit role. */
export function ownJobs(runtime: JobRuntime, leadingJobs: ReadonlySet<string>) {
  const isOwn = ({ jobName }: JobOrigin): boolean => !leadingJobs.has(jobName);
  return {
    running: (filter: JobFilter = {}) => runtime.running({ ...filter, servesCluster: false }),
    stopJobs: (filter: JobFilter) => runtime.stopJobs({ ...filter, servesCluster: false }),
    get cut() {
      return runtime.cut.filter(isOwn);
    },
    get over() {
      return runtime.over.filter(isOwn);
    },
    definition: (name: string) => runtime.definition(name),
    resume: (job: Parameters<JobRuntime['resume']>[0]) => runtime.resume(job),
    dropCut: (jobIds: readonly number[]) => runtime.dropCut(jobIds),
  };
}
