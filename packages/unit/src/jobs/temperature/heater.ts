import { GuardRefused, type RefusalCode } from '@lcs/hardware';
import type { JobContext } from '@lcs/node';
import { type HardwareFault, isHardwareFault } from '../shared/hardware-fault.ts';
import type { HeldOutput } from '../shared/held-output.ts';
import type { JobMemory } from '../shared/job-memory.ts';
import { LogLimit } from '../shared/log-limit.ts';

/** Refusals because of heat, after which the job continues; some need a person. All others end the job. */
const heatRefusals: ReadonlyMap<RefusalCode, string> = new Map([
  ['too_hot', 'its board is too hot. Heating continues when it has cooled.'],
  [
    'shut_down',
    'several consecutive readings of its board were much too hot. Check heater, sensor and their cables, then start the job again.',
  ],
  [
    'sensor_detached',
    'its board did not get warmer, three times in a row. Check the sensor, then start the job again.',
  ],
  ['no_temperature', 'its board cannot be measured. Check the temperature sensor.'],
  ['no_limits', 'the limits of this reactor are not known. Choose the model of this unit.'],
]);

/** A lasting refusal is logged again after this time. */
const loggedAgainMs = 600_000;

const lastOnKey = 'heater.last_on_ms';
const unitItself = '$experiment';

/** The heater; a refusal of the guard leaves it off. */
export class Heater {
  readonly #context: Pick<JobContext, 'clock' | 'signal' | 'log'>;
  readonly #output: HeldOutput | undefined;
  readonly #memory: JobMemory;
  readonly #fault: HardwareFault;
  #duty = 0;
  #requested = 0;
  readonly #refusals: LogLimit;

  /** Without an output the heater is never on. */
  constructor(
    context: Pick<JobContext, 'clock' | 'signal' | 'log'>,
    output: HeldOutput | undefined,
    memory: JobMemory,
    fault: HardwareFault,
  ) {
    this.#context = context;
    this.#output = output;
    this.#memory = memory;
    this.#fault = fault;
    this.#refusals = new LogLimit(context.clock, loggedAgainMs);
  }

  /** Present duty, %. */
  get duty(): number {
    return this.#duty;
  }

  /** Whether it may be on: it has a duty, or the guard holds it back and may give that again. */
  get isRequested(): boolean {
    return this.#requested > 0;
  }

  /** Milliseconds since the heater was on; infinite if unknown. */
  get offForMs(): number {
    const lastMs = this.#memory.read(unitItself, lastOnKey);
    if (this.#duty > 0) return 0;
    return typeof lastMs === 'number' ? this.#context.clock.now() - lastMs : Number.POSITIVE_INFINITY;
  }

  /** Sets the duty (%), or 0 after a refusal. @throws what ends the job */
  async set(duty: number): Promise<void> {
    if (this.#output === undefined) return;
    this.#noteOn(duty);
    this.#duty = 0;
    this.#requested = 0;
    try {
      await this.#output.set(duty);
      this.#duty = duty;
      this.#requested = duty;
      this.#fault.clear();
      if (duty > 0) this.#refusals.reset();
    } catch (error) {
      this.#context.signal.throwIfAborted();
      if (isHardwareFault(error)) this.#fault.set(error);
      else {
        this.#logRefusal(error);
        // A new guard would restore the last accepted duty.
        if (duty > 0) await this.#output.set(0);
      }
    }
  }

  /** The guard has given it this duty (%) by itself. */
  overridden(duty: number): void {
    this.#noteOn(duty);
    this.#duty = duty;
  }

  #noteOn(duty: number): void {
    if (this.#duty > 0 || duty > 0) this.#memory.write(unitItself, lastOnKey, this.#context.clock.now());
  }

  #logRefusal(error: unknown): void {
    const reason = error instanceof GuardRefused ? heatRefusals.get(error.code) : undefined;
    if (!(error instanceof GuardRefused) || reason === undefined) throw error;
    if (this.#refusals.isDue(error.code)) this.#context.log('ERROR', `The guard keeps the heater off: ${reason}`);
  }

  release(): Promise<void> {
    return this.#output?.release() ?? Promise.resolve();
  }
}
