import type { CalibrationContent } from '@lcs/contract';
import { expect, it } from 'vitest';
import { calibrationQuality } from './calibration-quality.ts';

const pump = (x: number[], y: number[], coefficients = [0.1, 0]): CalibrationContent => ({
  calibration_type: 'simple_peristaltic_pump',
  calibration_name: 'tube',
  calibrated_on_reactor_unit: 'unit1',
  created_at: '2026-11-21T04:24:00.000Z',
  curve_data_: { type: 'poly', coefficients },
  x: 'Duration',
  y: 'Volume',
  recorded_data: { x, y },
  hz: 250,
  dc: 100,
  voltage: 12,
});

it('is the distance of the points from the line, as a share of their mean', () => {
  const quality = calibrationQuality(pump([1, 1, 10, 10], [0.09, 0.11, 0.99, 1.01]));
  expect(quality).toMatchObject({ points: 4, range: [0.09, 1.01] });
  expect(quality.residual).toBeCloseTo(0.01, 9);
  expect(quality.scatter).toBeCloseTo(0.01 / 0.55, 9);
});

it('has no scatter where the curve passes through the points by construction, or where there is no point', () => {
  expect(calibrationQuality(pump([1, 2], [0.1, 0.2]))).toMatchObject({ points: 2, residual: null, scatter: null });
  expect(calibrationQuality(pump([], []))).toEqual({ points: 0, range: null, residual: null, scatter: null });
  expect(calibrationQuality(pump([1, 2, 3], [0, 0, 0]))).toMatchObject({ scatter: null });
});

it('has the range of optical densities for a photodiode', () => {
  const light: CalibrationContent = {
    ...pump([0, 1, 2], [0.01, 0.2, 0.5]),
    calibration_type: 'od600',
    curve_data_: { type: 'spline', knots: [0, 2], coefficients: [[0.01, 0.2, 0, 0]] },
    x: 'OD600',
    y: 'Voltage',
    ir_led_intensity: 80,
    angle: '90',
    pd_channel: '2',
  };
  expect(calibrationQuality(light)).toEqual({ points: 3, range: [0, 2], residual: null, scatter: null });
});
