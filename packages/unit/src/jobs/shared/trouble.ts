import { BusError, GuardLost, GuardRefused } from '@lcs/hardware';
import { type JobContext, LastingFault } from '@lcs/platform';

/**
 * Whether a chip or a wire is at fault, or the guard is away: they may come back, so a job waits for them. Everything else
 * ends the job.
 */
export const isHardwareTrouble = (error: unknown): error is Error =>
  error instanceof BusError ||
  error instanceof GuardLost ||
  (error instanceof GuardRefused && error.code === 'output_failed');

/** A chip that is gone fails in many ways; which chip fails is what counts. */
const culpritOf = (error: Error): string => (error instanceof BusError ? error.device : error.message);

/** A fault of the hardware, logged when it comes, now and then while it lasts, and when it is over. */
export class Trouble {
  readonly #fault: LastingFault;

  /** `what` is missing because of it; `check` tells a person where to look. Both are sentences. */
  constructor(context: Pick<JobContext, 'clock' | 'log'>, what: string, check: string) {
    this.#fault = new LastingFault(context, { what, check, culpritOf });
  }

  get isOn(): boolean {
    return this.#fault.isSet;
  }

  is(error: Error): void {
    this.#fault.set(error);
  }

  over(): void {
    this.#fault.clear();
  }
}
