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
import { SessionJob, type SessionJobOptions } from './session-job.ts';
import {
  admitStirringCalibration,
  type StirringCalibrationOptions,
  startStirringCalibration,
} from './stirring-calibration.ts';

export interface CalibrationJobsOptions extends Omit<StirringCalibrationOptions, 'work'> {
  readonly actions: CalibrationActions;
  readonly sessions: CalibrationSessions;
  readonly runtime: Pick<JobRuntime, 'running'>;
}

type Walk = Pick<SessionJobOptions, 'walk' | 'isOwn'>;

const walkOf = (protocol: string): Walk => ({
  walk: ({ device }) => (typeof device === 'string' ? { device, protocol } : undefined),
  isOwn: (_device, name) => name === protocol,
});

/** Estimators of fused OD are made from standards; so are calibrations. */
const odWalk: Walk = {
  walk: ({ device, protocol }) => {
    if (typeof device !== 'string') return undefined;
    const usual = device === 'od_fused' ? 'od_fusion_standards' : 'standards';
    return { device, protocol: typeof protocol === 'string' ? protocol : usual };
  },
  isOwn: (_device, name) => name === 'standards' || name.startsWith('od_fusion_'),
};

const temperatureWalk: Walk = {
  walk: () => ({ device: 'temperature', protocol: 'probe_trim' }),
  isOwn: (_device, name) => name === 'probe_trim',
};

/** The jobs that calibrate, and the one that fills tubes: people start them, and sessions do their work in them. */
export function calibrationJobDefinitions(options: CalibrationJobsOptions): readonly JobDefinition[] {
  const { actions, sessions, runtime } = options;

  /** Two would answer to one name. @throws ApiError `job_already_running` */
  const expectAlone = ({ jobName: job, jobId }: JobContext): void => {
    const other = runtime
      .running({ jobName: job })
      // Of two that come at once the first one stays.
      .find(({ origin }) => origin.jobId < jobId && !isOfSession(origin.jobSource));
    if (other !== undefined) throw new ApiError('job_already_running', { job, jobId: other.origin.jobId });
  };

  const definition = (
    { name, help, settings, options: declared }: JobDeclaration,
    how: Pick<JobDefinition, 'stopGroup' | 'experimentOf'> & {
      readonly validate?: NonNullable<JobDefinition['validate']>;
      readonly start: (context: JobContext) => Promise<Job>;
    },
  ): JobDefinition => ({
    name,
    help,
    settings,
    options: declared,
    stopGroup: how.stopGroup,
    ...(how.experimentOf && { experimentOf: how.experimentOf }),
    isActuating: true,
    // An action: a restart does not begin it again. Sessions work beside it.
    allowsSeveral: true,
    validate: (request) => {
      refuseSource(request);
      refusePwmOverrides(request);
      how.validate?.(request);
    },
    start: async (context) => {
      const work = actions.startWork(context);
      if (work !== undefined) return work;
      expectAlone(context);
      return how.start(context);
    },
  });

  const walking = (declaration: JobDeclaration, stopGroup: JobDefinition['stopGroup'], walk: Walk): JobDefinition =>
    definition(declaration, {
      stopGroup,
      start: (context) => SessionJob.begin(context, { sessions, actions, ...walk }),
    });

  return [
    walking(pumpCalibrationJob, 'pumps', walkOf('duration_based')),
    definition(stirringCalibrationJob, {
      stopGroup: 'heat_and_pwm',
      experimentOf: () => actions.testing,
      validate: admitStirringCalibration,
      start: (context) =>
        startStirringCalibration(context, { ...options, work: (own, sweep, told) => actions.work(own, sweep, told) }),
    }),
    walking(temperatureCalibrationJob, 'rest', temperatureWalk),
    walking(odCalibrationJob, 'heat_and_pwm', odWalk),
    actions.priming(),
  ];
}
