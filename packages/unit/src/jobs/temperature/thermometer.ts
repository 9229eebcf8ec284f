import {
  averageConversions,
  type BoardReading,
  type CoolingPlan,
  conversionEveryMs,
  conversionsOfReading,
  isBoardTemperature,
} from '@lcs/domain';
import { BusError } from '@lcs/hardware';
import type { JobContext } from '@lcs/node';
import { whileRunning } from '../shared/held-output.ts';
import type { UnitDevices } from '../unit-devices.ts';

/** Reads the temperature of the heater's board. */
export class Thermometer {
  readonly #context: Pick<JobContext, 'clock' | 'signal'>;
  readonly #sensor: UnitDevices['boardTemperature'];
  readonly #plan: CoolingPlan;

  constructor(
    context: Pick<JobContext, 'clock' | 'signal'>,
    sensor: UnitDevices['boardTemperature'],
    plan: CoolingPlan,
  ) {
    this.#context = context;
    this.#sensor = sensor;
    this.#plan = plan;
  }

  /**
   * The board at `count` times of a pause of the heater. Undefined when `mayContinue` returns false in the meantime.
   * @throws BusError, the signal's reason
   */
  async readPause(
    mayContinue: () => boolean,
    count = this.#plan.samples,
  ): Promise<readonly BoardReading[] | undefined> {
    const { clock } = this.#context;
    const startMs = clock.monotonic();
    const timesMs: number[] = [];
    for (let index = 0; index < count; index += 1) timesMs.push(startMs + 1000 * index * this.#plan.spacingS);
    const followed = this.#sensor.follow?.(timesMs);
    const readings: BoardReading[] = [];
    for (const timeMs of followed === undefined ? timesMs : timesMs.slice(-1)) {
      await clock.sleep(Math.max(0, timeMs - clock.monotonic()));
      if (!mayContinue()) return undefined;
      const seen = followed?.() ?? [await this.#readSettled()];
      const seenMs = followed === undefined ? [clock.monotonic()] : timesMs;
      readings.push(...seen.map((celsius, index) => ({ atMs: seenMs[index] ?? timeMs, celsius })));
    }
    return readings;
  }

  /** The heater's board by one conversion, °C. @throws BusError, the signal's reason */
  async readBoard(): Promise<number> {
    const celsius = await whileRunning(this.#context.signal, this.#sensor.readCelsius());
    if (isBoardTemperature(celsius)) return celsius;
    throw new BusError('temperature sensor', 'read', `${celsius} °C is outside the range of the sensor`);
  }

  /** The same by several of them, so that one that fails or is disturbed does not count. @throws BusError, the signal's reason */
  async #readSettled(): Promise<number> {
    if (this.#sensor.readWhole !== undefined) return this.#sensor.readWhole();
    const { clock, signal } = this.#context;
    const conversions: number[] = [];
    let failed: BusError | undefined;
    for (let index = 0; index < conversionsOfReading; index += 1) {
      if (index > 0) await clock.sleep(conversionEveryMs);
      try {
        conversions.push(await this.readBoard());
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof BusError)) throw error;
        failed = error;
      }
    }
    const celsius = averageConversions(conversions);
    if (celsius !== undefined) return celsius;
    const texts = conversions.map((one) => one.toFixed(1)).join(', ');
    throw failed ?? new BusError('temperature sensor', 'read', `its readings do not agree: ${texts} °C`);
  }
}
