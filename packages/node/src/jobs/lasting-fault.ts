import type { JobContext } from './job-definition.ts';

/** A fault that lasts is logged again this often. */
const loggedAgainMs = 600_000;

export interface LastingFaultOptions {
  /** What is missing because of it, as a sentence. */
  readonly what: string;
  /** Where a person should look, as a sentence. */
  readonly check: string;
  /** What tells two faults apart. Default: the error's message. */
  readonly culpritOf?: (error: Error) => string;
}

/** Logs a fault when it comes, now and then while it lasts, and when it is over; not at each of many failed attempts. */
export class LastingFault {
  readonly #context: Pick<JobContext, 'clock' | 'log'>;
  readonly #options: LastingFaultOptions;
  #since: { readonly culprit: string; readonly loggedAtMs: number; readonly failures: number } | undefined;

  constructor(context: Pick<JobContext, 'clock' | 'log'>, options: LastingFaultOptions) {
    this.#context = context;
    this.#options = options;
  }

  get isSet(): boolean {
    return this.#since !== undefined;
  }

  set(error: Error): void {
    const { what, check, culpritOf = ({ message }) => message } = this.#options;
    const nowMs = this.#context.clock.monotonic();
    const failures = (this.#since?.failures ?? 0) + 1;
    const culprit = culpritOf(error);
    const isOld = this.#since?.culprit === culprit && nowMs - this.#since.loggedAtMs < loggedAgainMs;
    if (!isOld) {
      const again = failures > 1 ? ` ${failures} attempts failed so far.` : '';
      this.#context.log('ERROR', `${what} ${error.message} ${check}${again}`);
    }
    const loggedAtMs = isOld ? (this.#since?.loggedAtMs ?? nowMs) : nowMs;
    this.#since = { culprit, loggedAtMs, failures };
  }

  clear(): void {
    if (this.#since === undefined) return;
    const { failures } = this.#since;
    this.#since = undefined;
    this.#context.log('NOTICE', `It works again after ${failures} failed ${failures === 1 ? 'attempt' : 'attempts'}.`);
  }
}
