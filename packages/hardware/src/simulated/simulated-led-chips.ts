import { supplyInput } from '../board-layout.ts';
import { controllerInputScale, controllerReferenceVolts, controllerRegister } from '../chips/board-controller.ts';
import { controllerRound } from '../chips/controller-channel.ts';
import { dac43608Register } from '../chips/dac43608.ts';
import { type LedName, ledNames } from '../chips/led-driver.ts';
import { type SimulatedChip, wordOf } from './simulated-chip.ts';

type LightLed = (led: LedName, percent: number, atMs: number) => void;

/** Input 0 measures the resistor that encodes the board's version. */
const versionVolts = 0.36;
const firmware = { minor: 5, major: 0 } as const;

export interface SimulatedControllerOptions {
  readonly light: LightLed;
  readonly supplyVolts: (atMs: number) => number;
  /** Of the inputs (2 and 3) where first optics have their photodiodes. */
  readonly photodiodes?: ReadonlyMap<number, (atMs: number) => number>;
  /** When the first round of the firmware's loop ends: from 0 to the length of a round, unknown to drivers. */
  readonly phaseMs?: number;
}

/** The average of an input; of the round under way the volts by milliseconds, and its milliseconds so far. */
interface AveragedInput {
  readonly average: number;
  readonly sum: number;
  readonly forMs: number;
}

/** After so many rounds nothing is left of a former light. */
const mostRounds = 40;

/** The microcontroller of newer boards, with the loop of its firmware. */
export class SimulatedController implements SimulatedChip {
  readonly #options: SimulatedControllerOptions;
  readonly #averages = new Map<number, AveragedInput>();
  /** Up to when the inputs are measured; undefined before the first time. */
  #measuredMs: number | undefined;

  constructor(options: SimulatedControllerOptions) {
    this.#options = options;
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
    if (led !== undefined) this.#options.light(led, ((bytes[0] ?? 0) / 255) * 100, atMs);
  }

  /** The LEDs are off; the averages begin anew. The firmware itself is not lost here: it is loaded again before the chip answers. */
  powerCut(atMs: number): void {
    for (const led of ledNames) this.#options.light(led, 0, atMs);
    this.#averages.clear();
    this.#measuredMs = undefined;
  }

  /** Measures the rounds up to now. */
  settle(atMs: number): void {
    const fromMs = Math.max(this.#measuredMs ?? atMs, atMs - mostRounds * controllerRound.ms);
    const isGap = fromMs !== this.#measuredMs;
    this.#measuredMs = atMs;
    for (const [input, volts] of this.#options.photodiodes ?? []) {
      const before = this.#averages.get(input) ?? { average: volts(atMs), sum: 0, forMs: 0 };
      const known = isGap ? { ...before, sum: 0, forMs: 0 } : before;
      this.#averages.set(
        input,
        this.#measured(known, () => volts(atMs), fromMs, atMs),
      );
    }
  }

  #measured({ average, sum, forMs }: AveragedInput, volts: () => number, fromMs: number, untilMs: number) {
    const { ms: roundMs, newShare } = controllerRound;
    const { phaseMs = 0 } = this.#options;
    let next = { average, sum, forMs };
    let sinceMs = fromMs;
    let endMs = phaseMs + (Math.floor((fromMs - phaseMs) / roundMs) + 1) * roundMs;
    for (; endMs <= untilMs; endMs += roundMs) {
      const lastMs = endMs - sinceMs;
      const value = (next.sum + lastMs * volts()) / (next.forMs + lastMs);
      next = { average: next.average + newShare * (value - next.average), sum: 0, forMs: 0 };
      sinceMs = endMs;
    }
    const partMs = untilMs - sinceMs;
    return partMs > 0 ? { ...next, sum: next.sum + partMs * volts(), forMs: next.forMs + partMs } : next;
  }

  #inputVolts(input: number, atMs: number): number {
    if (input === supplyInput.input) return this.#options.supplyVolts(atMs) * supplyInput.dividedBy;
    if (input === 0) return versionVolts;
    this.settle(atMs);
    return this.#averages.get(input)?.average ?? 0;
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

  powerCut(atMs: number): void {
    this.#codes.fill(0);
    this.#poweredDown = 0xff;
    for (const led of ledNames) this.#light(led, 0, atMs);
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
