import { ApiError } from '@lcs/contract';
import { type ActionResult, type ProtocolAction, primePumpJob, pumpDevices } from '@lcs/domain';
import type { Job, JobContext, JobDefinition, JobRuntime } from '@lcs/platform';
import { readBlankLight } from '../jobs/od-blank/od-blank-job.ts';
import { refusePwmOverrides } from '../jobs/pumps/dose-request.ts';
import { refusedStart } from '../jobs/pumps/refusals.ts';
import { HeldOutput } from '../jobs/shared/job-hands.ts';
import { liquidEstimateKey } from '../jobs/shared/liquid-estimate.ts';
import type { UnitDevices } from '../jobs/unit-devices.ts';
import type { ActionProgress, TakeOutput } from './action-progress.ts';
import { followSelfTest } from './follow-self-test.ts';
import { measureLight } from './measure-light.ts';
import { type PrimingOptions, primePump } from './prime-pump.ts';
import { pumpLabels } from './pump-limits.ts';
import { runPump } from './run-pump.ts';
import { tryStirrer } from './try-stirrer.ts';

/** What is done as a job of its own name, as if a person had started that. */
type OwnAction = Extract<ProtocolAction, { kind: 'self_test' | 'keep_blank' }>;
/** What is done in a job that only sessions start. */
type TicketAction = Exclude<ProtocolAction, OwnAction>;

interface Ticket {
  readonly action: TicketAction;
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
const isOfExperiment = ({ kind }: TicketAction): boolean => kind === 'prime' || kind === 'blank_light';

const stopGroups = {
  pump_calibration: 'pumps',
  stirring_calibration: 'heat_and_pwm',
  od_calibration: 'heat_and_pwm',
  temperature_calibration: 'rest',
} as const;

/** s, when nobody says how long a tube is filled. */
const usualPrimeS = 15;

export interface CalibrationActionsOptions {
  readonly devices: () => UnitDevices;
  readonly runtime: () => Pick<JobRuntime, 'runOwn' | 'stopJobs' | 'topics'>;
  readonly priming: PrimingOptions;
  /** The experiment that this unit is in. */
  readonly experiment: () => string | undefined;
  readonly newId: () => string;
}

/** Work of calibration sessions, done as jobs: so that stopping all jobs stops it, and the guard refuses it once it has ended. */
export class CalibrationActions {
  readonly definitions: readonly JobDefinition[];
  readonly #options: CalibrationActionsOptions;
  readonly #tickets = new Map<string, Ticket>();

  constructor(options: CalibrationActionsOptions) {
    this.#options = options;
    this.definitions = [
      this.#definition('pump_calibration', 'Runs a pump for a calibration session.'),
      this.#definition('stirring_calibration', 'Tries the stirrer for a calibration session.'),
      this.#definition('temperature_calibration', 'Looks at the estimated temperature for a calibration session.'),
      this.#definition('od_calibration', 'Reads the photodiodes for a calibration session.'),
      this.#priming(),
    ];
  }

  /** Does the work; outputs are off when this settles. @throws what it failed with */
  async run(sessionId: string, action: ProtocolAction, onProgress: ActionProgress): Promise<ActionResult> {
    if (action.kind === 'self_test' || action.kind === 'keep_blank') return this.#runOwn(sessionId, action, onProgress);
    const { newId, runtime } = this.#options;
    const id = newId();
    const result = Promise.withResolvers<ActionResult>();
    // Its failure is met below; a start that is refused never gets to it.
    result.promise.catch(() => {});
    this.#tickets.set(id, { action, onProgress, result });
    try {
      const options = action.kind === 'prime' ? { pump: pumpLabels[action.device] } : {};
      await runtime().runOwn(jobNames[action.kind], {
        options: { ticket: id, ...options },
        env: { ...this.#env(sessionId), ...(isOfExperiment(action) ? {} : { EXPERIMENT: this.#testing }) },
      });
      return await result.promise;
    } finally {
      this.#tickets.delete(id);
    }
  }

  get #testing(): string {
    return `_testing_${this.#options.experiment() ?? '$no_experiment_present'}`;
  }

  #env(sessionId: string) {
    const experiment = this.#options.experiment() ?? this.#testing;
    return { EXPERIMENT: experiment, JOB_SOURCE: sourceOf(sessionId), ACTIVE: '1' } as const;
  }

