import type { HeldDuty } from '@lcs/domain';
import type { JobContext } from '@lcs/platform';
import type { HeldOutput } from '../shared/job-hands.ts';

/** The stirrer's motor. A newer order ends what an older one was still about to do. */
export class Motor {
  readonly #context: Pick<JobContext, 'clock' | 'publish'>;
  readonly #output: HeldOutput;
  /** Whether its duty is told. */
  isTold = true;
  #orders = 0;
  #duty = 0;
  #told: number | undefined;

  constructor(context: Pick<JobContext, 'clock' | 'publish'>, output: HeldOutput) {
    this.#context = context;
    this.#output = output;
  }

  /** Duty that was ordered last, %. */
  get duty(): number {
    return this.#duty;
  }

  /** Number of orders so far: whoever looks at the speed for some time knows by it whether it was one and the same. */
  get orders(): number {
    return this.#orders;
  }

  /** Runs at `duty` (%), after these kicks. @throws what the guard refuses with */
  async run(duty: number, kicks: readonly HeldDuty[] = []): Promise<void> {
    this.#orders += 1;
    const order = this.#orders;
    this.#duty = rounded(duty);
    this.#tell();
    for (const kick of kicks) {
      await this.#output.set(kick.duty);
      await this.#context.clock.sleep(1000 * kick.seconds);
      if (order !== this.#orders) return;
    }
    await this.#output.set(this.#duty);
  }

  /** Stands still; the published duty stays the one that it goes on with, also after a restart. @throws what the guard refuses with */
  async rest(): Promise<void> {
    this.#orders += 1;
    this.#duty = 0;
    await this.#output.set(0);
  }

  /** Each told duty is written to the disk, to be taken up after a restart: what hardly differs is not told. */
  #tell(): void {
    if (!this.isTold) return;
    const isKnown = this.#told !== undefined && Math.abs(this.#duty - this.#told) < toldStep;
    if (isKnown && (this.#duty === 0) === (this.#told === 0)) return;
    this.#told = this.#duty;
    this.#context.publish('duty_cycle', this.#duty);
  }
}

/** Percent. */
const toldStep = 1;

/** Five decimals: what the output can tell apart. */
const rounded = (duty: number): number => Math.round(duty * 1e5) / 1e5;
