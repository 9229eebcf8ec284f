import type { Dilution } from '../dosing/dilution.ts';
import { begunAnew } from './bases.ts';
import type { GrowthRateEstimate } from './follow-reading.ts';
import { dosed, observe } from './growth-rate-filter.ts';
import type { GrowthRateParameters } from './growth-rate-parameters.ts';
import { freshGrowthRate, type GrowthRateState } from './growth-rate-state.ts';
import { type OdObservation, StuckSensorError } from './warm-up.ts';

/** Liquid that came into the vial. */
export interface PastDose extends Dilution {
  readonly atMs: number;
}

/** Computes growth rates of stored readings again, as a unit does while it measures. Feed it in the order of time. */
export class GrowthReplay {
  readonly #parameters: GrowthRateParameters;
  #state: GrowthRateState = freshGrowthRate();

  constructor(parameters: GrowthRateParameters) {
    this.#parameters = parameters;
  }

  dose(dose: Dilution): void {
    this.#state = dosed(this.#state, this.#parameters, dose);
  }

  /** Undefined while nothing can be told. */
  take(reading: OdObservation): GrowthRateEstimate | undefined {
    try {
      const step = observe(this.#state, this.#parameters, reading);
      this.#state = step.state;
      if (step.ok) return step.estimate;
      // The photodiodes were arranged anew.
      if (step.unused === 'unknown_channels') this.#state = begunAnew(this.#state);
    } catch (error) {
      if (!(error instanceof StuckSensorError)) throw error;
      this.#state = { ...this.#state, waiting: [] };
    }
    return undefined;
  }
}
