import type { Curve } from '@lcs/contract';
import { fitAkima } from '../curves/fit-akima.ts';

/** One observation of a standard: its concentration (in the unit of the standards) and its signal. */
export interface Standard {
  readonly concentration: number;
  readonly signal: number;
}

/** Lower limit of the scatter, as a share of the signal: a smaller scatter of few observations is chance. */
export const minScatter = 0.04;

/** Standard deviation of a normal distribution, in median absolute deviations. */
const normalMad = 1.4826;

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  const [low = 0, high = low] = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]];
  return (low + high) / 2;
}

function scatterOf(values: readonly number[]): number {
  const centre = mean(values);
  const deviations = values.map((value) => value - centre);
  const middle = median(deviations);
  return Math.max(normalMad * median(deviations.map((each) => Math.abs(each - middle))), minScatter);
}

/** Signal of one angle as a function of the concentration, and its scatter; logarithmic. */
export interface AngleFit {
  readonly mu: Curve;
  readonly logSigma: Curve;
  /** Scatter at the lowest standard. */
  readonly lowestSigma: number;
}

/** Undefined with fewer than two different concentrations. Signals and concentrations must be above 0. */
export function fitAngle(standards: readonly Standard[]): AngleFit | undefined {
  const levels = Map.groupBy(standards, ({ concentration }) => Math.log10(concentration));
  const points = [...levels]
    .map(([x, observations]) => ({ x, signals: observations.map(({ signal }) => Math.log(signal)) }))
    .sort((a, b) => a.x - b.x);
  const mu = fitAkima(points.map(({ x, signals }) => ({ x, y: mean(signals) })));
  const logSigma = fitAkima(points.map(({ x, signals }) => ({ x, y: Math.log(scatterOf(signals)) })));
  const [lowest] = points;
  if (mu === undefined || logSigma === undefined || lowest === undefined) return undefined;
  return { mu, logSigma, lowestSigma: scatterOf(lowest.signals) };
}
