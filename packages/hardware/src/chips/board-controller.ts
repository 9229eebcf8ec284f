import type { I2cBus } from '../buses/i2c-bus.ts';
import { type LedDriver, type LedName, ledNames } from './led-driver.ts';
import { checkPercent } from './percent.ts';
import { swappedWord } from './register-bytes.ts';
import { readWord } from './register-word.ts';

/**
 * Registers of the microcontroller on boards 1.1 and later (its firmware 0.5): 0 to 3 take the duty of LED A to D as one
 * byte, 4 to 7 give analogue input 0 to 3 as two bytes, low byte first, 8 gives the firmware's minor and major number.
 */
export const controllerRegister = { led: 0, input: 4, version: 8 } as const;

/** The firmware sums 1,024 12-bit samples and shifts by five: 32 times one sample (16 times before firmware 0.4). */
export const controllerInputScale = { since04: 32, before: 16 } as const;
export const controllerReferenceVolts = 3.3;

export type ControllerInput = 0 | 1 | 2 | 3;

/** Drives the LEDs and measures slow voltages (the board's version resistor, the supply of the PWM outputs). */
export class BoardController implements LedDriver {
  readonly #bus: I2cBus;
  readonly #address: number;
  #scale: number | undefined;

  constructor(bus: I2cBus, address: number) {
    this.#bus = bus;
    this.#address = address;
  }

  async set(led: LedName, percent: number): Promise<void> {
    const duty = Math.round((checkPercent(percent) / 100) * 255);
    await this.#bus.writeRegister(this.#address, controllerRegister.led + ledNames.indexOf(led), Uint8Array.of(duty));
  }

  /** @throws BusError */
  async readFirmware(): Promise<{ major: number; minor: number }> {
    const version = await readWord(this.#bus, this.#address, controllerRegister.version);
    return { major: version & 0xff, minor: version >> 8 };
  }

  /** Volts at the input. Above 1.65 V the number ends (firmware 0.5: begins again): what is measured is divided to stay below. @throws BusError */
  async readVolts(input: ControllerInput): Promise<number> {
    this.#scale ??= await this.#readScale();
    const sum = swappedWord(await readWord(this.#bus, this.#address, controllerRegister.input + input));
    return (sum / 4095 / this.#scale) * controllerReferenceVolts;
  }

  async #readScale(): Promise<number> {
    const { major, minor } = await this.readFirmware();
    return major > 0 || minor >= 4 ? controllerInputScale.since04 : controllerInputScale.before;
  }
}
