import type { Curve } from '@lcs/contract';
import type { Cubic } from '../curves/curve.ts';
import type { FusionModel } from './od-fusion.ts';

/** How one unit's logarithm of a concentration becomes another's: `scale · logc + offset`. */
export interface LogOffset {
  readonly scale: number;
  readonly offset: number;
}

/** A standard: what it is, and what the estimator of the other unit makes of it. */
export interface OffsetStandard {
  readonly truth: number;
  readonly estimate: number;
}

/** Undefined when the two do not tell a direction, or tell the wrong one. */
export function offsetOf(first: OffsetStandard, second: OffsetStandard): LogOffset | undefined {
  const estimated = Math.log10(second.estimate) - Math.log10(first.estimate);
  const scale = (Math.log10(second.truth) - Math.log10(first.truth)) / estimated;
  if (!(estimated !== 0 && Number.isFinite(scale) && scale > 0)) return undefined;
  return { scale, offset: Math.log10(first.truth) - scale * Math.log10(first.estimate) };
}

function moved(curve: Curve, { scale, offset }: LogOffset): Curve {
  if (curve.type === 'poly') throw new TypeError('The curves of an estimator are piecewise.');
  return {
    ...curve,
    knots: curve.knots.map((knot) => scale * knot + offset),
    coefficients: curve.coefficients.map(([a, b, c, d]): Cubic => [a, b / scale, c / scale ** 2, d / scale ** 3]),
  };
}

const movedAll = (curves: Readonly<Record<string, Curve>>, by: LogOffset): Record<string, Curve> =>
  Object.fromEntries(Object.entries(curves).map(([angle, curve]) => [angle, moved(curve, by)]));

/** The estimator of another unit, corrected to this one by two standards. */
export const offsetModel = (model: FusionModel, by: LogOffset): FusionModel => ({
  ...model,
  mu_splines: movedAll(model.mu_splines, by),
  sigma_splines_log: movedAll(model.sigma_splines_log, by),
  min_logc: by.scale * model.min_logc + by.offset,
  max_logc: by.scale * model.max_logc + by.offset,
});
