import type { CalibrationContent } from '@lcs/contract';
import { curveAt } from '../curves/curve.ts';

const gridPoints = 400;
/** A reversal by less than this share of the curve's range is an oscillation between its points. Chosen. */
const toleranceShare = 0.02;

/**
 * The x at which the curve reverses its direction within the recorded range. Beyond it values of y recur, and the x of a measured
 * y is that of the first part. Undefined: no reversal, or fewer than two recorded x. @throws EmptyCurve
 */
export function turningPoint({
  curve_data_: curve,
  recorded_data: { x: xs },
}: Pick<CalibrationContent, 'curve_data_' | 'recorded_data'>): number | undefined {
  const [lowest, highest] = [Math.min(...xs), Math.max(...xs)];
  if (!(highest > lowest)) return undefined;
  const points = Array.from({ length: gridPoints + 1 }, (_, index) => {
    const x = lowest + ((highest - lowest) * index) / gridPoints;
    return { x, y: curveAt(curve, x) };
  });
  const ys = points.map(({ y }) => y);
  const tolerance = toleranceShare * (Math.max(...ys) - Math.min(...ys));
  let [top, bottom] = [points[0], points[0]];
  let direction = 0;
  for (const point of points) {
    if (top === undefined || bottom === undefined) return undefined;
    if (point.y > top.y) top = point;
    if (point.y < bottom.y) bottom = point;
    if (direction === 0) direction = point.y - bottom.y > tolerance ? 1 : top.y - point.y > tolerance ? -1 : 0;
    if (direction > 0 && top.y - point.y > tolerance) return top.x;
    if (direction < 0 && point.y - bottom.y > tolerance) return bottom.x;
  }
  return undefined;
}
