import type { CalibrationContent } from '@lcs/contract';
import { curveAt } from '../curves/curve.ts';
import { domainOf, inverseOf } from '../curves/inverse.ts';

/** An x that a calibration gives for a shown y. */
export interface CalibratedX {
  readonly x: number;
  /** The y is beyond what was recorded; the nearest recorded x is given. */
  readonly isOutOfRange: boolean;
  /** It is the highest recorded x: the true one is this or higher. */
  readonly isLowerBound: boolean;
}

/**
 * The x (OD, °C) for a shown y (volts, °C), held within what was recorded: beyond it the x of the nearest end. With nothing
 * recorded the curve alone counts. Undefined when the curve has no such y and nothing was recorded. @throws EmptyCurve
 */
export function calibratedX(
  calibration: Pick<CalibrationContent, 'curve_data_' | 'recorded_data'>,
  y: number,
): CalibratedX | undefined {
  const { x: xs, y: ys } = calibration.recorded_data;
  const found = inverseOf(calibration.curve_data_, y, domainOf(xs));
  if (found.kind === 'found') return { x: found.x, isOutOfRange: false, isLowerBound: false };
  const [lowest, highest] = [Math.min(...ys), Math.max(...ys)];
  if (ys.length === 0) return undefined;
  const end = Math.abs(y - lowest) <= Math.abs(highest - y) ? lowest : highest;
  const x = xs[ys.indexOf(end)] ?? Number.NaN;
  const isLowerBound = x === Math.max(...xs) && x > Math.min(...xs);
  return { x, isOutOfRange: true, isLowerBound };
}

/** What the device shows for an x; of the temperature: what a probe shows for an estimate (°C). @throws EmptyCurve */
export const shownAt = ({ curve_data_ }: Pick<CalibrationContent, 'curve_data_'>, x: number): number =>
  curveAt(curve_data_, x);

/** Seconds that a pump must run for a volume (ml); undefined when its curve never gives that much. @throws EmptyCurve */
export function secondsFor({ curve_data_ }: Pick<CalibrationContent, 'curve_data_'>, volumeMl: number) {
  const found = inverseOf(curve_data_, volumeMl, { min: 0, max: Number.POSITIVE_INFINITY });
  return found.kind === 'found' ? found.x : undefined;
}

/** Volume (ml) that a pump moves in so many seconds. @throws EmptyCurve */
export const volumeIn = ({ curve_data_ }: Pick<CalibrationContent, 'curve_data_'>, seconds: number): number =>
  curveAt(curve_data_, seconds);
