import type { LiveJob } from '@lcs/contract';

export type JobPhase = 'unknown' | 'off' | 'starting' | 'on' | 'paused' | 'lost';

/** The state of a job for people; before the live stream has sent the running jobs it is unknown. */
export function jobPhase(job: LiveJob | undefined, isKnown = true): JobPhase {
  if (!isKnown) return 'unknown';
  switch (job?.state) {
    case 'init':
      return 'starting';
    case 'ready':
      return 'on';
    case 'sleeping':
      return 'paused';
    case 'lost':
      return 'lost';
    default:
      return 'off';
  }
}

/** Whether the job runs, pauses or starts. */
export const isRunning = (phase: JobPhase): boolean => phase === 'on' || phase === 'paused' || phase === 'starting';

export const jobPhaseText: { readonly [Phase in JobPhase]: string } = {
  unknown: 'Unknown',
  off: 'Off',
  starting: 'Starting',
  on: 'On',
  paused: 'Paused',
  lost: 'Unknown – unit offline',
};

/** The job of a name that a unit runs for an experiment; of several the newest. */
export const jobOf = (jobs: readonly LiveJob[], unit: string, experiment: string, name: string): LiveJob | undefined =>
  jobs
    .filter((job) => job.reactor_unit === unit && job.experiment === experiment && job.job_name === name)
    .sort((left, right) => right.job_id - left.job_id)[0];
