import { ApiError } from '@lcs/contract';
import { GuardRefused } from '@lcs/hardware';
import { type EndReason, type Job, type JobContext, type JobDefinition, JobEnded, type JobRuntime } from '@lcs/node';
import { irOutputOf } from '../jobs/od-reading/od-config.ts';
import { HeldOutput, whileRunning } from '../jobs/shared/held-output.ts';
import type { InfraredLight } from '../jobs/shared/infrared-light.ts';
import { type Camera, CaptureFailed } from './camera.ts';
import type { CameraConfig } from './camera-config.ts';

/** An image with its time. */
export interface Snapshot {
  readonly jpeg: Uint8Array;
  readonly atMs: number;
}

export interface SnapshotsOptions {
  readonly camera: Camera;
  readonly config: () => CameraConfig;
  readonly light: InfraredLight;
  readonly runtime: Pick<JobRuntime, 'runOwn' | 'stopJobs'>;
  readonly newId: () => string;
}

interface PendingSnapshot {
  readonly result: PromiseWithResolvers<Snapshot>;
}

/** The job that takes a still. */
export const snapshotJob = 'camera_snapshot';
/** The LED and the camera's own exposure find their level. */
const settleMs = 100;
/** The most attempts when the LED changes its holder during a request. */
const mostAttempts = 3;

const endedBy = (why: EndReason | undefined): CaptureFailed =>
  new CaptureFailed(
    why === 'failed'
      ? "The job lost its outputs before the picture was complete. The unit's log has the cause."
      : 'It was stopped before the picture was there.',
  );

/** OD readings share their LED and may end during the capture. */
const lightLost = (error: unknown): unknown =>
  error instanceof JobEnded
    ? new CaptureFailed('The optical readings, whose LED it used, ended before the picture was complete.')
    : error;

/** Takes stills as jobs, so that "stop all" stops them and the guard switches the LED off at their end. */
export class Snapshots {
  readonly definition: JobDefinition;
  readonly #options: SnapshotsOptions;
  readonly #pending = new Map<string, PendingSnapshot>();

  constructor(options: SnapshotsOptions) {
    this.#options = options;
    this.definition = {
      name: snapshotJob,
      help: 'Takes a still of the vial.',
      // Of all outputs only the infrared LED, which is harmless.
      isActuating: false,
      allowsSeveral: true,
      stopGroup: 'leds',
      settings: {},
      options: { ticket: { type: 'string', required: true } },
      validate: () => {
        const cause = 'Stills are taken by POST /unit_api/camera/experiments/{experiment}/stills.';
        throw new ApiError('job_options_invalid', { job: snapshotJob, cause });
      },
      start: (context) => this.#start(context),
    };
  }

  /** @throws CaptureFailed, GuardRefused, ApiError as the start of a job, the signal's reason */
  async take(experiment: string, signal: AbortSignal): Promise<Snapshot> {
    const { newId, runtime } = this.#options;
    const id = newId();
    const source = `camera/${id}`;
    const result = Promise.withResolvers<Snapshot>();
    // Its failure is handled below; a rejected start does not create it.
    result.promise.catch(() => {});
    this.#pending.set(id, { result });
    const stop = (): void => {
      result.reject(signal.reason);
      // The job ends; the runtime logs failures of its end.
      void runtime.stopJobs({ jobSource: source });
    };
    signal.addEventListener('abort', stop, { once: true });
    try {
      signal.throwIfAborted();
      const env = { EXPERIMENT: experiment, JOB_SOURCE: source, ACTIVE: '1' };
      await runtime.runOwn(snapshotJob, { options: { ticket: id }, env });
      return await result.promise;
    } finally {
      signal.removeEventListener('abort', stop);
      this.#pending.delete(id);
    }
  }

  #start(context: JobContext): Job {
    const ticket = this.#pending.get(String(context.options.ticket));
    if (ticket === undefined) throw new ApiError('capture_failed', { cause: 'The request for this still has ended.' });
    const done = this.#capture(context);
    let why: EndReason | undefined;
    done.then(ticket.result.resolve, (error: unknown) =>
      ticket.result.reject(context.signal.aborted ? endedBy(why) : lightLost(error)),
    );
    return {
      done,
      stop: (reason) => {
        why = reason;
      },
    };
  }

  async #capture(context: JobContext): Promise<Snapshot> {
    const { camera } = this.#options;
    const config = this.#options.config();
    const capture = async (): Promise<Snapshot> => {
      const atMs = context.clock.now();
      return { jpeg: await whileRunning(context.signal, camera.capture(config, atMs, context.signal)), atMs };
    };
    if (config.irPercent === 0) return capture();
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await whileRunning(context.signal, this.#lit(context, config.irPercent, capture));
      } catch (error) {
        const isTaken = error instanceof GuardRefused && error.code === 'output_taken';
        if (!isTaken || attempt >= mostAttempts || this.#options.light.holder === undefined) throw error;
      }
    }
  }

  /** Runs the work with the infrared LED on, and switches it off afterwards. */
  #lit<Result>(context: JobContext, percent: number, work: () => Promise<Result>): Promise<Result> {
    const { light } = this.#options;
    if (light.holder !== undefined) return light.holder.withLight(percent, work);
    return light.moment(async () => {
      const infraredLed = await HeldOutput.take(context, irOutputOf(context.config));
      try {
        await infraredLed.set(percent);
        await context.clock.sleep(settleMs);
        return await work();
      } finally {
        await infraredLed.release();
      }
    });
  }
}
