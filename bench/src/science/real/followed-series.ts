import {
  applyDilution,
  defaultGrowthRateParameters,
  expectedAt,
  GrowthSmoother,
  initialGrowthRateState,
  mostGrowthRateSd,
  observe,
  StuckSensorError,
} from '@lcs/domain';
import { type ReferenceFilter, referenceDosed, referenceFilter, referenceStep } from '../reference-filter.ts';
import type { RealSeries } from './series-files.ts';

/** What an estimator said after a reading. */
export interface Followed {
  readonly timeS: number;
  /** ln OD. */
  readonly level: number;
  /** Per hour. */
  readonly rate: number;
  readonly rateSd: number;
  readonly flags: readonly string[];
  /** ln OD that it expects at a later time, with its standard deviation where it gives one. */
  readonly expected: (timeS: number) => Expected;
}

interface Expected {
  readonly level: number;
  readonly levelSd?: number;
}

/** At the present rate. */
const onLine =
  ({ timeS, level, rate }: Pick<Followed, 'timeS' | 'level' | 'rate'>) =>
  (laterS: number): Expected => ({ level: level + (rate * (laterS - timeS)) / 3600 });

const startMs = Date.UTC(2026, 0, 1);
const atMsOf = (timeS: number): number => startMs + Math.round(1000 * timeS);
const channel = '2';

const basesOf = (readings: RealSeries['readings']): Readonly<Record<string, string>> =>
  readings.some(({ od }) => od <= 0) ? { [channel]: 'blank' } : {};

/** The service's own filter. A blank was subtracted where readings are negative, as the basis of the readings says. */
export function followedByOurs({ readings, doses, volumeMl }: RealSeries): Followed[] {
  let state = initialGrowthRateState();
  const waiting = [...doses];
  const bases = basesOf(readings);
  return readings.flatMap(({ timeS, od }) => {
    while ((waiting[0]?.timeS ?? Number.POSITIVE_INFINITY) <= timeS) {
      const addedMl = waiting.shift()?.addedMl ?? 0;
      state = applyDilution(state, defaultGrowthRateParameters, { volumeMl, addedMl });
    }
    try {
      const step = observe(state, defaultGrowthRateParameters, { atMs: atMsOf(timeS), ods: { [channel]: od }, bases });
      state = step.state;
      if (!step.ok) return [];
      const { normalizedOd, rate, rateSd, flags } = step.estimate;
      const { state: now } = step;
      const scale = Math.log(now.factors[channel] ?? 1);
      const current = { timeS, level: Math.log(normalizedOd) + scale, rate, rateSd, flags };
      const expected = (laterS: number): Expected => {
        const later = expectedAt(now, defaultGrowthRateParameters, atMsOf(laterS));
        if (later === undefined) return onLine(current)(laterS);
        return { level: Math.log(later.normalizedOd) + scale, levelSd: later.levelSd };
      };
      return [{ ...current, expected }];
    } catch (error) {
      if (!(error instanceof StuckSensorError)) throw error;
      state = { ...state, waiting: [] };
      return [];
    }
  });
}

/** The largest rate of the filter over the readings before and after each time, h⁻¹, where it is known well enough. */
export function largestSmoothedRate({ readings, doses, volumeMl }: RealSeries): number {
  const smoother = new GrowthSmoother(defaultGrowthRateParameters);
  const waiting = [...doses];
  const bases = basesOf(readings);
  for (const { timeS, od } of readings) {
    while ((waiting[0]?.timeS ?? Number.POSITIVE_INFINITY) <= timeS) {
      const dose = waiting.shift();
      if (dose !== undefined) smoother.dose({ atMs: atMsOf(dose.timeS), volumeMl, addedMl: dose.addedMl });
    }
    smoother.take({ atMs: atMsOf(timeS), ods: { [channel]: od }, bases, isUsable: true });
  }
  const known = [...smoother.smoothed(readings.length)].flat().filter(({ rateSd }) => rateSd <= mostGrowthRateSd);
  return Math.max(...known.map(({ rate }) => rate));
}

const warmUpReadings = 10;

/** The reference filter, which skips readings that are not positive. */
export function followedByReference({ readings, doses }: RealSeries): Followed[] {
  const usable = readings.filter(({ od }) => od > 0);
  const steps = usable.slice(1).map(({ timeS }, index) => timeS - (usable[index]?.timeS ?? 0));
  const intervalS = steps.toSorted((a, b) => a - b)[steps.length >> 1] ?? 5;
  const observed = usable.map(({ timeS, od }) => ({ timeS, atMs: atMsOf(timeS), od }));
  let filter: ReferenceFilter = referenceFilter(observed.slice(0, warmUpReadings), intervalS);
  const waiting = [...doses];
  return observed.slice(warmUpReadings).map((reading) => {
    while ((waiting[0]?.timeS ?? Number.POSITIVE_INFINITY) <= reading.timeS) {
      waiting.shift();
      filter = referenceDosed(filter);
    }
    filter = referenceStep(filter, reading);
    const { level, rate, factor, covariance } = filter;
    const current = { timeS: reading.timeS, level: level + Math.log(factor), rate };
    return { ...current, rateSd: Math.sqrt(covariance[3]), flags: [], expected: onLine(current) };
  });
}
