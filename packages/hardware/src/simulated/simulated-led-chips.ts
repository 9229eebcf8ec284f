import { supplyInput } from '../board-layout.ts';
import { controllerInputScale, controllerReferenceVolts, controllerRegister } from '../chips/board-controller.ts';
import { dac43608Register } from '../chips/dac43608.ts';
import { type LedName, ledNames } from '../chips/led-driver.ts';
import { type SimulatedChip, wordOf } from './simulated-chip.ts';

/** Voltage at inputs 2 and 3, where first optics have their photodiodes. */
type PhotodiodeVolts = (input: number, atMs: number) => number;
type LightLed = (led: LedName, percent: number, atMs: number) => void;

/** Input 0 measures the resistor that encodes the board's version. */
const versionVolts = 0.36;
const firmware = { minor: 5, major: 0 } as const;

export class SimulatedController implements SimulatedChip {
  readonly #light: LightLed;
  readonly #supplyVolts: (atMs: number) => number;
  readonly #photodiodeVolts: PhotodiodeVolts;

  constructor(light: LightLed, supplyVolts: (atMs: number) => number, photodiodeVolts: PhotodiodeVolts = () => 0) {
    this.#light = light;
    this.#supplyVolts = supplyVolts;
    this.#photodiodeVolts = photodiodeVolts;
  }

  read(register: number, length: number, atMs: number): Uint8Array {
    if (register === controllerRegister.version) {
      return Uint8Array.of(firmware.minor, firmware.major).subarray(0, length);
    }
    const sum = Math.round(
      (this.#inputVolts(register - controllerRegister.input, atMs) / controllerReferenceVolts) *
        4095 *
        controllerInputScale.since04,
    );
    return Uint8Array.of(sum & 0xff, (sum >> 8) & 0xff).subarray(0, length);
  }

  write(register: number, bytes: Uint8Array, atMs: number): void {
    const led = ledNames[register - controllerRegister.led];
    if (led !== undefined) this.#light(led, ((bytes[0] ?? 0) / 255) * 100, atMs);
  }

  #inputVolts(input: number, atMs: number): number {
    if (input === supplyInput.input) return this.#supplyVolts(atMs) * supplyInput.dividedBy;
    return input === 0 ? versionVolts : this.#photodiodeVolts(input, atMs);
  }
}

export class SimulatedDac43608 implements SimulatedChip {
  readonly #light: LightLed;
  readonly #codes = new Uint8Array(8);
  #poweredDown = 0xff;

  constructor(light: LightLed) {
    this.#light = light;
  }

  read(register: number, length: number): Uint8Array {
    const code = this.#codes[register - dac43608Register.data];
    const value = register === dac43608Register.config ? this.#poweredDown : (code ?? 0) << 4;
    return Uint8Array.of(value >> 8, value & 0xff).subarray(0, length);
  }

  write(register: number, bytes: Uint8Array, atMs: number): void {
    const value = wordOf(bytes);
    const output = register - dac43608Register.data;
    if (register === dac43608Register.config) this.#poweredDown = value & 0xff;
    else if (output >= 0 && output < this.#codes.length) this.#codes[output] = value >> 4;
    for (const [index, led] of ledNames.entries()) {
      const isDown = (this.#poweredDown & (1 << index)) !== 0;
      this.#light(led, isDown ? 0 : ((this.#codes[index] ?? 0) / 255) * 100, atMs);
    }
  }
}
