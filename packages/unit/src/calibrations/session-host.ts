import type { JobContext } from '@lcs/node';

/** Who does the work of a session, so that it ends when it is told. */
export class SessionHost {
  readonly #context: JobContext;
  #isPaused = false;
  #work: { readonly stopping: AbortController; readonly ended: Promise<void> } | undefined;

  constructor(context: JobContext) {
    this.#context = context;
  }

  /** Pauses it: what it is doing ends, and nothing begins before it goes on. Resolves when outputs are off. */
  async pause(): Promise<void> {
    this.#isPaused = true;
    await this.stopWork();
  }

  goOn(): void {
    this.#isPaused = false;
  }

  get isPaused(): boolean {
    return this.#isPaused;
  }

  /** Ends what is being done, and not the job; resolves when outputs are off. */
  async stopWork(): Promise<void> {
    this.#work?.stopping.abort(new Error('It was stopped.'));
    await this.#work?.ended;
  }

  /** Does some work in the name of the job. @throws what it fails with; when it is paused */
  async do<Result>(work: (context: JobContext) => Promise<Result>): Promise<Result> {
    if (this.#isPaused) throw new Error('Its job is paused: resume that first.');
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

/** The same job for work that may end before it. */
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
