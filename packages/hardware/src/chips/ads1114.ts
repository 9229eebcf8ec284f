import type { OversamplingPlan } from '@lcs/domain';
import type { Clock } from '@lcs/platform';
import { BusError } from '../buses/bus-error.ts';
import { type I2cBus, i2cDevice } from '../buses/i2c-bus.ts';
import {
  type BurstOrder,
  burstIdentity,
  burstRegister,
  burstTimes,
  decodeLevel,
  encodeBurstOrder,
  isSameOrder,
} from './burst-registers.ts';
import { signedWord } from './register-bytes.ts';
import { readWord } from './register-word.ts';

/** Registers and fields: Texas Instruments ADS111x data sheet (SBAS444), section "Register Maps". */
export const ads1114Register = { conversion: 0, config: 1 } as const;

/** Full scale in volts by gain code (field PGA of the config register, bits 11:9). Codes 6 and 7 repeat code 5. */
export const ads1114FullScaleVolts = [6.144, 4.096, 2.048, 1.024, 0.512, 0.256, 0.256, 0.256] as const;

/** Samples per second by rate code (field DR, bits 7:5). */
export const ads1114SamplesPerSecond = [8, 16, 32, 64, 128, 250, 475, 860] as const;

export type Ads1114Gain = 0 | 1 | 2 | 3 | 4 | 5;

/** Fields of the config register that all our converters have: 128 samples a second, and no comparator. */
export const ads111xDefaults = { rateCode: 4, comparatorOff: 0b11 } as const;
const { rateCode, comparatorOff } = ads111xDefaults;
/** The chip's oscillator may be 10 % slow ("Data rate variation" in the electrical characteristics); then one rounding. */
export const ads111xConversionMs = (1000 / ads1114SamplesPerSecond[rateCode]) * 1.1 + 0.1;
const conversionMs = ads111xConversionMs;
/** Field OS of the config register: read, it is 1 while no conversion runs. */
const idleBit = 0x8000;
/** A gain's window is used up to this part, so that noise and a growing culture do not clip. */
const usablePart = 0.85;

/** The most sensitive gain with headroom above `volts`. */
export function gainFor(volts: number): Ads1114Gain {
  const gains: readonly Ads1114Gain[] = [5, 4, 3, 2, 1];
  return gains.find((gain) => Math.abs(volts) <= ads1114FullScaleVolts[gain] * usablePart) ?? 0;
}

/** A 16-bit converter with one input, kept in continuous conversion at 128 samples a second. */
export class Ads1114 {
  readonly #bus: I2cBus;
  readonly #address: number;
  readonly #clock: Clock;
  #gain: Ads1114Gain = 1;
  /** The config register as it was written; undefined before that. */
  #written: number | undefined;
  #validFromMs = 0;
  #hasBurst: boolean | undefined;
  /** The newest plan of a burst: the next one is usually the same. */
  #order: (BurstOrder & { readonly bytes: Uint8Array; readonly lastMs: number }) | undefined;

  constructor(bus: I2cBus, address: number, clock: Clock) {
    this.#bus = bus;
    this.#address = address;
    this.#clock = clock;
  }

  /** Sets the gain and starts continuous conversion; to be called once before the first reading. @throws BusError */
  async setGain(gain: Ads1114Gain): Promise<void> {
    const word = (gain << 9) | (rateCode << 5) | comparatorOff;
    this.#written = word;
    await this.#bus.writeRegister(this.#address, ads1114Register.config, Uint8Array.of(word >> 8, word & 0xff));
    this.#gain = gain;
    // The conversion under way ends with the old setting ("Continuous-Conversion Mode"): only the one after it counts.
    this.#validFromMs = this.#clock.monotonic() + 2 * conversionMs;
  }

  /**
   * The next conversion that began after this call, in volts: what was switched just before the call (an LED) is in it
   * from beginning to end. Takes two conversion times (17 ms). @throws BusError
   */
  async readVolts(): Promise<number> {
    const code = await this.readCode();
    return (code * ads1114FullScaleVolts[this.#gain]) / 32768;
  }

  /** As `readVolts`, as the signed 16-bit code. @throws BusError */
  async readCode(): Promise<number> {
    const nowMs = this.#clock.monotonic();
    await this.#clock.sleep(Math.max(this.#validFromMs - nowMs, 2 * conversionMs));
    return this.#latestCode();
  }

  /**
   * Whether the chip still has its settings: call it after the conversions of a reading. A chip whose power was interrupted ("Power-On Reset":
   * config 0x8583, powered down) acknowledges and returns the same code for ever. Then it receives its settings again, and the conversions
   * do not count. @throws BusError
   */
  async verify(): Promise<void> {
    const word = (await readWord(this.#bus, this.#address, ads1114Register.config)) & ~idleBit;
    if (word !== this.#written) await this.#settingsLost();
  }

  /** `count` conversions one after the other, each a new one, in volts. @throws BusError */
  async readSeries(count: number): Promise<number[]> {
    const volts = [await this.readVolts()];
    while (volts.length < count) {
      await this.#clock.sleep(conversionMs);
      volts.push(((await this.#latestCode()) * ads1114FullScaleVolts[this.#gain]) / 32768);
    }
    await this.verify();
    return volts;
  }

  /**
   * The level, in volts, of a whole reading as `plan` spreads it, hum taken out (`fitHum` without a prior), in the time that
   * the reading takes. undefined: this chip has none; read slot by slot. @throws BusError
   */
  async burst(plan: OversamplingPlan): Promise<number | undefined> {
    this.#hasBurst ??= await this.#findsBurst();
    if (!this.#hasBurst) return undefined;
    const { bytes, lastMs } = this.#orderOf(plan);
    await this.#bus.writeRegister(this.#address, burstRegister.plan, bytes);
    await this.#clock.sleep(Math.max(this.#validFromMs - this.#clock.monotonic(), 2 * conversionMs) + lastMs);
    const level = decodeLevel(await this.#bus.readRegister(this.#address, burstRegister.level, 8));
    if (Number.isFinite(level)) return level;
    await this.verify();
    throw new BusError(i2cDevice(this.#address), 'burst', 'the reading was not made');
  }

  async #settingsLost(): Promise<never> {
    await this.setGain(this.#gain);
    const reason = 'the converter had lost its settings, as after an interruption of its power; it has them again';
    throw new BusError(i2cDevice(this.#address), 'verify the settings', reason);
  }

  #orderOf(plan: OversamplingPlan) {
    // Without pauses conversions follow each other; after a pause the one under way began too early.
    const eachMs = plan.spanS === 0 ? conversionMs : 2 * conversionMs;
    const order: BurstOrder = { ...plan, conversionS: eachMs / 1000 };
    if (this.#order !== undefined && isSameOrder(this.#order, order)) return this.#order;
    const lastMs = (burstTimes(order).at(-1) ?? 0) * 1000;
    this.#order = { ...order, bytes: encodeBurstOrder(order), lastMs };
    return this.#order;
  }

  async #findsBurst(): Promise<boolean> {
    if (this.#bus.hasVendorRegisters !== true) return false;
    const found = await this.#bus.readRegister(this.#address, burstRegister.identity, burstIdentity.length);
    return found.length === burstIdentity.length && burstIdentity.every((byte, index) => found[index] === byte);
  }

  async #latestCode(): Promise<number> {
    return signedWord(await readWord(this.#bus, this.#address, ads1114Register.conversion));
  }
}
