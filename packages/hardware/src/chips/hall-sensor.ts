import type { Clock } from '@lcs/platform';
import type { GpioBank } from '../buses/gpio-bank.ts';

/** The sensor that detects a magnet of the stirrer once a turn; pulls its line down. */
export class HallSensor {
  readonly #gpio: GpioBank;
  readonly #line: number;
  readonly #clock: Clock;

  constructor(gpio: GpioBank, line: number, clock: Clock) {
    this.#gpio = gpio;
    this.#line = line;
    this.#clock = clock;
  }

  /** Counts for `windowMs`; the edges' times in microseconds of the board's clock. @throws BusError, or the signal's reason */
  async measure(windowMs: number, signal?: AbortSignal): Promise<readonly number[]> {
    await this.#gpio.watch(this.#line, 'falling');
    try {
      await this.#clock.sleep(windowMs, signal);
      return await this.#gpio.takeEdges(this.#line);
    } finally {
      await this.#gpio.unwatch(this.#line);
    }
  }
}
