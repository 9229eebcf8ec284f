import { type CoolingPlan, liquidTemperature } from '@lcs/domain';
import type { JobContext } from '@lcs/platform';
import type { Calibration } from '../shared/calibration.ts';
import { whileAlive } from '../shared/job-hands.ts';
import type { UnitDevices } from '../unit-devices.ts';

export interface LiquidReading {
  readonly celsius: number;
  /** The hottest the heater's board was meanwhile. */
  readonly hottestBoardC: number;
}

/** Tells the temperature of the liquid from the heater's board, which has to rest for it when it was heated. */
export class Thermometer {
  readonly #context: Pick<JobContext, 'clock' | 'signal'>;
  readonly #sensor: UnitDevices['boardTemperature'];
  readonly #plan: CoolingPlan;
  readonly #calibration: () => Calibration | undefined;

  constructor(
    context: Pick<JobContext, 'clock' | 'signal'>,
    sensor: UnitDevices['boardTemperature'],
    plan: CoolingPlan,
    calibration: () => Calibration | undefined,
  ) {
    this.#context = context;
    this.#sensor = sensor;
    this.#plan = plan;
    this.#calibration = calibration;
  }

  /** Of a board that was not heated. @throws BusError, the signal's reason */
  async readRested(): Promise<LiquidReading> {
    return this.#told([await this.#board()], 0);
  }

  /**
   * Of a board that was heated with `duty` (%) until now; takes as long as its cooling has to be watched. Undefined when
   * `goesOn` says no meanwhile. @throws BusError, the signal's reason
   */
  async readCooling(duty: number, goesOn: () => boolean): Promise<LiquidReading | undefined> {
    const { clock } = this.#context;
    const startMs = clock.monotonic();
    const samples: number[] = [];
    for (let index = 0; index < this.#plan.samples; index += 1) {
      await clock.sleep(Math.max(0, startMs + 1000 * index * this.#plan.spacingS - clock.monotonic()));
      if (!goesOn()) return undefined;
      samples.push(await this.#board());
    }
    return this.#told(samples, duty);
  }

  #board(): Promise<number> {
    return whileAlive(this.#context.signal, this.#sensor.readCelsius());
  }

  #told(samples: readonly number[], duty: number): LiquidReading {
    const { celsius } = liquidTemperature(samples, duty);
    const trimmed = this.#calibration()?.inverse(celsius)?.x ?? celsius;
    return { celsius: Math.round(100 * trimmed) / 100, hottestBoardC: Math.max(...samples) };
  }
}
