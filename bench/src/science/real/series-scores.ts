import { tOfCoverage } from '../../../../packages/domain/src/growth-curves/distributions.ts';
import { hasJump } from '../../../../packages/domain/src/growth-curves/jumps.ts';
import type { Followed } from './followed-series.ts';
import { type LocalFit, localFit, lowerBound } from './local-fit.ts';
import type { RealSeries } from './series-files.ts';

/** How well an estimator followed one series. NaN: nothing to compare with. */
export interface SeriesScore {
  /** Root mean square error of the forecast of ln OD. */
  readonly forecast10: number;
  readonly forecast30: number;
  /** Root mean square difference of the rate to the centred fit, h⁻¹. */
  readonly rateError: number;
  /** Shares of the rates within one and two standard deviations of the fit: those of the rate and of the fit together. */
  readonly within1: number;
  readonly within2: number;
  /** The same of its own forecasts of 30 min: those of the forecast and of the level then. NaN: it gives no standard deviation. */
  readonly forecastWithin1: number;
  readonly forecastWithin2: number;
  /** Largest rate of the whole series, and the mean rate within the exponential phase, relative to its slope − 1; NaN without one. */
  readonly peak: number;
  readonly inPhase: number;
}

/** Where a batch culture grows fastest for at least an hour; the slope in h⁻¹. */
interface ExponentialPhase {
  readonly fromS: number;
  readonly toS: number;
  readonly slope: number;
  readonly slopeSd: number;
}

interface Point {
  readonly timeS: number;
  readonly level: number;
}

const minuteS = 60;
/** Estimates count from here on; sooner in a series shorter than four times this. */
const settledS = 60 * minuteS;
/** Time between compared estimates. */
const everyS = 2 * minuteS;
/** Half of the window of the centred fit, and of that which gives ln OD at the time of a forecast. */
const halfFitS = 25 * minuteS;
const halfLevelS = 5 * minuteS;
/**
 * Offsets from the logged time of a dose at which ln OD may be changing: in \`bac_*\` the OD falls for up to 5 min before it. Not all of
 * these dilutions are steep enough for \`stepsOf\`, and no forecast can know of them.
 */
const dosedS = [-6, -4, -2, 0, 2].map((minutes) => minutes * minuteS);
/** Degrees of freedom at which Student's t is normal. */
const manyDf = 1e4;
/** Halves of the windows of a log-linear fit. */
const phaseHalvesS = [30, 45, 60, 90, 120, 180, 240].map((minutes) => minutes * minuteS);
/** Where readings scatter more than this about the fit, ln OD is unknown: the signal is at its background. */
const mostScatter = 0.15;

/** The comparison data of one series: independent of any estimator, with knowledge of the future. */
export class SeriesTruth {
  readonly #points: readonly Point[];
  readonly #steps: readonly number[];
  readonly #isBatch: boolean;
  readonly #fits = new Map<string, LocalFit | undefined>();

  constructor({ readings, doses }: RealSeries) {
    this.#points = readings.flatMap(({ timeS, od }) => (od > 0 ? [{ timeS, level: Math.log(od) }] : []));
    this.#steps = [...stepsOf(this.#points), ...doses.flatMap(({ timeS }) => dosedS.map((offsetS) => timeS + offsetS))];
    this.#isBatch = doses.length === 0;
  }

  /** A line about a time, unless a dilution falls into its window or the signal is too poor. */
  fit(atS: number, halfS: number): LocalFit | undefined {
    const key = `${atS}/${halfS}`;
    if (!this.#fits.has(key)) {
      const fit = this.#isBroken(atS - halfS, atS + halfS) ? undefined : localFit(this.#points, atS, halfS, 5);
      this.#fits.set(key, fit !== undefined && fit.scatter <= mostScatter ? fit : undefined);
    }
    return this.#fits.get(key);
  }

