import type { LiveJob, SessionResult } from '@lcs/contract';

/** The job that measures a blank without questions, and its options for that. */
export const blankJob = 'od_calibration';
export const blankOptions = { device: 'od', protocol: 'blank', holds_medium_only: true, keep_when_good: true };

/** How the measurement of a blank on one unit goes. */
export type BlankState =
  | { readonly phase: 'measuring'; readonly percent: number }
  /** The readings are doubtful: a person decides. */
  | { readonly phase: 'doubtful'; readonly problem: string }
  | { readonly phase: 'ended' };

/** The running measurement on a unit; undefined: the job is none of a blank, or has ended. */
export function blankState(jobs: readonly LiveJob[], unit: string): BlankState {
  const job = jobs.find((each) => each.reactor_unit === unit && each.job_name === blankJob);
  if (job === undefined) return { phase: 'ended' };
  const { step_id: step, instruction, percent_progress: percent, problem } = job.settings;
  if (typeof problem === 'string') return { phase: 'doubtful', problem };
  if (step === 'review') return { phase: 'doubtful', problem: typeof instruction === 'string' ? instruction : '' };
  return { phase: 'measuring', percent: typeof percent === 'number' ? percent : 0 };
}

/** The session of the measurement on a unit, which has the result when the job has ended. */
export function sessionOn(jobs: readonly LiveJob[], unit: string): string | undefined {
  const id = jobs.find((each) => each.reactor_unit === unit && each.job_name === blankJob)?.settings.session_id;
  return typeof id === 'string' ? id : undefined;
}

/** `0.0121 V ± 0.0002` by photodiode. */
export const blankText = ({ means = {}, noise = {} }: SessionResult): string =>
  Object.entries(means)
    .map(([channel, volts]) => {
      const own = noise[channel];
      const spread = own === undefined ? '' : ` ± ${own.toPrecision(2)}`;
      return `photodiode ${channel}: ${volts.toPrecision(3)}${spread} V`;
    })
    .join(', ');
