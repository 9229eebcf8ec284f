import type { I2cBus } from '../buses/i2c-bus.ts';
import { type LedDriver, type LedName, ledNames } from './led-driver.ts';
import { checkPercent } from './percent.ts';

/** Registers: Texas Instruments DAC43608 data sheet, section "Register Map" (DEVICE_CONFIG, DACn_DATA). */
export const dac43608Register = { config: 1, data: 8 } as const;

/** Eight-bit converter that drives the LEDs of first-generation boards; outputs A to D of its eight are wired. */
export class Dac43608 implements LedDriver {
  readonly #bus: I2cBus;
  readonly #address: number;
  /** One bit per output, 1: powered down, as after power-on. */
  #poweredDown = 0xff;

  constructor(bus: I2cBus, address: number) {
    this.#bus = bus;
    this.#address = address;
  }

  async set(led: LedName, percent: number): Promise<void> {
    const output = ledNames.indexOf(led);
    const code = Math.round((checkPercent(percent) / 100) * 255);
    // Value before power: an output that is switched on never shows the value of its last use.
    await this.#bus.writeRegister(
      this.#address,
      dac43608Register.data + output,
      Uint8Array.of(code >> 4, (code << 4) & 0xff),
    );
    const bit = 1 << output;
    const poweredDown = code === 0 ? this.#poweredDown | bit : this.#poweredDown & ~bit;
    await this.#bus.writeRegister(this.#address, dac43608Register.config, Uint8Array.of(0, poweredDown));
    this.#poweredDown = poweredDown;
  }
}
