import {
  type BoardReading,
  heaterCycle,
  type Inference,
  type InferenceSetup,
  inferenceSetup,
  inferredLiquid,
  isPlausibleCooling,
  type LiquidReading,
  learntFrom,
  learntJson,
  startInference,
  withDuty,
  withReadings,
} from '@lcs/domain';
import type { JobContext } from '@lcs/node';
import type { JobMemory } from '../shared/job-memory.ts';
import type { Heater } from './heater.ts';
import type { TemperatureSetup } from './temperature-setup.ts';

const learntKey = 'temperature.learnt';
const unitItself = '$experiment';
const untrimmed = 'none';

/** Infers the liquid from the duty of the heater and the readings of its board, and keeps what it learns of the vial. */
export class LiquidInference {
  readonly #clock: JobContext['clock'];
  readonly #memory: JobMemory;
  readonly #setup: InferenceSetup;
  readonly #trim: string;
  /** Seconds since the heater was on, at the start of the job. */
  readonly #offS: number;
  #inference: Inference | undefined;

  constructor(
    clock: JobContext['clock'],
    heater: Pick<Heater, 'offForMs'>,
    memory: JobMemory,
    { plan, capacityMl, trim }: Pick<TemperatureSetup, 'plan' | 'capacityMl' | 'trim'>,
  ) {
    this.#clock = clock;
    this.#memory = memory;
    this.#setup = inferenceSetup(trim?.comparisons ?? [], heaterCycle(plan), capacityMl);
    this.#trim = trim?.hash ?? untrimmed;
    this.#offS = heater.offForMs / 1000;
  }

  /** The heater has this duty (%) from now on. */
  follow(duty: number): void {
    if (this.#inference !== undefined) this.#inference = withDuty(this.#inference, duty, this.#clock.monotonic());
  }

  /**
   * The liquid by the readings of a pause, before which the heater had `duty` (%) for `heatedS` seconds. A board that does not cool
   * does not change the estimate, and its temperature is reported as it is. Undefined without a reading.
   */
  after(readings: readonly BoardReading[], duty: number, heatedS: number): LiquidReading | undefined {
    const [first, last] = [readings[0], readings.at(-1)];
    if (first === undefined || last === undefined) return undefined;
    const samples = readings.map(({ celsius }) => celsius);
    const fitsHeater = isPlausibleCooling(samples, duty, heatedS);
    const before = this.#inference ?? this.#started(first);
    const after = fitsHeater ? withReadings(before, this.#setup, readings) : withDuty(before, before.duty, last.atMs);
    this.#inference = after;
    if (fitsHeater) this.#memory.write(unitItself, learntKey, learntJson(after, this.#trim));
    // A measurement by one reading leaves more time for the heat.
    const { heatedS: usualHeatS, pauseS } = this.#setup.cycle;
    const heatS = usualHeatS + pauseS - (last.atMs - first.atMs) / 1000;
    const { celsius, forecast } = inferredLiquid(after, { heatedS: Math.max(usualHeatS, heatS), pauseS });
    return {
      celsius: Math.round(100 * (fitsHeater ? celsius : last.celsius)) / 100,
      forecast,
      boardC: last.celsius,
      fitsHeater,
      hottestBoardC: Math.max(...samples),
    };
  }

  #started({ atMs, celsius }: BoardReading): Inference {
    const learnt = learntFrom(this.#memory.read(unitItself, learntKey), this.#trim);
    return startInference(this.#setup, { nowMs: atMs, boardC: celsius, offS: this.#offS, learnt });
  }
}
