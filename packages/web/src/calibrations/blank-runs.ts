import type { LiveJob, SessionEnvelope, SessionResult } from '@lcs/contract';
import { digitsText } from '../ui/number-text.ts';
import { calibrationsWords } from '../words/calibrations.ts';
import { commonWords } from '../words/common.ts';

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
      const spread = own === undefined ? '' : ` ± ${digitsText(own, 2)}`;
      return calibrationsWords.photodiodeVolts(channel, digitsText(volts, 3), spread);
    })
    .join(', ');

/** What decides whether a unit can be blanked. */
interface BlankFacts {
  readonly experiment: string | null | undefined;
  readonly isActive: boolean;
  readonly isOnline: boolean;
  /** Whether a calibration runs on it, of any device. */
  readonly isCalibrating: boolean;
}

/** Why a unit cannot be blanked; undefined: it can. Nothing may be stopped for a start that is refused. */
export function blankObstacle({ experiment, isActive, isOnline, isCalibrating }: BlankFacts): string | undefined {
  if (!experiment) return commonWords.inNoExperiment;
  if (!isActive) return commonWords.inactive;
  if (!isOnline) return commonWords.offline;
  return isCalibrating ? calibrationsWords.calibrationIsRunning : undefined;
}

/** The units that were started here, with their sessions where they are known. */
export type FollowedBlanks = ReadonlyMap<string, string | undefined>;

/** The same with the sessions that run now; those of other units, and later ones, belong to somebody else. */
export function withSessions(followed: FollowedBlanks, jobs: readonly LiveJob[]): FollowedBlanks {
  const next = new Map([...followed].map(([unit, known]) => [unit, known ?? sessionOn(jobs, unit)] as const));
  return [...next].every(([unit, session]) => followed.get(unit) === session) ? followed : next;
}

/** The state of a measurement that was started here; another session on the unit is not its own. */
export function followedState(jobs: readonly LiveJob[], unit: string, session: string | undefined): BlankState {
  const isOther = session !== undefined && sessionOn(jobs, unit) !== session;
  return isOther ? { phase: 'ended' } : blankState(jobs, unit);
}

/** The units that remain after a start that `refused` did not do; null among them: it is not known which. */
export const withoutRefused = (followed: FollowedBlanks, refused: readonly (string | null)[]): FollowedBlanks =>
  new Map(
    [...followed].filter(
      ([unit, session]) => session !== undefined || !(refused.includes(unit) || refused.includes(null)),
    ),
  );

/** What a row says of a measurement that does not run. */
export function endedText(session: string | undefined, isStarting: boolean): string {
  if (session !== undefined) return calibrationsWords.resultNotKnown;
  return isStarting ? calibrationsWords.starting : calibrationsWords.progressNotKnown;
}

/** The result of an ended measurement; undefined: not known yet. */
export const endedResult = (result: SessionEnvelope | undefined): SessionEnvelope['session'] | undefined =>
  result?.session.status === 'in_progress' ? undefined : result?.session;
