import type { Clock } from '@lcs/platform';
import type { I2cBus } from '../buses/i2c-bus.ts';
import {
  type Ads1114Gain,
  ads111xConversionMs,
  ads111xDefaults,
  ads1114FullScaleVolts,
  ads1114Register,
} from './ads1114.ts';
import { signedWord } from './register-bytes.ts';
import { readWord } from './register-word.ts';

/**
 * Fields of the config register beyond those of the ADS1114 (Texas Instruments ADS111x data sheet SBAS444, "Config
 * Register"): OS (bit 15) begins a conversion, MUX (14:12) = 0b100 + input measures it against ground, MODE (8) stops the chip
 * after one conversion.
 */
export const ads1115Config = { begin: 0x8000, inputToGround: 0b100, muxShift: 12, single: 0x0100 } as const;

export type Ads1115Input = 0 | 1 | 2 | 3;

/** From power-down the chip wakes within 25 µs ("Reset and Power-Up"): it is in the rounding. */
const conversionMs = ads111xConversionMs;

/**
 * A 16-bit converter behind four inputs: each reading chooses its input and makes one conversion, one reading at a time.
 * Its inputs are read like converters of their own.
 */
export class Ads1115 {
  readonly #bus: I2cBus;
  readonly #address: number;
  readonly #clock: Clock;
  /** The conversion before: the chip has one converter. Never rejects. */
  #before: Promise<unknown> = Promise.resolve();

  constructor(bus: I2cBus, address: number, clock: Clock) {
    this.#bus = bus;
    this.#address = address;
    this.#clock = clock;
  }

  /** One conversion of this input that begins after the call, volts; takes 8.7 ms, more when others wait. @throws BusError */
  readVolts(input: Ads1115Input, gain: Ads1114Gain): Promise<number> {
    const reading = this.#before.then(() => this.#convert(input, gain));
    this.#before = reading.catch(() => {});
    return reading;
  }

  input(input: Ads1115Input): Ads1115Channel {
    return new Ads1115Channel(this, input);
  }

  async #convert(input: Ads1115Input, gain: Ads1114Gain): Promise<number> {
    const mux = (ads1115Config.inputToGround + input) << ads1115Config.muxShift;
    const rate = (ads111xDefaults.rateCode << 5) | ads111xDefaults.comparatorOff;
    const word = ads1115Config.begin | mux | (gain << 9) | ads1115Config.single | rate;
    await this.#bus.writeRegister(this.#address, ads1114Register.config, Uint8Array.of(word >> 8, word & 0xff));
    await this.#clock.sleep(conversionMs);
    const code = signedWord(await readWord(this.#bus, this.#address, ads1114Register.conversion));
    return (code * ads1114FullScaleVolts[gain]) / 32768;
  }
}

/** One input of an ADS1115, with a gain of its own. */
export class Ads1115Channel {
  readonly #chip: Ads1115;
  readonly #input: Ads1115Input;
  #gain: Ads1114Gain = 1;

  constructor(chip: Ads1115, input: Ads1115Input) {
    this.#chip = chip;
    this.#input = input;
  }

  /** Effective with the next reading. */
  async setGain(gain: Ads1114Gain): Promise<void> {
    this.#gain = gain;
  }

  /** @throws BusError */
  readVolts(): Promise<number> {
    return this.#chip.readVolts(this.#input, this.#gain);
  }

  /** `count` conversions one after the other. @throws BusError */
  async readSeries(count: number): Promise<number[]> {
    const volts: number[] = [];
    while (volts.length < count) volts.push(await this.readVolts());
    return volts;
  }
}
