import { describe, expect, it } from 'vitest';
import { calibratedX } from './calibration-use.ts';
import { turningPoint } from './turning-point.ts';

const curve = (coefficients: number[], x = [0, 1, 2, 3, 4]) => ({
  curve_data_: { type: 'poly' as const, coefficients },
  recorded_data: { x, y: x.map((at) => coefficients.reduce((sum, coefficient) => sum * at + coefficient, 0)) },
});

describe('the turning point of a calibration', () => {
  it.each<[string, number[], number | undefined]>([
    ['none where the signal rises', [1, 0.1], undefined],
    ['none where it falls', [-1, 5], undefined],
    ['none where it stays', [2], undefined],
    ['its peak', [-1, 6, 0], 3],
    ['its lowest', [1, -4, 5], 2],
  ])('is %s', (_what, coefficients, expected) => {
    const found = turningPoint(curve(coefficients));
    if (expected === undefined) expect(found).toBeUndefined();
    else expect(found).toBeCloseTo(expected, 1);
  });

  it('ignores small oscillations between the points, and needs two points', () => {
    expect(turningPoint(curve([0.01, -0.03, 1.02, 0]))).toBeUndefined();
    expect(turningPoint(curve([-1, 6, 0], [3]))).toBeUndefined();
  });

  it('limits the calibrated x to the first part of the curve', () => {
    const peaked = curve([-1, 6, 0]);
    expect(calibratedX(peaked, 8)).toMatchObject({ x: 2, isOutOfRange: false });
  });
});
