import type { JobOrigin, JobOutlet } from '@lcs/platform';
import type { LeadingRole } from './unit-role-options.ts';

/** The outlet of a node with both roles: what jobs of the leader role publish goes its own way. */
export function nodeOutlet(own: JobOutlet, { definitions, outlet: leading }: LeadingRole): JobOutlet {
  const leadingJobs = new Set(definitions.map(({ name }) => name));
  const of = ({ jobName }: JobOrigin): JobOutlet => (leadingJobs.has(jobName) ? leading : own);
  return {
    reading: (job, reading) => of(job).reading(job, reading),
    event: (job, event) => of(job).event(job, event),
    log: (job, level, message) => of(job).log(job, level, message),
    state: (job, state) => of(job).state(job, state),
    setting: (job, setting, value, by) => of(job).setting(job, setting, value, by),
  };
}
