import type { Dilution } from '../dosing/dilution.ts';
import { restartFilter } from './bases.ts';
import type { GrowthRateEstimate } from './filter-reading.ts';
import { applyDilution, expectedAt, observe } from './growth-rate-filter.ts';
import type { GrowthRateParameters } from './growth-rate-parameters.ts';
import { type GrowthRateState, initialGrowthRateState } from './growth-rate-state.ts';
import { type OdObservation, StuckSensorError } from './warm-up.ts';

/** A dose at a time in the past. */
export interface PastDose extends Dilution {
  readonly atMs: number;
}

/** Computes growth rates from stored readings with the unit's own filter. Readings and doses must come in order of time. */
export class GrowthReplay {
  readonly #parameters: GrowthRateParameters;
  #state: GrowthRateState;

  constructor(parameters: GrowthRateParameters, factors: Readonly<Record<string, number>> = {}) {
    this.#parameters = parameters;
    this.#state = initialGrowthRateState(factors);
  }

  /** Reference ODs by channel, as far as known. */
  get factors(): Readonly<Record<string, number>> {
    return this.#state.factors;
  }

  dose(dose: Dilution): void {
    this.#state = applyDilution(this.#state, this.#parameters, dose);
  }

  /** Undefined during the warm-up, and for a reading that the filter does not use. */
  take(reading: OdObservation): GrowthRateEstimate | undefined {
    try {
      const step = observe(this.#state, this.#parameters, reading);
      this.#state = step.state;
      if (step.ok) return step.estimate;
      // The photodiodes were moved to other channels.
      if (step.unused === 'unknown_channels') this.#state = restartFilter(this.#state);
    } catch (error) {
      if (!(error instanceof StuckSensorError)) throw error;
      this.#state = { ...this.#state, waiting: [] };
    }
    return undefined;
  }

  /** What the filter expects at the time of a reading that it must not use. */
  skip(atMs: number): GrowthRateEstimate | undefined {
    return expectedAt(this.#state, this.#parameters, atMs);
  }
}
