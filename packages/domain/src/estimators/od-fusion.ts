import type { EstimatorContent, OdAngle } from '@lcs/contract';
import { curveAt, slopeAt } from '../curves/curve.ts';
import { type AngleFit, fitAngle, minScatter, type Standard } from './angle-fit.ts';

/** The model that estimates a concentration from the signals of several angles. */
export type FusionModel = Pick<
  EstimatorContent,
  'angles' | 'mu_splines' | 'sigma_splines_log' | 'min_logc' | 'max_logc' | 'sigma_floor' | 'low_conc_scales'
>;

/** Signals by angle. */
export type AngleSignals = Readonly<Partial<Record<OdAngle, number>>>;

/** Minimum number of concentrations for a fit. */
export const minConcentrations = 4;

/** Factors of the scatter at low density: forward scatter is sensitive there, the other angles are not. */
const defaultLowScales: Readonly<Partial<Record<OdAngle, number>>> = { '135': 0.04, '90': 4, '45': 10 };

/** Lower limit of the slope: a signal that hardly changes carries no information. */
const minSlope = 0.05;

const gridPoints = 256;
const refinedMinima = 4;
const tolerance = 1e-6;
const maxSteps = 64;
const golden = (Math.sqrt(5) - 1) / 2;

function lowScales(fits: ReadonlyMap<OdAngle, AngleFit>): Record<string, number> {
  const angles = [...fits.keys()];
  const isStandardLayout =
    ['45', '90', '135'].every((angle) => angles.some((one) => one === angle)) && angles.length === 3;
  const smallest = Math.min(...[...fits.values()].map(({ lowestSigma }) => lowestSigma));
  return Object.fromEntries(
    [...fits].map(([angle, { lowestSigma }]) => [
      angle,
      isStandardLayout ? (defaultLowScales[angle] ?? 1) : lowestSigma / smallest,
    ]),
  );
}

/**
 * Fits the model to standards, by angle; every angle needs at least four concentrations.
 * @returns undefined: too few standards
 */
export function fitFusion(standards: ReadonlyMap<OdAngle, readonly Standard[]>): FusionModel | undefined {
  const fits = new Map<OdAngle, AngleFit>();
  const concentrations: number[] = [];
  for (const [angle, observations] of standards) {
    if (new Set(observations.map(({ concentration }) => concentration)).size < minConcentrations) return undefined;
    const fit = fitAngle(observations);
    if (fit === undefined) return undefined;
    fits.set(angle, fit);
    concentrations.push(...observations.map(({ concentration }) => Math.log10(concentration)));
  }
  if (fits.size === 0) return undefined;
  return {
    angles: [...fits.keys()],
    mu_splines: Object.fromEntries([...fits].map(([angle, { mu }]) => [angle, mu])),
    sigma_splines_log: Object.fromEntries([...fits].map(([angle, { logSigma }]) => [angle, logSigma])),
    min_logc: Math.min(...concentrations),
    max_logc: Math.max(...concentrations),
    sigma_floor: minScatter,
    low_conc_scales: lowScales(fits),
  };
}

/** Misfit of a concentration to the signals. */
function misfit(model: FusionModel, logSignals: ReadonlyMap<OdAngle, number>, logc: number): number {
  const dilution = 1 - (logc - model.min_logc) / (model.max_logc - model.min_logc);
  let sum = 0;
  for (const [angle, logSignal] of logSignals) {
    const [mu, logSigma] = [model.mu_splines[angle], model.sigma_splines_log[angle]];
    if (mu === undefined || logSigma === undefined) continue;
    const scatter = Math.max(Math.exp(curveAt(logSigma, logc)), model.sigma_floor);
    const scale = 1 - dilution + (model.low_conc_scales[angle] ?? 1) * dilution;
    const width = (scatter / Math.max(Math.abs(slopeAt(mu, logc)), minSlope)) * scale;
    const residual = (logSignal - curveAt(mu, logc)) / width;
    sum += Math.sqrt(1 + residual ** 2) - 1 + Math.log(width);
  }
  return sum;
}

/** The minimum between two points, by golden-section search. */
function refineMinimum(
  cost: (at: number) => number,
  from: number,
  to: number,
): { readonly at: number; readonly cost: number } {
  let [low, high] = [from, to];
  for (let step = 0; step < maxSteps && high - low > tolerance; step += 1) {
    const left = high - golden * (high - low);
    const right = low + golden * (high - low);
    if (cost(left) <= cost(right)) high = right;
    else low = left;
  }
  const middle = (low + high) / 2;
  const [best = middle] = [from, to, middle].sort((a, b) => cost(a) - cost(b));
  return { at: best, cost: cost(best) };
}

/** The concentration that fits the signals of all angles best. */
export interface FusedDensity {
  readonly concentration: number;
  /** The concentration is at an end of the range of the standards: the true one may be beyond. */
  readonly isAtBound: boolean;
  /** The concentration is at the upper end: the true one is this or higher. */
  readonly isLowerBound: boolean;
}

/** A concentration within this share of a bound counts as at the bound. */
const boundShare = 0.001;

/** Estimates the concentration; undefined: an angle is missing, or a signal is not above 0. */
export function fuse(model: FusionModel, signals: AngleSignals): FusedDensity | undefined {
  const logs = new Map<OdAngle, number>();
  for (const angle of model.angles) {
    const signal = signals[angle];
    if (signal === undefined || !(signal > 0)) return undefined;
    logs.set(angle, Math.log(signal));
  }
  const { min_logc: min, max_logc: max } = model;
  const cost = (logc: number): number => misfit(model, logs, logc);
  const grid = Array.from({ length: gridPoints }, (_, index) => min + ((max - min) * index) / (gridPoints - 1));
  const costs = grid.map(cost);
  const minima = costs
    .map((value, index) => ({ value, index }))
    .filter(({ value, index }) => value <= (costs[index - 1] ?? value) && value <= (costs[index + 1] ?? value))
    .sort((a, b) => a.value - b.value)
    .slice(0, refinedMinima);
  const best = minima
    .map(({ index }) => refineMinimum(cost, grid[index - 1] ?? min, grid[index + 1] ?? max))
    .reduce<{ at: number; cost: number } | undefined>(
      (lowest, one) => (lowest === undefined || one.cost < lowest.cost ? one : lowest),
      undefined,
    );
  if (best === undefined || !Number.isFinite(best.cost)) return undefined;
  const concentration = 10 ** best.at;
  const isNear = (bound: number): boolean => Math.abs(concentration / 10 ** bound - 1) <= boundShare;
  return { concentration, isAtBound: isNear(min) || isNear(max), isLowerBound: isNear(max) };
}
