import { ApiError } from '@lcs/contract';
import type { JobContext } from '@lcs/node';

/** Runs the work of a session in its job, so that it can be stopped without the job. */
export class SessionHost {
  readonly #context: JobContext;
  #isPaused = false;
  #work: { readonly stopping: AbortController; readonly ended: Promise<void> } | undefined;

  constructor(context: JobContext) {
    this.#context = context;
  }

  /** Stops the running work and rejects further work until `goOn`. Resolves when outputs are off. */
  async pause(): Promise<void> {
    this.#isPaused = true;
    await this.stopWork();
  }

  resume(): void {
    this.#isPaused = false;
  }

  get isPaused(): boolean {
    return this.#isPaused;
  }

  /** Stops the running work, but not the job; resolves when outputs are off. */
  async stopWork(): Promise<void> {
    this.#work?.stopping.abort(new ApiError('session_action_failed', { action: 'Session', cause: 'It was stopped.' }));
    await this.#work?.ended;
  }

  /** Runs work with the context of the job. @throws ApiError `session_action_failed` while paused; the error of the work */
  async do<Result>(work: (context: JobContext) => Promise<Result>): Promise<Result> {
    if (this.#isPaused)
      throw new ApiError('session_action_failed', {
        action: 'Session',
        cause: 'Its job is paused. Resume the job first.',
      });
    const stopping = new AbortController();
    const ended = Promise.withResolvers<void>();
    this.#work = { stopping, ended: ended.promise };
    try {
      return await work(stoppable(this.#context, stopping.signal));
    } finally {
      this.#work = undefined;
      ended.resolve();
    }
  }
}

/** The job's context with an additional abort signal. */
function stoppable(context: JobContext, stopped: AbortSignal): JobContext {
  const signal = AbortSignal.any([context.signal, stopped]);
  const { clock } = context;
  return {
    ...context,
    signal,
    clock: {
      now: () => clock.now(),
      monotonic: () => clock.monotonic(),
      hold: (reason) => clock.hold(reason),
      after: (delayMs, action) => clock.after(delayMs, action),
      every: (intervalMs, action) => clock.every(intervalMs, action),
      sleep: (delayMs, also) => clock.sleep(delayMs, also === undefined ? stopped : AbortSignal.any([also, stopped])),
    },
  };
}
