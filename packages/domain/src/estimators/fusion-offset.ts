import type { Curve } from '@lcs/contract';
import type { Cubic } from '../curves/curve.ts';
import type { FusionModel } from './od-fusion.ts';

/** Converts the logarithm of a concentration from one unit to another: `scale · logc + offset`. */
export interface LogOffset {
  readonly scale: number;
  readonly offset: number;
}

/** A standard: its true concentration, and the estimate of the other unit's estimator. */
export interface OffsetStandard {
  readonly truth: number;
  readonly estimate: number;
}

/** The offset from two standards; undefined: their estimates are equal or in the wrong order. */
export function fitOffset(first: OffsetStandard, second: OffsetStandard): LogOffset | undefined {
  const estimated = Math.log10(second.estimate) - Math.log10(first.estimate);
  const scale = (Math.log10(second.truth) - Math.log10(first.truth)) / estimated;
  if (!(estimated !== 0 && Number.isFinite(scale) && scale > 0)) return undefined;
  return { scale, offset: Math.log10(first.truth) - scale * Math.log10(first.estimate) };
}

function transformCurve(curve: Curve, { scale, offset }: LogOffset): Curve {
  if (curve.type === 'poly') throw new TypeError('The curves of an estimator must be piecewise.');
  return {
    ...curve,
    knots: curve.knots.map((knot) => scale * knot + offset),
    coefficients: curve.coefficients.map(([a, b, c, d]): Cubic => [a, b / scale, c / scale ** 2, d / scale ** 3]),
  };
}

const transformCurves = (curves: Readonly<Record<string, Curve>>, by: LogOffset): Record<string, Curve> =>
  Object.fromEntries(Object.entries(curves).map(([angle, curve]) => [angle, transformCurve(curve, by)]));

/** The estimator of another unit, corrected for this unit by an offset. */
export const applyOffset = (model: FusionModel, by: LogOffset): FusionModel => ({
  ...model,
  mu_splines: transformCurves(model.mu_splines, by),
  sigma_splines_log: transformCurves(model.sigma_splines_log, by),
  min_logc: by.scale * model.min_logc + by.offset,
  max_logc: by.scale * model.max_logc + by.offset,
});
