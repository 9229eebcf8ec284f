import { allOff, type OutputLevels } from '../board-layout.ts';
import type { Plant } from './plant.ts';

/** Turns a minute per percent of duty. */
const rpmPerPercent = 15;

/** A plant without memory, for tests: light follows LED A, the heater's board its duty, the stirrer its duty. */
export class SteadyPlant implements Plant {
  #levels: OutputLevels = allOff;

  setOutputs(levels: OutputLevels): void {
    this.#levels = levels;
  }

  /** 1 % of LED A gives 10 mV at photodiode 1, 20 mV at photodiode 2, and so on. */
  photodiodeVolts(photodiode: number): number {
    return this.#levels.led.A * 0.01 * photodiode;
  }

  /** 25 degrees, and half a degree more per percent of the heater. */
  boardCelsius(): number {
    return 25 + this.#levels.pwm[5] * 0.5;
  }

  supplyVolts(): number {
    return 5;
  }

  stirrerPulsesMs(fromMs: number, toMs: number): readonly number[] {
    const periodMs = 60_000 / (this.#levels.pwm[1] * rpmPerPercent);
    if (!Number.isFinite(periodMs)) return [];
    const first = Math.floor(fromMs / periodMs) + 1;
    const last = Math.floor(toMs / periodMs);
    return Array.from({ length: Math.max(0, last - first + 1) }, (_, turn) => (first + turn) * periodMs);
  }
}
