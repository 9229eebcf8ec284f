import type { CalibrationContent } from '@lcs/contract';
import { curveAt } from '../curves/curve.ts';

const looks = 400;
/** A curve that goes back by less than this share of its whole height wiggles between its points. Chosen. */
const wiggleShare = 0.02;

/**
 * The x at which the curve turns within what was recorded: beyond it the device shows once more what it showed before, and
 * the x of a shown y is that of the first part. Undefined when it never turns, or too little was recorded. @throws EmptyCurve
 */
export function turningPoint({
  curve_data_: curve,
  recorded_data: { x: xs },
}: Pick<CalibrationContent, 'curve_data_' | 'recorded_data'>): number | undefined {
  const [lowest, highest] = [Math.min(...xs), Math.max(...xs)];
  if (!(highest > lowest)) return undefined;
  const points = Array.from({ length: looks + 1 }, (_, index) => {
    const x = lowest + ((highest - lowest) * index) / looks;
    return { x, y: curveAt(curve, x) };
  });
  const ys = points.map(({ y }) => y);
  const wiggle = wiggleShare * (Math.max(...ys) - Math.min(...ys));
  let [top, bottom] = [points[0], points[0]];
  let direction = 0;
  for (const point of points) {
    if (top === undefined || bottom === undefined) return undefined;
    if (point.y > top.y) top = point;
    if (point.y < bottom.y) bottom = point;
    if (direction === 0) direction = point.y - bottom.y > wiggle ? 1 : top.y - point.y > wiggle ? -1 : 0;
    if (direction > 0 && top.y - point.y > wiggle) return top.x;
    if (direction < 0 && point.y - bottom.y > wiggle) return bottom.x;
  }
  return undefined;
}
