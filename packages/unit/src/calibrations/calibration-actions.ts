import { ApiError } from '@lcs/contract';
import type { ActionResult, ProtocolAction } from '@lcs/domain';
import type { Job, JobContext, JobDefinition, JobRuntime } from '@lcs/platform';
import { HeldOutput } from '../jobs/shared/job-hands.ts';
import { liquidEstimateKey } from '../jobs/shared/liquid-estimate.ts';
import type { UnitDevices } from '../jobs/unit-devices.ts';
import type { ActionProgress, TakeOutput } from './action-progress.ts';
import { measureLight } from './measure-light.ts';
import { runPump } from './run-pump.ts';
import { tryStirrer } from './try-stirrer.ts';

interface Ticket {
  readonly action: ProtocolAction;
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
} as const;

const stopGroups = {
  pump_calibration: 'pumps',
  stirring_calibration: 'heat_and_pwm',
  od_calibration: 'heat_and_pwm',
  temperature_calibration: 'rest',
} as const;

export interface CalibrationActionsOptions {
  readonly devices: () => UnitDevices;
  readonly runtime: () => Pick<JobRuntime, 'runOwn' | 'stopJobs'>;
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
    ];
  }

  /** Does the work; outputs are off when this settles. @throws what it failed with */
  async run(sessionId: string, action: ProtocolAction, onProgress: ActionProgress): Promise<ActionResult> {
    const { newId, runtime, experiment } = this.#options;
    const id = newId();
    const result = Promise.withResolvers<ActionResult>();
    // Its failure is met below; a start that is refused never gets to it.
    result.promise.catch(() => {});
    this.#tickets.set(id, { action, onProgress, result });
    try {
      await runtime().runOwn(jobNames[action.kind], {
        options: { ticket: id },
        env: {
          EXPERIMENT: `_testing_${experiment() ?? '$no_experiment_present'}`,
          JOB_SOURCE: sourceOf(sessionId),
          ACTIVE: '1',
        },
      });
      return await result.promise;
    } finally {
      this.#tickets.delete(id);
    }
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
    action: ProtocolAction,
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
