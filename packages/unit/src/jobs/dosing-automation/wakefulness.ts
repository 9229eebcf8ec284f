import type { Clock } from '@lcs/platform';

/** Whether a job is awake, for work that waits until it is. */
export class Wakefulness {
  readonly #clock: Pick<Clock, 'monotonic' | 'sleep'>;
  #asleep: { readonly sinceMs: number; readonly woken: PromiseWithResolvers<void> } | undefined;
  /** Aborted when it falls asleep; a new one with each waking. */
  #nap = new AbortController();

  constructor(clock: Pick<Clock, 'monotonic' | 'sleep'>) {
    this.#clock = clock;
  }

  get isAsleep(): boolean {
    return this.#asleep !== undefined;
  }

  /** Ends what must not go on while it sleeps. */
  get signal(): AbortSignal {
    return this.#nap.signal;
  }

  sleep(): void {
    if (this.#asleep !== undefined) return;
    this.#asleep = { sinceMs: this.#clock.monotonic(), woken: Promise.withResolvers() };
    this.#nap.abort();
  }

  wake(): void {
    const { woken } = this.#asleep ?? {};
    this.#asleep = undefined;
    this.#nap = new AbortController();
    woken?.resolve();
  }

  /** Milliseconds that it slept until it was woken; 0 when it is awake. @throws when the job ends meanwhile */
  async untilAwake(jobEnd: AbortSignal): Promise<number> {
    const startMs = this.#clock.monotonic();
    while (this.#asleep !== undefined) {
      const ended = Promise.withResolvers<never>();
      const end = () => ended.reject(jobEnd.reason);
      jobEnd.addEventListener('abort', end, { once: true });
      try {
        jobEnd.throwIfAborted();
        await Promise.race([this.#asleep.woken.promise, ended.promise]);
      } finally {
        jobEnd.removeEventListener('abort', end);
      }
    }
    return this.#clock.monotonic() - startMs;
  }
}
