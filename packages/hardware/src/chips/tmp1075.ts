import type { I2cBus } from '../buses/i2c-bus.ts';
import { signedWord } from './register-bytes.ts';
import { readWord } from './register-word.ts';

/** Registers: Texas Instruments TMP1075 data sheet (SBOS854), section "Register Map". */
export const tmp1075Register = { temperature: 0, config: 1 } as const;

/** The sensor on the heater's board: 12 bits, 0.0625 degrees a step, two's complement in the upper bits of a word. */
export class Tmp1075 {
  readonly #bus: I2cBus;
  readonly #address: number;

  constructor(bus: I2cBus, address: number) {
    this.#bus = bus;
    this.#address = address;
  }

  /** Degrees Celsius. @throws BusError */
  async readCelsius(): Promise<number> {
    const word = await readWord(this.#bus, this.#address, tmp1075Register.temperature);
    return (signedWord(word) >> 4) * 0.0625;
  }
}
