import type { Calibration } from '@lcs/contract';
import { curveAt } from '@lcs/domain';

/** A place in a drawing of a curve, in the units of its axes. */
export interface Place {
  readonly x: number;
  readonly y: number;
}

/** Straight segments that draw a curve. */
const segments = 60;

/** Units of axes whose names have none. */
const axisUnits = new Map(Object.entries({ Duration: 's', Volume: 'mL', Voltage: 'V', Estimated: '°C', Probe: '°C' }));

/** The name of an axis with its unit. */
export const axisOf = (name: string): string => {
  const unit = axisUnits.get(name);
  return unit === undefined ? name : `${name}, ${unit}`;
};

/** The curve over the range of its points. */
export function curveOf({
  curve_data_: curve,
  recorded_data: { x },
}: Pick<Calibration, 'curve_data_' | 'recorded_data'>): readonly Place[] {
  if (x.length === 0) return [];
  const [low, high] = [Math.min(...x), Math.max(...x)];
  return Array.from({ length: segments + 1 }, (_, at) => {
    const atX = low + ((high - low) * at) / segments;
    return { x: atX, y: curveAt(curve, atX) };
  });
}
