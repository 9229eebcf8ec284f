import type { Cancel, Clock } from '@lcs/platform';
import type { BusPosition, BusTopic, ListenOptions } from './job-bus.ts';

/** The job has ended; pending waits of it reject with this. */
export class JobEnded extends Error {
  constructor() {
    super('The job has ended.');
    this.name = 'JobEnded';
  }
}

type Action = () => void | Promise<void>;

/**
 * The timers and listeners of one job. A throw in one of them is reported once and does not affect others; `close` ends them all.
 */
export class JobScope {
  readonly clock: Clock;
  readonly #source: Clock;
  readonly #fail: (error: unknown) => void;
  readonly #controller = new AbortController();
  readonly #open = new Set<Cancel>();
  /** Ends the sleeps of the job: a listener on the signal for each of them would be expensive. */
  readonly #sleepers = new Set<(reason: unknown) => void>();
  #isPaused = false;
  /** The same as `signal.aborted`, whose getter is slow: this is read for each published value. */
  #isClosed = false;

  constructor(clock: Clock, fail: (error: unknown) => void) {
    this.#source = clock;
    this.#fail = fail;
    this.clock = {
      now: () => clock.now(),
      monotonic: () => clock.monotonic(),
      hold: (reason) => clock.hold(reason),
      after: (delayMs, action) => this.#after(delayMs, action),
      every: (intervalMs, action) => this.#keep(() => clock.every(intervalMs, () => this.#run(action))),
      sleep: (delayMs, signal) => this.#sleep(delayMs, signal),
    };
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Suspends repetitions; they keep their grid. */
  pause(isPaused: boolean): void {
    this.#isPaused = isPaused;
  }

  repeat(intervalMs: number, action: Action): Cancel {
    let isBusy = false;
    return this.clock.every(intervalMs, async () => {
      if (isBusy || this.#isPaused) return;
      isBusy = true;
      try {
        await action();
      } finally {
        isBusy = false;
      }
    });
  }

  listen<Value>(
    topic: BusTopic<Value>,
    listener: (value: Value, key: string, mark: BusPosition) => void | Promise<void>,
    options?: ListenOptions,
  ): Cancel {
    return this.#keep(() =>
      topic.listen((value, key, mark) => {
        if (this.#isClosed) return;
        try {
          this.#watch(listener(value, key, mark));
        } catch (error) {
          this.#report(error);
        }
      }, options),
    );
  }

  close(): void {
    for (const cancel of this.#open) cancel();
    this.#open.clear();
    this.#isClosed = true;
    this.#controller.abort(new JobEnded());
    for (const wake of this.#sleepers) wake(this.signal.reason);
    this.#sleepers.clear();
  }

  /** Cheaper than `AbortSignal.any`: pumps sleep with a signal of their own thousands of times a day. */
  #sleep(delayMs: number, given?: AbortSignal): Promise<void> {
    // The end of the job wakes its sleepers without a listener.
    const signal = given === this.signal ? undefined : given;
    return new Promise((resolve, reject) => {
      if (this.#isClosed || signal?.aborted) {
        reject(this.#isClosed ? this.signal.reason : signal?.reason);
        return;
      }
      const settle = (): void => {
        this.#sleepers.delete(wake);
        signal?.removeEventListener('abort', onAbort);
      };
      const cancel = this.#source.after(delayMs, () => {
        settle();
        resolve();
      });
      const wake = (reason: unknown): void => {
        cancel();
        settle();
        reject(reason);
      };
      const onAbort = (): void => wake(signal?.reason);
      this.#sleepers.add(wake);
      signal?.addEventListener('abort', onAbort, { once: true });
    });
  }

  #after(delayMs: number, action: Action): Cancel {
    const cancel = this.#keep(() =>
      this.#source.after(delayMs, () => {
        cancel();
        this.#run(action);
      }),
    );
    return cancel;
  }

  #keep(begin: () => Cancel): Cancel {
    if (this.#isClosed) return () => {};
    const end = begin();
    const cancel = () => {
      this.#open.delete(cancel);
      end();
    };
    this.#open.add(cancel);
    return cancel;
  }

  #run(action: Action): void {
    if (this.#isClosed) return;
    try {
      this.#watch(action());
    } catch (error) {
      this.#report(error);
    }
  }

  /** The type of a timer's action returns nothing, but it may be an async function. */
  #watch(outcome: unknown): void {
    if (outcome instanceof Promise) outcome.catch((error: unknown) => this.#report(error));
  }

  #report(error: unknown): void {
    if (!(error instanceof JobEnded)) this.#fail(error);
  }
}

/** Waits for `work`, and rejects if the job has ended meanwhile, so that an ended job has no further effects. */
export async function whileRunning<Result>(signal: AbortSignal, work: Promise<Result>): Promise<Result> {
  try {
    const result = await work;
    signal.throwIfAborted();
    return result;
  } catch (error) {
    // A failure caused by the end of the job is not a failure.
    signal.throwIfAborted();
    throw error;
  }
}
