import type { JobContext } from './job-definition.ts';

/** The interval at which a lasting fault is logged again. */
const loggedAgainMs = 600_000;

export interface LastingFaultOptions {
  /** The consequence of the fault, as a sentence. */
  readonly what: string;
  /** What a user should check, as a sentence. */
  readonly check: string;
  /** Identifies a fault. Default: the error's message. */
  readonly keyOf?: (error: Error) => string;
}

/** Logs a fault when it begins, at intervals while it lasts, and when it has ended; not at each failed attempt. */
export class LastingFault {
  readonly #context: Pick<JobContext, 'clock' | 'log'>;
  readonly #options: LastingFaultOptions;
  #since: { readonly key: string; readonly loggedAtMs: number; readonly failures: number } | undefined;

  constructor(context: Pick<JobContext, 'clock' | 'log'>, options: LastingFaultOptions) {
    this.#context = context;
    this.#options = options;
  }

  get isSet(): boolean {
    return this.#since !== undefined;
  }

  set(error: Error): void {
    const { what, check, keyOf = ({ message }) => message } = this.#options;
    const nowMs = this.#context.clock.monotonic();
    const failures = (this.#since?.failures ?? 0) + 1;
    const key = keyOf(error);
    const isOld = this.#since?.key === key && nowMs - this.#since.loggedAtMs < loggedAgainMs;
    if (!isOld) {
      const again = failures > 1 ? ` ${failures} attempts failed so far.` : '';
      this.#context.log('ERROR', `${what} ${error.message} ${check}${again}`);
    }
    const loggedAtMs = isOld ? (this.#since?.loggedAtMs ?? nowMs) : nowMs;
    this.#since = { key, loggedAtMs, failures };
  }

  clear(): void {
    if (this.#since === undefined) return;
    const { failures } = this.#since;
    this.#since = undefined;
    this.#context.log('NOTICE', `It works again after ${failures} failed ${failures === 1 ? 'attempt' : 'attempts'}.`);
  }
}