  async #runOwn(sessionId: string, action: OwnAction, onProgress: ActionProgress): Promise<ActionResult> {
    const runtime = this.#options.runtime();
    const env = this.#env(sessionId);
    if (action.kind === 'self_test') return followSelfTest(runtime, { env, only: action.only, onProgress });
    await runtime.runOwn('od_blank', { args: ['set', JSON.stringify(action.means)], env });
    return { kind: 'keep_blank' };
  }

  /** Stops what a session has running; resolves when its outputs are off. */
  async stop(sessionId: string): Promise<void> {
    await this.#options.runtime().stopJobs({ jobSource: sourceOf(sessionId) });
  }

  #definition(name: keyof typeof stopGroups, help: string): JobDefinition {
    return {
      name,
      help,
      isActuating: true,
      // An action: a restart does not begin it again.
      allowsSeveral: true,
      stopGroup: stopGroups[name],
      settings: { percent_progress: { type: 'float', readOnly: true, nullable: true, unit: '%' } },
      options: { ticket: { type: 'string', required: true } },
      admit: () => {
        const cause = 'It is a part of calibration sessions: start one with POST /unit_api/calibrations/sessions.';
        throw new ApiError('job_options_invalid', { job: name, cause });
      },
      start: (context) => this.#start(context),
    };
  }

  /** A person may start it without a session too. */
  #priming(): JobDefinition {
    const { name, help, settings, options } = primePumpJob;
    return {
      ...{ name, help, settings },
      options: { ...options, ticket: { type: 'string' } },
      isActuating: true,
      allowsSeveral: true,
      stopGroup: 'pumps',
      admit: (request) => {
        refusePwmOverrides(request);
        if (request.options.ticket === undefined) return;
        throw new ApiError('job_options_invalid', { job: name, cause: 'A ticket is for calibration sessions only.' });
      },
      start: (context) => this.#startPriming(context),
    };
  }

  /** It is up when its pump runs. @throws ApiError `pumps_refused` */
  async #startPriming(context: JobContext): Promise<Job> {
    const { pump, duration, ticket: id, source_of_event: told } = context.options;
    const ticket = id === undefined ? undefined : this.#tickets.get(String(id));
    const device = pumpDevices.find((known) => pumpLabels[known] === pump);
    if (device === undefined) throw new Error(`${String(pump)} is no pump.`);
    const wanted = ticket?.action.kind === 'prime' ? ticket.action.seconds : duration;
    const seconds = typeof wanted === 'number' ? wanted : usualPrimeS;
    const source = typeof told === 'string' ? told : context.jobSource;
    const stopping = new AbortController();
    const begun = Promise.withResolvers<void>();
    const moved = primePump(
      context,
      this.#options.priming,
      { device, seconds },
      { source, signal: stopping.signal, begun: () => begun.resolve() },
    );
    // Also one that had nothing to do has begun.
    moved.then(() => begun.resolve(), begun.reject);
    const done = moved.then(({ volumeMl, ranMs, stopped }): ActionResult => {
      context.log('INFO', `The ${pump} pump has moved ${volumeMl.toFixed(2)} mL in ${(ranMs / 1000).toFixed(1)} s.`);
      return { kind: 'prime', volumeMl, ranS: ranMs / 1000, isStopped: stopped !== undefined };
    });
    if (ticket !== undefined) done.then(ticket.result.resolve, ticket.result.reject);
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

  #start(context: JobContext): Job {
    const ticket = this.#tickets.get(String(context.options.ticket));
    if (ticket === undefined) throw new Error('Its session is not there any more.');
    const { action, onProgress, result } = ticket;
    const told = (fraction: number): void => {
      onProgress(fraction);
      context.publish('percent_progress', Math.round(1000 * fraction) / 10);
    };
    const held: HeldOutput[] = [];
    const take = async (output: string): Promise<HeldOutput> => {
      const taken = await HeldOutput.take(context, output);
      held.push(taken);
      return taken;
    };
    const done = this.#perform(context, action, take, told).finally(async () => {
      for (const output of held) await output.release();
    });
    done.then(result.resolve, result.reject);
    return { done };
  }

  async #perform(
    context: JobContext,
    action: TicketAction,
    take: TakeOutput,
    told: ActionProgress,
  ): Promise<ActionResult> {
    const devices = this.#options.devices();
    switch (action.kind) {
      case 'pump':
        await runPump(context, take, action, told);
        return { kind: 'pump' };
      case 'supply':
        return { kind: 'supply', supplyV: await this.#supplyV() };
      case 'temperature':
        return { kind: 'temperature', estimatedC: latestEstimate(devices, context) };
      case 'stirring': {
        const points = await tryStirrer(context, devices, take, action, told);
        return { kind: 'stirring', points, supplyV: await this.#supplyV() };
      }
      case 'blank_light': {
        const { readings } = await readBlankLight(context, devices, take, action.samples, told);
        return { kind: 'blank_light', readings };
      }
      case 'prime':
        throw new Error('A pump is primed by its own job.');
      case 'od':
        return { kind: 'od', readings: await measureLight(context, devices, take, action, told) };
    }
  }

  async #supplyV(): Promise<number> {
    const volts = await this.#options.devices().supply?.readVolts();
    return volts === undefined ? nominalSupplyV : Math.round(100 * volts) / 100;
  }
}

/** An estimate that is older says nothing about the probe's temperature of now. Longer than a cycle of any model. */
const longestAgeMs = 300_000;

/** @throws Error when there is none of now */
function latestEstimate({ liquidEstimates }: UnitDevices, { clock }: JobContext): number {
  const latest = liquidEstimates.latest(liquidEstimateKey);
  if (latest === undefined || clock.monotonic() - latest.atMs > longestAgeMs)
    throw new Error('The temperature automation has not measured in the last five minutes. Is it running, and awake?');
  return latest.celsius;
}

const sourceOf = (sessionId: string): string => `calibration_session/${sessionId}`;
