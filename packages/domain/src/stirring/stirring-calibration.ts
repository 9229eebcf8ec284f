import type { CalibrationContent } from '@lcs/contract';
import { inverseOf } from '../curves/inverse.ts';

/**
 * The duty (%) that turns the stirrer at a speed, as its calibration found it, a little beyond what was recorded too;
 * undefined where no duty from 0 to 100 % does. @throws EmptyCurve
 */
export function dutyForRpm({ curve_data_: curve }: Pick<CalibrationContent, 'curve_data_'>, rpm: number) {
  const found = inverseOf(curve, rpm, { min: 0, max: 100 });
  return found.kind === 'found' ? found.x : undefined;
}
