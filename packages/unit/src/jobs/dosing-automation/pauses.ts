import type { Clock } from '@lcs/platform';

/** The pauses of a job: work waits until the job is resumed. */
export class Pauses {
  readonly #clock: Pick<Clock, 'monotonic' | 'sleep'>;
  #pause: PromiseWithResolvers<void> | undefined;
  /** Aborted by the next pause. */
  #controller = new AbortController();

  constructor(clock: Pick<Clock, 'monotonic' | 'sleep'>) {
    this.#clock = clock;
  }

  /** Ends operations that must not continue during a pause. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  begin(): void {
    if (this.#pause !== undefined) return;
    this.#pause = Promise.withResolvers();
    this.#controller.abort();
  }

  end(): void {
    const pause = this.#pause;
    this.#pause = undefined;
    this.#controller = new AbortController();
    pause?.resolve();
  }

  /** Waits for the end of a pause; returns its remaining duration, ms. @throws when the job ends during the pause */
  async untilEnd(jobEnd: AbortSignal): Promise<number> {
    const startMs = this.#clock.monotonic();
    while (this.#pause !== undefined) {
      const ended = Promise.withResolvers<never>();
      const end = () => ended.reject(jobEnd.reason);
      jobEnd.addEventListener('abort', end, { once: true });
      try {
        jobEnd.throwIfAborted();
        await Promise.race([this.#pause.promise, ended.promise]);
      } finally {
        jobEnd.removeEventListener('abort', end);
      }
    }
    return this.#clock.monotonic() - startMs;
  }
}
