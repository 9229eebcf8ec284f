import type { Calibration } from '@lcs/contract';
import { describe, expect, it } from 'vitest';
import { curveGroups, nearestPoint } from './overlaid-curves.ts';

const calibration = (unit: string, y = 'Volume', x: readonly number[] = [0, 1, 2]): Calibration => ({
  calibration_name: `of ${unit}`,
  calibrated_on_reactor_unit: unit,
  reactor_unit: unit,
  is_active: true,
  calibration_type: 'simple_peristaltic_pump',
  created_at: '2026-05-02T09:00:00.000Z',
  hz: 100,
  dc: 50,
  voltage: 12,
  curve_data_: { type: 'poly', coefficients: [2, 1] },
  x: 'Duration',
  y,
  recorded_data: { x: [...x], y: x.map((each) => 2 * each + 1) },
});

describe('the curves of all units', () => {
  it('are in natural order, and in one drawing where their axes are the same', () => {
    const groups = curveGroups([calibration('unit10'), calibration('unit2'), calibration('unit3', 'Voltage')]);
    expect(groups.map(({ y, curves }) => [y, curves.map(({ unit }) => unit)])).toEqual([
      ['Volume', ['unit2', 'unit10']],
      ['Voltage', ['unit3']],
    ]);
    const line = groups[0]?.curves[0]?.line;
    expect([line?.at(0), line?.at(-1)]).toEqual([
      { x: 0, y: 1 },
      { x: 2, y: 5 },
    ]);
  });

  it('have none without points', () => {
    expect(curveGroups([calibration('unit1', 'Volume', [])])).toEqual([]);
  });

  it('name the point under the pointer', () => {
    const [group] = curveGroups([calibration('unit1'), calibration('unit2', 'Volume', [0.5, 1.5])]);
    const at = (x: number, y: number) =>
      nearestPoint(
        group ?? { curves: [] },
        { x, y },
        (px) => 10 * px,
        (py) => -py,
      );
    expect(at(14, -4)).toEqual({ unit: 'unit2', x: 1.5, y: 4 });
    expect(at(1, -1)).toEqual({ unit: 'unit1', x: 0, y: 1 });
    expect(nearestPoint({ curves: [] }, { x: 0, y: 0 }, Number, Number)).toBeUndefined();
  });
});
