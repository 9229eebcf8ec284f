import { firstBytes } from '../chips/register-bytes.ts';
import { tmp1075Register } from '../chips/tmp1075.ts';
import { type SimulatedChip, word } from './simulated-chip.ts';

export interface SimulatedTmp1075Options {
  /** Degrees Celsius. */
  readonly celsius: (atMs: number) => number;
  readonly noise: () => number;
  readonly onRead: (code: number) => void;
}

/** Normal deviation of one reading, degrees. */
const noiseCelsius = 0.03;

/** A sensor that always answers with the temperature of the moment, in steps of 1/16 degree. */
export class SimulatedTmp1075 implements SimulatedChip {
  readonly #options: SimulatedTmp1075Options;

  constructor(options: SimulatedTmp1075Options) {
    this.#options = options;
  }

  read(register: number, length: number, atMs: number): Uint8Array {
    if (register !== tmp1075Register.temperature) return new Uint8Array(length);
    const celsius = this.#options.celsius(atMs) + this.#options.noise() * noiseCelsius;
    const code = Math.min(Math.max(Math.floor(celsius * 16), -2048), 2047);
    this.#options.onRead(code);
    return firstBytes(word((code << 4) & 0xffff), length);
  }

  /** Limits of the alert pin, which no board has wired. */
  write(): void {}
}