  /** ln OD at a time, unless it changes by a dose or a jump since an earlier one. */
  level(fromS: number, atS: number): { readonly level: number; readonly levelSd: number } | undefined {
    if (this.#isBroken(fromS - halfLevelS, atS + halfLevelS)) return undefined;
    return this.fit(atS, halfLevelS);
  }

  /**
   * The exponential phase of a batch culture: the window of 1 to 8 h whose robust line has the highest lower limit of its slope
   * (normal, 95 %, by Bonferroni for all windows side by side, of all lengths), where ln OD is straight and clear of the background,
   * and does not jump.
   */
  exponentialPhase(): ExponentialPhase | undefined {
    if (!this.#isBatch) return undefined;
    const [first, last] = [this.#points[0]?.timeS ?? 0, this.#points.at(-1)?.timeS ?? 0];
    let best: (ExponentialPhase & { readonly lower: number }) | undefined;
    for (const halfS of phaseHalvesS) {
      const limit = tOfCoverage(1 - 0.05 / (phaseHalvesS.length * Math.max(1, (last - first) / (2 * halfS))), manyDf);
      for (let atS = first + halfS; atS + halfS <= last; atS += 5 * minuteS) {
        const fit = this.fit(atS, halfS);
        if (fit === undefined || fit.slope < 0.1) continue;
        const lower = fit.slope - limit * fit.slopeSd;
        if (lower > (best?.lower ?? 0) && !this.#hasJump(atS - halfS, atS + halfS))
          best = { fromS: atS - halfS, toS: atS + halfS, slope: fit.slope, slopeSd: fit.slopeSd, lower };
      }
    }
    return best;
  }

  #hasJump(fromS: number, toS: number): boolean {
    const [from, to] = [lowerBound(this.#points, fromS), lowerBound(this.#points, toS + 1e-6)];
    return hasJump(this.#points.slice(from, to).map(({ timeS, level }) => ({ h: timeS / 3600, level })));
  }

  #isBroken(fromS: number, toS: number): boolean {
    return this.#steps.some((stepS) => stepS >= fromS && stepS <= toS);
  }
}

/** Times at which ln OD jumps: by much more than the noise, from the median of some readings to that of the next. */
function stepsOf(points: readonly Point[]): readonly number[] {
  const count = 5;
  const middle = (from: number): number => {
    const levels = points.slice(from, from + count).map(({ level }) => level);
    return levels.toSorted((a, b) => a - b)[count >> 1] ?? Number.NaN;
  };
  const changes = points.map((_, index) => (index < count ? 0 : middle(index) - middle(index - count)));
  const usual = (index: number): number => {
    const around = changes.slice(Math.max(0, index - 60), index + 60).map(Math.abs);
    return around.toSorted((a, b) => a - b)[around.length >> 1] ?? 0;
  };
  return points.flatMap(({ timeS }, index) => {
    const change = Math.abs(changes[index] ?? 0);
    return change > 0.06 && change > 7 * usual(index) ? [timeS] : [];
  });
}

const rms = (values: readonly number[]): number =>
  Math.sqrt(values.reduce((sum, value) => sum + value ** 2, 0) / values.length);

const share = (values: readonly number[], most: number): number =>
  values.filter((value) => Math.abs(value) <= most).length / values.length;

export function scoreOf(truth: SeriesTruth, followed: readonly Followed[], firstS: number): SeriesScore {
  const [tens, thirties, rates, standard, forecasts]: number[][] = [[], [], [], [], []];
  const last = followed.at(-1)?.timeS ?? 0;
  const settled = firstS + Math.min(settledS, (last - firstS) / 4);
  for (let atS = settled; atS < last; atS += everyS) {
    const now = followed[lowerBound(followed, atS + 1e-6) - 1];
    if (now === undefined || atS - now.timeS > 10 * minuteS) continue;
    for (const [minutes, into] of [
      [10, tens],
      [30, thirties],
    ] as const) {
      const laterS = atS + minutes * minuteS;
      const real = truth.level(atS, laterS);
      if (real === undefined) continue;
      const { level, levelSd } = now.expected(laterS);
      into?.push(level - real.level);
      if (minutes === 30 && levelSd !== undefined)
        forecasts?.push((level - real.level) / Math.hypot(levelSd, real.levelSd));
    }
    const fit = truth.fit(atS, halfFitS);
    if (fit === undefined) continue;
    rates?.push(now.rate - fit.slope);
    standard?.push((now.rate - fit.slope) / Math.hypot(now.rateSd, fit.slopeSd));
  }
  const phase = truth.exponentialPhase();
  const inPhase = followed.filter(({ timeS }) => phase && timeS >= phase.fromS && timeS <= phase.toS);
  const overPhase = (rate: number): number => (phase ? rate / phase.slope - 1 : Number.NaN);
  return {
    forecast10: rms(tens ?? []),
    forecast30: rms(thirties ?? []),
    rateError: rms(rates ?? []),
    within1: share(standard ?? [], 1),
    within2: share(standard ?? [], 2),
    forecastWithin1: share(forecasts ?? [], 1),
    forecastWithin2: share(forecasts ?? [], 2),
    peak: overPhase(Math.max(...followed.map(({ rate }) => rate))),
    inPhase: overPhase(inPhase.reduce((sum, { rate }) => sum + rate, 0) / inPhase.length),
  };
}
