import { ads1114FullScaleVolts, ads1114Register, ads1114SamplesPerSecond } from '../chips/ads1114.ts';
import { ads1115Config } from '../chips/ads1115.ts';
import { type SimulatedChip, word, wordOf } from './simulated-chip.ts';

export interface SimulatedAds1115Options {
  /** Voltage at an input (0 to 3). */
  readonly volts: (input: number, atMs: number) => number;
  /** Normally distributed, deviation 1; half a step of it is added before rounding. */
  readonly noise: () => number;
  /** Called for each conversion that is read. */
  readonly onRead: (code: number) => void;
}

const afterPowerOn = 0x8583;
const noiseSteps = 0.5;
const supplyVolts = 3.3;
const lowestVolts = -0.3;

/** Single conversions of one of four inputs. What is read before a conversion has ended is the one before it. */
export class SimulatedAds1115 implements SimulatedChip {
  readonly #options: SimulatedAds1115Options;
  #config = afterPowerOn;
  #conversion = 0;
  /** When the conversion under way ends; undefined while the chip rests. */
  #endsMs: number | undefined;

  constructor(options: SimulatedAds1115Options) {
    this.#options = options;
  }

  read(register: number, length: number, atMs: number): Uint8Array {
    this.settle(atMs);
    if (register === ads1114Register.config) {
      const idle = this.#endsMs === undefined ? ads1115Config.begin : 0;
      return word((this.#config & ~ads1115Config.begin) | idle).subarray(0, length);
    }
    if (register !== ads1114Register.conversion) return new Uint8Array(length);
    this.#options.onRead(this.#conversion);
    return word(this.#conversion).subarray(0, length);
  }

  write(register: number, bytes: Uint8Array, atMs: number): void {
    if (register !== ads1114Register.config || bytes.length !== 2) return;
    this.settle(atMs);
    this.#config = wordOf(bytes);
    // Continuous conversion is not simulated: our driver never asks for it here.
    const begins = (this.#config & ads1115Config.begin) !== 0 && (this.#config & ads1115Config.single) !== 0;
    if (begins && this.#endsMs === undefined) this.#endsMs = atMs + this.#periodMs;
  }

  settle(atMs: number): void {
    if (this.#endsMs === undefined || atMs < this.#endsMs) return;
    this.#endsMs = undefined;
    const mux = (this.#config >> ads1115Config.muxShift) & 0b111;
    const input = mux - ads1115Config.inputToGround;
    const volts = input < 0 ? 0 : this.#options.volts(input, atMs);
    const stepVolts = (ads1114FullScaleVolts[(this.#config >> 9) & 0b111] ?? 2.048) / 32768;
    const seen = Math.min(Math.max(volts, lowestVolts), supplyVolts) / stepVolts + this.#options.noise() * noiseSteps;
    this.#conversion = Math.min(Math.max(Math.round(seen), -32768), 32767);
  }

  powerCut(): void {
    this.#config = afterPowerOn;
    this.#conversion = 0;
    this.#endsMs = undefined;
  }

  get #periodMs(): number {
    return 1000 / (ads1114SamplesPerSecond[(this.#config >> 5) & 0b111] ?? 128);
  }
}
