import { ApiError, type StartedJob } from '@lcs/contract';
import { type ActionResult, type ProtocolAction, primePumpJob, pumpDevices, selfTestJob } from '@lcs/domain';
import {
  type Job,
  type JobContext,
  type JobDefinition,
  type JobRequest,
  type JobRuntime,
  SettingRefused,
} from '@lcs/node';
import { readBlankLight } from '../jobs/od-blank/od-blank-job.ts';
import { refusePwmOverrides } from '../jobs/pumps/dose-request.ts';
import { refusedStart } from '../jobs/pumps/refusals.ts';
import { HeldOutput } from '../jobs/shared/held-output.ts';
import { liquidEstimateKey } from '../jobs/shared/liquid-estimate.ts';
import type { UnitDevices } from '../jobs/unit-devices.ts';
import type { ActionProgress, TakeOutput } from './action-progress.ts';
import { followSelfTest } from './follow-self-test.ts';
import { mayMoveLiquid } from './liquid-jobs.ts';
import { measureLight } from './measure-light.ts';
import { primePump } from './prime-pump.ts';
import { pumpLabels } from './pump-limits.ts';
import { type PumpRecords, runPump } from './run-pump.ts';
import type { SessionHost } from './session-host.ts';
import { sweepStirrer } from './sweep-stirrer.ts';

/** Actions that run in a job that only sessions start; the others run as jobs of their own name, as if a person had started them. */
type JobAction = Exclude<ProtocolAction, { kind: 'self_test' | 'keep_blank' }>;

/** Performs an accepted action; outputs are off when it settles. @throws the failure of the action */
type PerformAction = (onProgress: ActionProgress) => Promise<ActionResult>;

interface PendingAction {
  readonly action: JobAction;
  readonly onProgress: ActionProgress;
  readonly result: PromiseWithResolvers<ActionResult>;
}

/** Boards that cannot measure their supply run at this, V. */
const nominalSupplyV = 5;

const jobNames = {
  pump: 'pump_calibration',
  stirring: 'stirring_calibration',
  od: 'od_calibration',
  supply: 'pump_calibration',
  temperature: 'temperature_calibration',
  prime: primePumpJob.name,
  blank_light: 'od_calibration',
} as const;

/** Work that belongs to the experiment of the unit, not to a calibration. */
const isOfExperiment = ({ kind }: JobAction): boolean => kind === 'prime' || kind === 'blank_light';

/** Default duration of priming, s. */
const defaultPrimeS = 15;

export interface CalibrationActionsOptions {
  readonly devices: UnitDevices;
  readonly runtime: Pick<JobRuntime, 'acceptOwn' | 'stopJobs' | 'topics' | 'running' | 'definition'>;
  readonly pumps: PumpRecords;
}

/** Work of calibration sessions, done as jobs: so that stopping all jobs stops it, and the guard refuses it once it has ended. */
export class CalibrationActions {
  readonly #options: CalibrationActionsOptions;
  /** The actions that wait for their job, by the source of the job. */
  readonly #pending = new Map<string, PendingAction>();
  /** By session. */
  readonly #hosts = new Map<string, SessionHost>();

  constructor(options: CalibrationActionsOptions) {
    this.#options = options;
  }

  /** From now on the work of a session is done by this host; until the returned function is called. */
  host(sessionId: string, host: SessionHost): () => void {
    this.#hosts.set(sessionId, host);
    return () => this.#hosts.delete(sessionId);
  }

  /** Accepts an action: a stop before it is performed takes precedence. @throws ApiError of the start */
  accept(sessionId: string, action: ProtocolAction): PerformAction {
    const { runtime } = this.#options;
    const env = this.#env(sessionId);
    if (action.kind === 'self_test') {
      const options = action.only === undefined ? {} : { k: action.only };
      const start = runtime.acceptOwn(selfTestJob.name, { options, env });
      return (onProgress) => followSelfTest(runtime.topics, start, onProgress);
    }
    if (action.kind === 'keep_blank') {
      const args = ['set', JSON.stringify(action.means), JSON.stringify(action.problems)];
      const start = runtime.acceptOwn('od_blank', { args, env });
      return async () => {
        await start();
        return { kind: 'keep_blank' };
      };
    }
    const host = this.#hosts.get(sessionId);
    if (host !== undefined && action.kind !== 'prime')
      return (onProgress) => host.do((context) => this.work(context, action, progressOf(context, onProgress)));
    const start = runtime.acceptOwn(jobNames[action.kind], {
      options: action.kind === 'prime' ? { pump: pumpLabels[action.device] } : {},
      env: { ...env, ...(isOfExperiment(action) ? {} : { EXPERIMENT: this.testing }) },
    });
    return (onProgress) => this.#followJob(sourceOf(sessionId), action, start, onProgress);
  }

