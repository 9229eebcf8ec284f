import { ApiError, type CalibrationContent } from '@lcs/contract';
import {
  type ActionResult,
  defaultStirringName,
  defaultSweep,
  noRotationMessage,
  type ProtocolAction,
  type ProtocolFacts,
  stirringCalibration,
  stirringDevice,
  validateCalibrationName,
  writeCalibration,
} from '@lcs/domain';
import { failureText, type Job, type JobContext, type JobRequest } from '@lcs/node';
import type { ActionProgress } from './action-progress.ts';
import type { CalibrationFiles } from './calibration-files.ts';

type Sweep = Extract<ProtocolAction, { kind: 'stirring' }>;

export interface StirringCalibrationOptions {
  readonly facts: () => Promise<ProtocolFacts>;
  readonly calibrations: Pick<CalibrationFiles<CalibrationContent>, 'store'>;
  /** Does the work with the job's outputs. @throws the failure of the work */
  readonly work: (context: JobContext, sweep: Sweep, onProgress: ActionProgress) => Promise<ActionResult>;
  /** Logs the result in the unit's experiment: the job's own experiment is a scratch one, which keeps no log. */
  readonly logOutcome: (level: 'NOTICE' | 'ERROR', message: string) => void;
}

/** The sweep in the options; `undefined`: the default one. */
function requestedSweep({ min_dc: lowest, max_dc: highest }: JobContext['options']): Sweep | undefined {
  if (typeof lowest !== 'number' || typeof highest !== 'number') return undefined;
  return { kind: 'stirring', lowestDuty: lowest, highestDuty: highest };
}

/** Checks the options before a start is accepted. @throws ApiError `job_options_invalid` */
export function validateStirringCalibration({ definition, options }: JobRequest): void {
  const refuse = (option: string, cause: string) =>
    new ApiError('job_options_invalid', { job: definition.name, cause, option });
  const { min_dc: lowest, max_dc: highest, calibration_name: name } = options;
  if ((lowest === undefined) !== (highest === undefined))
    throw refuse(lowest === undefined ? 'min_dc' : 'max_dc', 'min_dc and max_dc: both are needed, or none.');
  if (typeof lowest === 'number' && typeof highest === 'number' && lowest >= highest)
    throw refuse('min_dc', 'The option min_dc must be below max_dc.');
  const validated = validateCalibrationName(typeof name === 'string' ? name : 'usual');
  if (!validated.ok) throw refuse('calibration_name', `The option calibration_name: ${validated.cause}`);
}

/**
 * Measures, fits and stores the calibration of the stirrer without a user. A failure is logged, and nothing is stored.
 * @throws ApiError `job_excluded` while the stirrer is in use
 */
export async function startStirringCalibration(context: JobContext, options: StirringCalibrationOptions): Promise<Job> {
  const facts = await options.facts();
  if (facts.runningJobs.includes(stirringDevice))
    throw new ApiError('job_excluded', { job: context.jobName, running: stirringDevice });
  const done = calibrate(context, facts, options);
  // The runtime awaits it when the job is ready; it may have failed before.
  done.catch(() => {});
  return {
    done,
    sleep: () => {
      throw new ApiError('job_cannot_pause', { job: context.jobName });
    },
  };
}

async function calibrate(
  context: JobContext,
  facts: ProtocolFacts,
  { work, calibrations, logOutcome }: StirringCalibrationOptions,
): Promise<void> {
  const { calibration_name: given, activate } = context.options;
  const publishProgress = (fraction: number) => context.publish('percent_progress', Math.round(1000 * fraction) / 10);
  publishProgress(0);
  try {
    const found = await work(context, requestedSweep(context.options) ?? defaultSweep(facts), publishProgress);
    if (found.kind !== 'stirring') throw new TypeError(`The result of a sweep is one of ${found.kind}.`);
    const name = typeof given === 'string' ? given : defaultStirringName(facts.nowMs);
    const content = stirringCalibration(found, facts, name);
    if (content === undefined) throw new ApiError('calibration_unusable', { cause: noRotationMessage });
    const isActivated = activate !== false;
    await calibrations.store(stirringDevice, content, writeCalibration(content), isActivated);
    logOutcome('NOTICE', `The stirrer is calibrated: ${name}${isActivated ? ', in use from its next start' : ''}.`);
  } catch (error) {
    // A stopped calibration has not failed.
    if (!context.signal.aborted) logOutcome('ERROR', `The stirrer was not calibrated. ${failureText(error)}`);
    throw error;
  }
}
