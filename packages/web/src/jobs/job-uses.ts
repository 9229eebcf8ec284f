import type { Capability, JobDescriptor, LiveJob } from '@lcs/contract';
import { builtInJobs } from '@lcs/domain';

/** A job as people know it. */
export interface NamedJob {
  readonly name: string;
  /** With its automation. */
  readonly title: string;
}

/** What is known of a unit. */
export interface UnitFacts {
  /** The jobs of the unit in the experiment. */
  readonly jobs: readonly LiveJob[];
  /** As far as the unit has reported them. */
  readonly capabilities: readonly Capability[];
  readonly descriptors: readonly JobDescriptor[];
}

export const automationOf = ({ settings }: LiveJob): string | undefined => {
  const name = settings.automation_name;
  return typeof name === 'string' ? name : undefined;
};

/** What a running job needs: as the unit reports it, or as this version declares it. */
export function usesOfRunning(job: LiveJob, capabilities: readonly Capability[]): readonly string[] {
  const automation = automationOf(job);
  const reported = capabilities.find(
    ({ job_name, automation_name }) => job_name === job.job_name && automation_name === automation,
  );
  if (reported?.uses_jobs !== undefined) return reported.uses_jobs;
  const declared = builtInJobs.find(({ name }) => name === job.job_name);
  return [...(declared?.usesJobs ?? []), ...(declared?.variants?.[automation ?? '']?.usesJobs ?? [])];
}
