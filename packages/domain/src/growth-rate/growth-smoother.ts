import type { GrowthRateEstimate, GrowthRateFlag } from './filter-reading.ts';
import type { GrowthRateParameters } from './growth-rate-parameters.ts';
import { GrowthReplay, type PastDose } from './growth-replay.ts';
import type { OdObservation } from './warm-up.ts';

/** A stored reading; without `isUsable` its time gets an estimate from its neighbours. */
export interface PastReading extends OdObservation {
  readonly isUsable: boolean;
}

/**
 * Growth rates from the readings before and after each time: the filter runs over the stored readings in both directions, and
 * each rate is the mean of both, weighted by their variances (Fraser and Potter, IEEE Trans. AC-14, 1969). Keeps all readings
 * of the run until the end.
 */
export class GrowthSmoother {
  readonly #parameters: GrowthRateParameters;
  readonly #forward: GrowthReplay;
  readonly #readings: PastReading[] = [];
  readonly #estimates: (GrowthRateEstimate | undefined)[] = [];
  readonly #doses: PastDose[] = [];

  constructor(parameters: GrowthRateParameters) {
    this.#parameters = parameters;
    this.#forward = new GrowthReplay(parameters);
  }

  dose(dose: PastDose): void {
    this.#doses.push(dose);
    this.#forward.dose(dose);
  }

  take(reading: PastReading): void {
    this.#readings.push(reading);
    this.#estimates.push(reading.isUsable ? this.#forward.take(reading) : this.#forward.skip(reading.atMs));
  }

  /** The way back, newest reading first, in parts after which the caller may do other work. */
  *smoothed(partSize: number): Generator<readonly GrowthRateEstimate[]> {
    const endMs = this.#readings.at(-1)?.atMs ?? 0;
    const backward = new GrowthReplay(reversed(this.#parameters), this.#forward.factors);
    const doses = [...this.#doses];
    let part: GrowthRateEstimate[] = [];
    for (const [index, reading] of [...this.#readings.entries()].reverse()) {
      while ((doses.at(-1)?.atMs ?? Number.NEGATIVE_INFINITY) > reading.atMs) {
        const dose = doses.pop();
        if (dose !== undefined) backward.dose({ volumeMl: dose.volumeMl + dose.addedMl, addedMl: -dose.addedMl });
      }
      const atMs = endMs - reading.atMs;
      const after = reading.isUsable ? backward.take({ ...reading, atMs }) : backward.skip(atMs);
      const both = joined(reading.atMs, this.#estimates[index], after);
      if (both !== undefined) part.push(both);
      if (part.length < partSize) continue;
      yield part;
      part = [];
    }
    if (part.length > 0) yield part;
  }
}

/** Backward in time a culture shrinks. */
const reversed = (parameters: GrowthRateParameters): GrowthRateParameters => ({
  ...parameters,
  usualRate: -parameters.usualRate,
  lowestRate: -parameters.highestRate,
  highestRate: -parameters.lowestRate,
});

/** Flags that one direction alone gives while it learns what the other knows. */
const ofOneDirection: ReadonlySet<GrowthRateFlag> = new Set(['step', 'disturbed', 'outlier']);

/** The rate of the way back has the opposite sign. */
function joined(
  atMs: number,
  before: GrowthRateEstimate | undefined,
  after: GrowthRateEstimate | undefined,
): GrowthRateEstimate | undefined {
  if (after === undefined) return before;
  if (before === undefined) return { ...after, atMs, rate: -after.rate };
  const [own, other] = [1 / before.rateSd ** 2, 1 / after.rateSd ** 2];
  const flags = [...new Set([...before.flags, ...after.flags])].filter(
    (flag) => !ofOneDirection.has(flag) || (before.flags.includes(flag) && after.flags.includes(flag)),
  );
  return {
    atMs,
    rate: (own * before.rate - other * after.rate) / (own + other),
    rateSd: Math.sqrt(1 / (own + other)),
    normalizedOd: Math.sqrt(before.normalizedOd * after.normalizedOd),
    levelSd: Math.hypot(before.levelSd, after.levelSd) / 2,
    flags,
  };
}
