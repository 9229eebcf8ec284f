import type { Calibration } from '@lcs/contract';
import { curveOf, type Place } from './curve-line.ts';

/** The curve of one unit, in the units of its axes. */
interface UnitCurve {
  readonly unit: string;
  readonly name: string;
  readonly line: readonly Place[];
  readonly points: readonly Place[];
}

/** Curves with the same axes: they can be drawn over each other. */
export interface CurveGroup {
  readonly x: string;
  readonly y: string;
  readonly curves: readonly UnitCurve[];
}

const naturally = new Intl.Collator('en', { numeric: true });

const unitCurve = (calibration: Calibration): UnitCurve => ({
  unit: calibration.reactor_unit,
  name: calibration.calibration_name,
  line: curveOf(calibration),
  points: calibration.recorded_data.x.map((x, index) => ({ x, y: calibration.recorded_data.y[index] ?? 0 })),
});

/** The calibrations by their axes, units in natural order. */
export function curveGroups(calibrations: readonly Calibration[]): readonly CurveGroup[] {
  const drawn = calibrations.filter(({ recorded_data: { x } }) => x.length > 0);
  const sorted = drawn.toSorted((one, other) => naturally.compare(one.reactor_unit, other.reactor_unit));
  const groups = Map.groupBy(sorted, ({ x, y }) => JSON.stringify([x, y]));
  return [...groups.values()].flatMap((ofAxes) => {
    const [first] = ofAxes;
    return first === undefined ? [] : [{ x: first.x, y: first.y, curves: ofAxes.map(unitCurve) }];
  });
}

/** A point of a unit's curve. */
export interface PointedPlace extends Place {
  readonly unit: string;
}

/** The recorded point nearest to a place of the drawing; `toX` and `toY` make its coordinates. */
export function nearestPoint(
  { curves }: Pick<CurveGroup, 'curves'>,
  at: Place,
  toX: (x: number) => number,
  toY: (y: number) => number,
): PointedPlace | undefined {
  let nearest: PointedPlace | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const { unit, points } of curves) {
    for (const { x, y } of points) {
      const distance = Math.hypot(toX(x) - at.x, toY(y) - at.y);
      if (distance >= least) continue;
      least = distance;
      nearest = { unit, x, y };
    }
  }
  return nearest;
}
