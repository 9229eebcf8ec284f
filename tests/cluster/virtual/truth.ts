import type { Cancel, VirtualClock } from '@lcs/platform';
import type { ControlledUnit } from './controlled-unit.ts';

/** More often than a dose and the pause after it: no top of the volume is missed. */
const sampleMs = 2_000;

/** Watches the vial of a unit with the eyes of the simulator, over its power cuts. */
export class Truth {
  readonly highest = { volumeMl: 0, liquidC: 0, heaterC: 0 };
  spilledMl = 0;
  readonly #unit: ControlledUnit;
  readonly #clock: VirtualClock;
  readonly #cancel: Cancel;

  constructor(unit: ControlledUnit, clock: VirtualClock) {
    this.#unit = unit;
    this.#clock = clock;
    this.#cancel = clock.every(sampleMs, () => this.#look());
  }

  end(): void {
    this.#cancel();
  }

  #look(): void {
    const { plant } = this.#unit;
    if (plant === undefined) return;
    const { volumeMl, thermal, ledger } = plant.state(this.#clock.monotonic()).vial.state;
    this.highest.volumeMl = Math.max(this.highest.volumeMl, volumeMl);
    this.highest.liquidC = Math.max(this.highest.liquidC, thermal.liquidC);
    this.highest.heaterC = Math.max(this.highest.heaterC, thermal.heaterC);
    this.spilledMl = ledger.spilled;
  }
}
