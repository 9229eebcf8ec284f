import {
  averageConversions,
  type CoolingPlan,
  conversionEveryMs,
  conversionsOfReading,
  isBoardTemperature,
  isPlausibleCooling,
  type LiquidReading,
  liquidTemperature,
} from '@lcs/domain';
import { BusError } from '@lcs/hardware';
import type { JobContext } from '@lcs/node';
import type { Calibration } from '../shared/calibration.ts';
import { whileRunning } from '../shared/held-output.ts';
import type { UnitDevices } from '../unit-devices.ts';

/** Measures the temperature of the liquid by the heater's board, which must cool first when it was heated. */
export class Thermometer {
  readonly #context: Pick<JobContext, 'clock' | 'signal'>;
  readonly #sensor: UnitDevices['boardTemperature'];
  readonly #plan: CoolingPlan;
  readonly #trim: Calibration | undefined;

  constructor(
    context: Pick<JobContext, 'clock' | 'signal'>,
    sensor: UnitDevices['boardTemperature'],
    plan: CoolingPlan,
    trim: Calibration | undefined,
  ) {
    this.#context = context;
    this.#sensor = sensor;
    this.#plan = plan;
    this.#trim = trim;
  }

  /** Of a board that was not heated. @throws BusError, the signal's reason */
  async readAfterCooling(): Promise<LiquidReading> {
    return this.#readingOf([await this.#readSettled()], 0, 0);
  }

  /**
   * The estimate for a board that was heated with `duty` (%) for `heatedS` seconds until now; takes as long as the observation of its
   * cooling. Undefined when `goesOn` returns false in the meantime. @throws BusError, the signal's reason
   */
  async readCooling(duty: number, heatedS: number, mayContinue: () => boolean): Promise<LiquidReading | undefined> {
    const { clock } = this.#context;
    const startMs = clock.monotonic();
    const { samples: count, spacingS } = this.#plan;
    const timesMs = Array.from({ length: count }, (_, index) => startMs + 1000 * index * spacingS);
    const followed = this.#sensor.follow?.(timesMs);
    const samples: number[] = [];
    for (const timeMs of followed === undefined ? timesMs : timesMs.slice(-1)) {
      await clock.sleep(Math.max(0, timeMs - clock.monotonic()));
      if (!mayContinue()) return undefined;
      samples.push(...(followed?.() ?? [await this.#readSettled()]));
    }
    return this.#readingOf(samples, duty, heatedS);
  }

  /** The heater's board by one conversion, °C. @throws BusError, the signal's reason */
  async readBoard(): Promise<number> {
    const celsius = await whileRunning(this.#context.signal, this.#sensor.readCelsius());
    if (isBoardTemperature(celsius)) return celsius;
    throw new BusError('temperature sensor', 'read', `${celsius} ℃ is outside the range of the sensor`);
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
    throw failed ?? new BusError('temperature sensor', 'read', `its readings do not agree: ${texts} ℃`);
  }

  #readingOf(samples: readonly number[], duty: number, heatedS: number): LiquidReading {
    const { celsius: estimatedC } = liquidTemperature(samples, duty);
    const probed = this.#trim?.shownFor(estimatedC) ?? estimatedC;
    return {
      celsius: Math.round(100 * probed) / 100,
      estimatedC,
      fitsHeater: isPlausibleCooling(samples, duty, heatedS),
      hottestBoardC: Math.max(...samples),
    };
  }
}
