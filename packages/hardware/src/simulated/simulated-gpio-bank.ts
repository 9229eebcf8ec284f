import { BusError } from '../buses/bus-error.ts';
import type { Edge, GpioBank } from '../buses/gpio-bank.ts';

export interface SimulatedGpioOptions {
  /** The only input with something behind it: the stirrer's sensor. */
  readonly hallLine: number;
  /** The only output: the board's light. */
  readonly statusLightLine: number;
  readonly nowMs: () => number;
  readonly pulsesMs: (fromMs: number, toMs: number) => readonly number[];
}

export class SimulatedGpioBank implements GpioBank {
  readonly #options: SimulatedGpioOptions;
  readonly #takenUntilMs = new Map<number, number>();
  #isLit = false;

  constructor(options: SimulatedGpioOptions) {
    this.#options = options;
  }

  /** The sensor's pulse is short: its rising and falling edges have the same time. */
  async watch(line: number, _edge: Edge): Promise<void> {
    this.#takenUntilMs.set(line, this.#options.nowMs());
  }

  async takeEdges(line: number): Promise<readonly number[]> {
    const fromMs = this.#takenUntilMs.get(line);
    if (fromMs === undefined) throw new BusError(`gpio ${line}`, 'take edges', 'the line is not watched');
    const toMs = this.#options.nowMs();
    this.#takenUntilMs.set(line, toMs);
    if (line !== this.#options.hallLine) return [];
    return this.#options.pulsesMs(fromMs, toMs).map((pulseMs) => Math.round(pulseMs * 1000));
  }

  async unwatch(line: number): Promise<void> {
    this.#takenUntilMs.delete(line);
  }

  /** Whether the board's light is on. */
  get isLit(): boolean {
    return this.#isLit;
  }

  async setOutput(line: number, isHigh: boolean): Promise<void> {
    if (line !== this.#options.statusLightLine)
      throw new BusError(`gpio ${line}`, 'set output', 'the line is not an output');
    this.#isLit = isHigh;
  }
}
