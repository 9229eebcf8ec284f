import { type ActuatorLease, type JobContext, whileRunning } from '@lcs/node';

export { whileRunning } from '@lcs/node';

/** One output that a job holds. */
export class HeldOutput {
  readonly #context: Pick<JobContext, 'signal'>;
  readonly #lease: ActuatorLease;
  readonly #output: string;

  constructor(context: Pick<JobContext, 'signal'>, lease: ActuatorLease, output: string) {
    this.#context = context;
    this.#lease = lease;
    this.#output = output;
  }

  /**
   * `onOverridden` receives each level that the guard sets by itself, and the requested one when the output has that again.
   * @throws the refusal of the guard
   */
  static async take(
    context: Pick<JobContext, 'lease' | 'signal'>,
    output: string,
    onOverridden?: (percent: number) => void,
  ): Promise<HeldOutput> {
    return new HeldOutput(context, await context.lease([output], (_, percent) => onOverridden?.(percent)), output);
  }

  /** Percent. `forMs`: for this time, then the guard switches it off. @throws the refusal of the guard, the signal's reason */
  set(percent: number, forMs?: number): Promise<void> {
    return whileRunning(this.#context.signal, this.#lease.set(this.#output, percent, forMs));
  }

  /** For the end of a job, when its signal is aborted already. */
  async release(): Promise<void> {
    await this.#lease.release();
  }
}
