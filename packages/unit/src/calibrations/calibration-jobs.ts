import { ApiError } from '@lcs/contract';
import {
  type JobDeclaration,
  odCalibrationJob,
  pumpCalibrationJob,
  stirringCalibrationJob,
  temperatureCalibrationJob,
} from '@lcs/domain';
import type { Job, JobContext, JobDefinition, JobRuntime } from '@lcs/node';
import { refusePwmOverrides } from '../jobs/pumps/dose-request.ts';
import { type CalibrationActions, isOfSession, refuseSource } from './calibration-actions.ts';
import type { CalibrationSessions } from './calibration-sessions.ts';
import { mayMoveLiquid } from './liquid-jobs.ts';
import { SessionJob, type SessionJobOptions } from './session-job.ts';
import {
  type StirringCalibrationOptions,
  startStirringCalibration,
  validateStirringCalibration,
} from './stirring-calibration.ts';

export interface CalibrationJobsOptions extends Omit<StirringCalibrationOptions, 'work'> {
  readonly actions: CalibrationActions;
  readonly sessions: CalibrationSessions;
  readonly runtime: Pick<JobRuntime, 'running'>;
}

type SessionChoice = Pick<SessionJobOptions, 'sessionFor' | 'accepts'>;

const onlyProtocol = (protocol: string): SessionChoice => ({
  sessionFor: ({ device }) => (typeof device === 'string' ? { device, protocol } : undefined),
  accepts: (_device, name) => name === protocol,
});

/** Calibrations and blanks of OD, and estimators of fused OD. */
const odProtocols: SessionChoice = {
  sessionFor: ({ device, protocol }) => {
    if (typeof device !== 'string') return undefined;
    const byDefault = device === 'od_fused' ? 'od_fusion_standards' : 'standards';
    return { device, protocol: typeof protocol === 'string' ? protocol : byDefault };
  },
  accepts: (_device, name) => name === 'standards' || name === 'blank' || name.startsWith('od_fusion_'),
};

const temperatureTrim: SessionChoice = {
  sessionFor: () => ({ device: 'temperature', protocol: 'probe_trim' }),
  accepts: (_device, name) => name === 'probe_trim',
};

type OwnParts = Pick<JobDefinition, 'stopGroup' | 'experimentOf' | 'validate' | 'refusesStartOf'> & {
  readonly start: (context: JobContext) => Promise<Job>;
};

/**
 * At most one job of a name that a person has started: of two starts at the same time the first one continues.
 * @throws ApiError `job_already_running`
 */
function expectAlone({ jobName: job, jobId }: JobContext, runtime: CalibrationJobsOptions['runtime']): void {
  const other = runtime
    .running({ jobName: job })
    .find(({ origin }) => origin.jobId < jobId && !isOfSession(origin.jobSource));
  if (other !== undefined) throw new ApiError('job_already_running', { job, jobId: other.origin.jobId });
}

/** A job that a person starts, and that sessions start for their work. */
const calibrationJob = (
  { actions, runtime }: CalibrationJobsOptions,
  { name, help, settings, options }: JobDeclaration,
  { validate, start, ...own }: OwnParts,
): JobDefinition => ({
  name,
  help,
  settings,
  options,
  ...own,
  isActuating: true,
  // It is not resumed after a restart, and sessions start jobs of the same name.
  allowsSeveral: true,
  validate: (request) => {
    refuseSource(request);
    refusePwmOverrides(request);
    validate?.(request);
  },
  start: async (context) => {
    const work = actions.startWork(context);
    if (work !== undefined) return work;
    expectAlone(context, runtime);
    return start(context);
  },
});

/** The jobs that calibrate, and the job that primes a pump. */
export function calibrationJobDefinitions(options: CalibrationJobsOptions): readonly JobDefinition[] {
  const { actions, sessions } = options;
  const guided = (
    declaration: JobDeclaration,
    stopGroup: NonNullable<JobDefinition['stopGroup']>,
    choice: SessionChoice,
    own: Pick<JobDefinition, 'refusesStartOf'> = {},
  ): JobDefinition =>
    calibrationJob(options, declaration, {
      ...own,
      stopGroup,
      start: (context) => SessionJob.begin(context, { sessions, actions, ...choice }),
    });
  return [
    guided(pumpCalibrationJob, 'pumps', onlyProtocol('duration_based'), { refusesStartOf: mayMoveLiquid }),
    calibrationJob(options, stirringCalibrationJob, {
      stopGroup: 'heat_and_pwm',
      experimentOf: () => actions.testing,
      validate: validateStirringCalibration,
      start: (context) =>
        startStirringCalibration(context, {
          ...options,
          work: (own, sweep, onProgress) => actions.work(own, sweep, onProgress),
        }),
    }),
    guided(temperatureCalibrationJob, 'rest', temperatureTrim),
    guided(odCalibrationJob, 'heat_and_pwm', odProtocols),
    actions.priming(),
  ];
}
