import type { CalibrationContent } from '@lcs/contract';
import { curveAt } from '../curves/curve.ts';

/** How well a calibration describes its points, and where it is valid. */
export interface CalibrationQuality {
  readonly points: number;
  /** Lowest and highest calibrated value of y, which a person sets or reads: mL, RPM, °C. For OD it is that of x. */
  readonly range: readonly [low: number, high: number] | null;
  /** Root mean square distance of the points from the curve, in the unit of y; null: the curve leaves no distance. */
  readonly residual: number | null;
  /** The same as a share of the mean of y. */
  readonly scatter: number | null;
}

const boundsOf = (values: readonly number[]): CalibrationQuality['range'] =>
  values.length === 0 ? null : [Math.min(...values), Math.max(...values)];

/** A curve that passes through its points by construction says nothing of their scatter. */
const isDetermined = ({ curve_data_: curve, recorded_data: { x } }: CalibrationContent): boolean =>
  curve.type !== 'poly' || x.length <= curve.coefficients.length;

export function calibrationQuality(content: CalibrationContent): CalibrationQuality {
  const { curve_data_: curve, recorded_data: recorded, calibration_type: type } = content;
  const isOfLight = type === 'od' || type === 'od600';
  const points = recorded.x.length;
  const range = boundsOf(isOfLight ? recorded.x : recorded.y);
  if (points === 0 || isDetermined(content)) return { points, range, residual: null, scatter: null };
  const squares = recorded.x.map((x, index) => ((recorded.y[index] ?? Number.NaN) - curveAt(curve, x)) ** 2);
  const residual = Math.sqrt(squares.reduce((sum, square) => sum + square, 0) / points);
  const mean = Math.abs(recorded.y.reduce((sum, y) => sum + y, 0) / points);
  const scatter = residual / mean;
  return {
    points,
    range,
    residual: Number.isFinite(residual) ? residual : null,
    scatter: Number.isFinite(scatter) ? scatter : null,
  };
}
