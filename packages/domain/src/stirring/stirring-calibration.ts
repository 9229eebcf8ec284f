import type { CalibrationContent } from '@lcs/contract';
import { inverseOf } from '../curves/inverse.ts';

/**
 * The duty (%) for a speed, by the calibration of the stirrer, also slightly outside its recorded range; undefined: no duty from 0
 * to 100 % gives this speed. @throws EmptyCurve
 */
export function dutyForRpm({ curve_data_: curve }: Pick<CalibrationContent, 'curve_data_'>, rpm: number) {
  const found = inverseOf(curve, rpm, { min: 0, max: 100 });
  return found.kind === 'found' ? found.x : undefined;
}
