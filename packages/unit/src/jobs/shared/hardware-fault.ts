import { BusError, GuardLost, GuardRefused } from '@lcs/hardware';
import { type JobContext, LastingFault } from '@lcs/node';

/** Whether a chip, a cable or the guard failed. These faults can pass, so the job continues and tries again; other errors end the job. */
export const isHardwareFault = (error: unknown): error is Error =>
  error instanceof BusError ||
  error instanceof GuardLost ||
  (error instanceof GuardRefused && error.code === 'output_failed');

/** A missing chip fails in many ways: the device identifies the fault. */
const faultyPartOf = (error: Error): string => (error instanceof BusError ? error.device : error.message);

/** A hardware fault: logged when it begins, repeatedly while it lasts, and when it is over. */
export class HardwareFault {
  readonly #fault: LastingFault;

  /** `what`: the effect of the fault; `check`: what a person should check. Both are sentences. */
  constructor(context: Pick<JobContext, 'clock' | 'log'>, what: string, check: string) {
    this.#fault = new LastingFault(context, { what, check, keyOf: faultyPartOf });
  }

  get isSet(): boolean {
    return this.#fault.isSet;
  }

  set(error: Error): void {
    this.#fault.set(error);
  }

  clear(): void {
    this.#fault.clear();
  }
}
