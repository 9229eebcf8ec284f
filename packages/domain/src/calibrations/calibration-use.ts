import type { CalibrationContent } from '@lcs/contract';
import { curveAt } from '../curves/curve.ts';
import { domainOf, inverseOf } from '../curves/inverse.ts';

/** The x of a calibration for a measured y. */
export interface CalibratedX {
  readonly x: number;
  /** The y is outside the recorded range; x is the nearest recorded one. */
  readonly isOutOfRange: boolean;
  /** x is the highest recorded one: the true x is this or higher. */
  readonly isLowerBound: boolean;
}

/**
 * The x (OD, °C) for a measured y (volts, °C), limited to the recorded range. Without recorded points the curve alone applies;
 * undefined: it has no such y. @throws EmptyCurve
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

/** The y of the device at x; for the temperature: the probe's reading for an estimate (°C). @throws EmptyCurve */
export const readingAt = ({ curve_data_ }: Pick<CalibrationContent, 'curve_data_'>, x: number): number =>
  curveAt(curve_data_, x);

/** Seconds that a pump must run for a volume (ml); undefined: its curve does not reach it. @throws EmptyCurve */
export function secondsFor({ curve_data_ }: Pick<CalibrationContent, 'curve_data_'>, volumeMl: number) {
  const found = inverseOf(curve_data_, volumeMl, { min: 0, max: Number.POSITIVE_INFINITY });
  return found.kind === 'found' ? found.x : undefined;
}

/** Volume (ml) that a pump moves in this time. @throws EmptyCurve */
export const volumeIn = ({ curve_data_ }: Pick<CalibrationContent, 'curve_data_'>, seconds: number): number =>
  curveAt(curve_data_, seconds);
