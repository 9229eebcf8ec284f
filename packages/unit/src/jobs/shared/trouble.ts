import { BusError, GuardRefused } from '@lcs/hardware';
import type { JobContext } from '@lcs/platform';

/** Whether a chip or a wire is at fault: it may come back, so a job waits for it. Everything else ends the job. */
export const isHardwareTrouble = (error: unknown): error is Error =>
  error instanceof BusError || (error instanceof GuardRefused && error.code === 'output_failed');

/** A fault that lasts is said again this often. */
const saidAgainMs = 600_000;

/** Says a fault when it comes, now and then while it lasts, and when it is over; not at each of many failed attempts. */
export class Trouble {
  readonly #context: Pick<JobContext, 'clock' | 'log'>;
  readonly #what: string;
  readonly #check: string;
  #since: { readonly culprit: string; readonly saidAtMs: number; readonly failures: number } | undefined;

  /** `what` is missing because of it; `check` tells a person where to look. Both are sentences. */
  constructor(context: Pick<JobContext, 'clock' | 'log'>, what: string, check: string) {
    this.#context = context;
    this.#what = what;
    this.#check = check;
  }

  get isOn(): boolean {
    return this.#since !== undefined;
  }

  is(error: Error): void {
    const nowMs = this.#context.clock.monotonic();
    const failures = (this.#since?.failures ?? 0) + 1;
    // A chip that is gone fails in many ways; who fails is what counts.
    const culprit = error instanceof BusError ? error.device : error.message;
    const isOld = this.#since?.culprit === culprit && nowMs - this.#since.saidAtMs < saidAgainMs;
    if (!isOld) {
      const again = failures > 1 ? ` ${failures} attempts failed so far.` : '';
      this.#context.log('ERROR', `${this.#what} ${error.message} ${this.#check}${again}`);
    }
    const saidAtMs = isOld ? (this.#since?.saidAtMs ?? nowMs) : nowMs;
    this.#since = { culprit, saidAtMs, failures };
  }

  over(): void {
    if (this.#since === undefined) return;
    const { failures } = this.#since;
    this.#since = undefined;
    this.#context.log('NOTICE', `It works again after ${failures} failed ${failures === 1 ? 'attempt' : 'attempts'}.`);
  }
}