  async #followJob(
    source: string,
    action: JobAction,
    start: () => Promise<StartedJob>,
    onProgress: ActionProgress,
  ): Promise<ActionResult> {
    const result = Promise.withResolvers<ActionResult>();
    // Its failure is handled below; a rejected start does not create it.
    result.promise.catch(() => {});
    this.#pending.set(source, { action, onProgress, result });
    try {
      await start();
      return await result.promise;
    } finally {
      this.#pending.delete(source);
    }
  }

  /** The scratch experiment of what belongs to no experiment. */
  get testing(): string {
    return `_testing_${this.#experiment ?? '$no_experiment_present'}`;
  }

  get #experiment(): string | undefined {
    return this.#options.pumps.experiment()?.name;
  }

  #env(sessionId: string) {
    const experiment = this.#experiment ?? this.testing;
    return { EXPERIMENT: experiment, JOB_SOURCE: sourceOf(sessionId), ACTIVE: '1' } as const;
  }

  /** Stops the running action of a session; resolves when its outputs are off. */
  async stop(sessionId: string): Promise<void> {
    await this.#hosts.get(sessionId)?.stopWork();
    await this.#options.runtime.stopJobs({ jobSource: sourceOf(sessionId) });
  }

  /** The job that fills a tube: for sessions, and for people without one. */
  priming(): JobDefinition {
    const { name, help, settings, options } = primePumpJob;
    return {
      name,
      help,
      settings,
      options,
      isActuating: true,
      allowsSeveral: true,
      stopGroup: 'pumps',
      validate: (request) => {
        refusePwmOverrides(request);
        refuseSource(request);
      },
      start: (context) => this.#startPriming(context),
    };
  }

  /** The job of a piece of work that a session waits for; undefined: a person has started it. */
  startWork(context: JobContext): Job | undefined {
    if (!isOfSession(context.jobSource)) return undefined;
    const pending = this.#pending.get(context.jobSource);
    if (pending === undefined) throw new ApiError('session_unknown', { session: context.jobSource });
    const { action, onProgress, result } = pending;
    const done = this.work(context, action, progressOf(context, onProgress));
    done.then(result.resolve, result.reject);
    return {
      done,
      apply: () => {
        throw new SettingRefused('answer', 'This job works for a session. Continue the session with its own routes.');
      },
    };
  }

  /** It is up when its pump runs. @throws ApiError `pumps_refused` */
  async #startPriming(context: JobContext): Promise<Job> {
    const { pump, duration, source_of_event: onProgress } = context.options;
    const pending = this.#pending.get(context.jobSource);
    const device = pumpDevices.find((known) => pumpLabels[known] === pump);
    if (device === undefined) throw new Error(`${String(pump)} must be a pump.`);
    const requestedS = pending?.action.kind === 'prime' ? pending.action.seconds : duration;
    const seconds = typeof requestedS === 'number' ? requestedS : defaultPrimeS;
    const source = typeof onProgress === 'string' ? onProgress : context.jobSource;
    const stopping = new AbortController();
    const begun = Promise.withResolvers<void>();
    const moved = primePump(
      context,
      this.#options.pumps,
      { device, seconds },
      { source, signal: stopping.signal, begun: () => begun.resolve() },
    );
    // Also one that had nothing to do has begun.
    moved.then(() => begun.resolve(), begun.reject);
    const done = moved.then(({ volumeMl, ranMs, stopped }): ActionResult => {
      context.log('INFO', `The ${pump} pump has moved ${volumeMl.toFixed(2)} mL in ${(ranMs / 1000).toFixed(1)} s.`);
      return { kind: 'prime', volumeMl, ranS: ranMs / 1000, isStopped: stopped !== undefined };
    });
    if (pending !== undefined) done.then(pending.result.resolve, pending.result.reject);
    // How it failed is met below, or by the runtime.
    done.catch(() => {});
    try {
      await begun.promise;
    } catch (error) {
      throw refusedStart(context.jobName, error);
    }
    return {
      done,
      stop: async () => {
        stopping.abort();
        // How it failed is met where `done` is.
        await done.catch(() => {});
      },
    };
  }

  /** Performs an action in the name of a job, and releases its outputs in every case. @throws the failure of the action */
  async work(context: JobContext, action: JobAction, onProgress: ActionProgress): Promise<ActionResult> {
    const held: HeldOutput[] = [];
    const take = async (output: string): Promise<HeldOutput> => {
      const taken = await HeldOutput.take(context, output);
      held.push(taken);
      return taken;
    };
    try {
      return await this.#perform(context, action, take, onProgress);
    } finally {
      for (const output of held) await output.release();
    }
  }

  async #perform(
    context: JobContext,
    action: JobAction,
    take: TakeOutput,
    onProgress: ActionProgress,
  ): Promise<ActionResult> {
    const { devices } = this.#options;
    switch (action.kind) {
      case 'pump':
        await runPump(context, { ...this.#options.pumps, liquidJob: () => this.#liquidJob() }, action, onProgress);
        return { kind: 'pump' };
      case 'supply':
        return { kind: 'supply', supplyV: await this.#supplyV() };
      case 'temperature':
        return { kind: 'temperature', ...latestEstimate(devices, context) };
      case 'stirring': {
        const points = await sweepStirrer(context, devices, take, action, onProgress);
        return { kind: 'stirring', points, supplyV: await this.#supplyV() };
      }
      case 'blank_light': {
        const { readings } = await readBlankLight(context, devices, take, action.samples, onProgress);
        return { kind: 'blank_light', readings };
      }
      case 'prime':
        throw new Error('A pump is primed by its own job.');
      case 'od':
        return { kind: 'od', readings: await measureLight(context, devices, take, action, onProgress) };
    }
  }

  /** A running job that may move liquid. */
  #liquidJob(): string | undefined {
    const { runtime } = this.#options;
    return runtime.running().find(({ origin }) => mayMoveLiquid(runtime.definition(origin.jobName)))?.origin.jobName;
  }

  async #supplyV(): Promise<number> {
    const volts = await this.#options.devices.supply?.readVolts();
    return volts === undefined ? nominalSupplyV : Math.round(100 * volts) / 100;
  }
}

/** Older estimates do not describe the present temperature of the probe. Longer than a cycle of any model. */
const longestAgeMs = 300_000;

/** @throws ApiError `session_action_failed` without a recent estimate */
function latestEstimate({ liquidEstimates }: UnitDevices, { clock }: JobContext) {
  const latest = liquidEstimates.latest(liquidEstimateKey);
  if (latest === undefined || clock.monotonic() - latest.atMs > longestAgeMs)
    throw new ApiError('session_action_failed', {
      action: 'Temperature',
      cause: 'The temperature automation has not measured in the last five minutes. Start or resume it first.',
    });
  return { estimatedC: latest.celsius, boardC: latest.boardC, duty: latest.duty };
}

const sourcePrefix = 'calibration_session/';
const sourceOf = (sessionId: string): string => `${sourcePrefix}${sessionId}`;
/** Whether a job does the work of a session. */
export const isOfSession = (jobSource: string): boolean => jobSource.startsWith(sourcePrefix);

/** Only a session may start its work. @throws ApiError `job_options_invalid` */
export function refuseSource({ definition, source }: Pick<JobRequest, 'definition' | 'source'>): void {
  if (!isOfSession(source)) return;
  const cause = `JOB_SOURCE cannot begin with ${sourcePrefix}: that is for the work of sessions.`;
  throw new ApiError('job_options_invalid', { job: definition.name, cause });
}

/** Reports progress to the session and to the job's own setting, in percent. */
const progressOf =
  (context: Pick<JobContext, 'publish'>, onProgress: ActionProgress): ActionProgress =>
  (fraction) => {
    onProgress(fraction);
    context.publish('percent_progress', Math.round(1000 * fraction) / 10);
  };
