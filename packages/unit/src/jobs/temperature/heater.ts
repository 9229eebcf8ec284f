import { GuardRefused, type RefusalCode } from '@lcs/hardware';
import type { JobContext } from '@lcs/platform';
import type { HeldOutput } from '../shared/job-hands.ts';
import type { JobMemory } from '../shared/job-memory.ts';
import { isHardwareTrouble, type Trouble } from '../shared/trouble.ts';

/** Refusals that have to do with heat, and pass, some when a person has looked at it. All others mean that the job may not drive the heater any more. */
const heatRefusals: ReadonlyMap<RefusalCode, string> = new Map([
  ['too_hot', 'its board is too hot. Heating goes on by itself when it has cooled.'],
  [
    'shut_down',
    'its board was far too hot, by several readings in a row. Check heater, sensor and their cables, then start the job again.',
  ],
  ['sensor_detached', 'its board did not get warmer in ten minutes. Check the sensor, then start the job again.'],
  ['no_temperature', 'its board cannot be measured. Check the temperature sensor.'],
  ['no_limits', 'the limits of this reactor are not known. Choose the model of this unit.'],
]);

/** A refusal that lasts is said again this often. */
const saidAgainMs = 600_000;

const lastOnKey = 'heater.last_on_ms';
const unitItself = '$experiment';

/** The heater, and what becomes of it when the guard does not allow it. */
export class Heater {
  readonly #context: Pick<JobContext, 'clock' | 'signal' | 'log'>;
  readonly #output: HeldOutput | undefined;
  readonly #memory: JobMemory;
  readonly #trouble: Trouble;
  #duty = 0;
  #refused: { readonly code: RefusalCode; readonly atMs: number } | undefined;

  /** Without an output it is never on. */
  constructor(
    context: Pick<JobContext, 'clock' | 'signal' | 'log'>,
    output: HeldOutput | undefined,
    memory: JobMemory,
    trouble: Trouble,
  ) {
    this.#context = context;
    this.#output = output;
    this.#memory = memory;
    this.#trouble = trouble;
  }

  /** Percent at which it is. */
  get duty(): number {
    return this.#duty;
  }

  /** Milliseconds since it was on last, as far as anybody knows. */
  get restsForMs(): number {
    const lastMs = this.#memory.read(unitItself, lastOnKey);
    if (this.#duty > 0) return 0;
    return typeof lastMs === 'number' ? this.#context.clock.now() - lastMs : Number.POSITIVE_INFINITY;
  }

  /** Sets it to `duty` (%), or to 0 where that is refused. @throws what ends the job */
  async set(duty: number): Promise<void> {
    if (this.#output === undefined) return;
    if (this.#duty > 0 || duty > 0) this.#memory.write(unitItself, lastOnKey, this.#context.clock.now());
    this.#duty = 0;
    try {
      await this.#output.set(duty);
      this.#duty = duty;
      this.#trouble.over();
      if (duty > 0) this.#refused = undefined;
    } catch (error) {
      this.#context.signal.throwIfAborted();
      if (isHardwareTrouble(error)) this.#trouble.is(error);
      else {
        this.#sayRefused(error);
        // Whoever gives back to a new guard what the job had must not give back what it had before.
        if (duty > 0) await this.#output.set(0);
      }
    }
  }

  #sayRefused(error: unknown): void {
    const reason = error instanceof GuardRefused ? heatRefusals.get(error.code) : undefined;
    if (!(error instanceof GuardRefused) || reason === undefined) throw error;
    const nowMs = this.#context.clock.monotonic();
    const known = this.#refused;
    if (known?.code === error.code && nowMs - known.atMs < saidAgainMs) return;
    this.#refused = { code: error.code, atMs: nowMs };
    this.#context.log('ERROR', `The guard does not let the heater on: ${reason}`);
  }

  release(): Promise<void> {
    return this.#output?.release() ?? Promise.resolve();
  }
}
