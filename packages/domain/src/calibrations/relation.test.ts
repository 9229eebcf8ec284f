import type { CalibrationContent, EstimatorContent } from '@lcs/contract';
import { describe, expect, it } from 'vitest';
import { fitSpline } from '../curves/fit-spline.ts';
import type { DataPoint } from '../curves/least-squares.ts';
import { SeededStream } from '../random/seeded-stream.ts';
import { validateCalibration, validateEstimator, validateRelation } from './relation.ts';

const seeds = Array.from({ length: 200 }, (_, index) => index + 1);
const points = (xs: readonly number[], of: (x: number) => number): DataPoint[] => xs.map((x) => ({ x, y: of(x) }));
const standards = [0, 0.1, 0.3, 0.6, 1, 1.5];

/** An OD calibration as a session makes it from these points. */
function odCalibration(recorded: readonly DataPoint[]): CalibrationContent {
  const curve = fitSpline(recorded);
  if (curve === undefined) throw new Error('The points must give a curve.');
  return {
    calibration_type: 'od600',
    calibration_name: 'a',
    calibrated_on_reactor_unit: 'u',
    created_at: '2026-11-20',
    curve_data_: curve,
    x: 'OD600',
    y: 'Voltage',
    ir_led_intensity: 80,
    angle: '90',
    pd_channel: '2',
    recorded_data: { x: recorded.map(({ x }) => x), y: recorded.map(({ y }) => y) },
  };
}

/** A pump calibration with a line through the origin. */
const pumpCalibration = (slope: number, recorded: readonly DataPoint[]): CalibrationContent => ({
  calibration_type: 'simple_peristaltic_pump',
  calibration_name: 'p',
  calibrated_on_reactor_unit: 'u',
  created_at: '2026-11-20',
  x: 'Duration',
  y: 'Volume',
  hz: 250,
  dc: 100,
  voltage: 12,
  curve_data_: { type: 'poly', coefficients: [slope, 0] },
  recorded_data: { x: recorded.map(({ x }) => x), y: recorded.map(({ y }) => y) },
});

describe('a calibration', () => {
  it.each([
    ['scatters by 2 %', 0.02],
    ['scatters by 5 %', 0.05],
  ])('is usable when its response rises and %s', (_how, scatter) => {
    for (const seed of seeds) {
      const random = new SeededStream(seed);
      const noisy = (y: number) => y * (1 + scatter * random.normal());
      const rising = points(standards, (x) => noisy(0.02 + 0.5 * x));
      expect(validateCalibration(odCalibration(rising)), `seed ${seed}`).toBeUndefined();
      // Transmitted light falls.
      const falling = points(standards, (x) => noisy(2 * 10 ** (-0.8 * x)));
      expect(validateCalibration(odCalibration(falling)), `seed ${seed}`).toBeUndefined();
      const runs = points([1, 1, 1, 1, 4, 4, 10, 10, 10, 10], (x) => noisy(0.1 * x));
      expect(validateCalibration(pumpCalibration(0.1, runs)), `seed ${seed}`).toBeUndefined();
    }
  });

  it('is not usable when all responses are the same within the scatter', () => {
    for (const seed of seeds) {
      const random = new SeededStream(seed);
      const flat = points([0, 0.5, 1], () => 0.5 * (1 + 0.003 * random.normal()));
      expect(validateCalibration(odCalibration(flat)), `seed ${seed}`).toBeDefined();
    }
    const measured = points([0, 0.5, 1], (x) => 0.5 - 0.0003 * x);
    expect(validateCalibration(odCalibration(measured))).toBeDefined();
  });

  it('is not usable when its response goes up and down', () => {
    const zigzag = points([0, 0.1, 0.3, 0.6, 1, 1.5], (x) => (Math.round(10 * x) % 2 === 0 ? 0.2 : 0.8));
    expect(validateRelation(zigzag)).toBeDefined();
    expect(validateCalibration(odCalibration(zigzag))).toBeDefined();
  });

  it('is usable when its response turns at a high density only', () => {
    const turning = points([0, 0.2, 0.5, 1, 2, 3, 4], (x) => x * Math.exp(-x / 2.5));
    expect(validateCalibration(odCalibration(turning))).toBeUndefined();
  });

  it('of a pump must rise, and its curve must follow its points', () => {
    const runs = points([1, 5, 10], (x) => 0.1 * x);
    expect(validateCalibration(pumpCalibration(-0.1, runs))).toBeDefined();
    expect(validateCalibration(pumpCalibration(0, runs))).toBeDefined();
    expect(
      validateCalibration(
        pumpCalibration(
          0.1,
          points([1, 5, 10], (x) => 2 - 0.1 * x),
        ),
      ),
    ).toBeDefined();
  });

  it('without recorded points is validated by its curve', () => {
    expect(validateCalibration(pumpCalibration(0.1, []))).toBeUndefined();
    expect(validateCalibration(pumpCalibration(0, []))).toBeDefined();
  });

  it('of the temperature may have one point, because its slope is fixed', () => {
    const trim: CalibrationContent = {
      calibration_type: 'temperature',
      calibration_name: 't',
      calibrated_on_reactor_unit: 'u',
      created_at: '2026-11-20',
      x: 'Estimated',
      y: 'Probe',
      recorded_data: { x: [36.1], y: [37] },
      curve_data_: { type: 'poly', coefficients: [1, 0.9] },
    };
    expect(validateCalibration(trim)).toBeUndefined();
    const turned = { ...trim, curve_data_: { type: 'poly' as const, coefficients: [-1, 74] } };
    expect(validateCalibration(turned)).toBeDefined();
  });
});

describe('an estimator of several angles', () => {
  const estimator = (
    of: Readonly<Record<string, (x: number) => number>>,
  ): Pick<EstimatorContent, 'recorded_data' | 'angles'> => ({
    angles: ['45', '90', '135'],
    recorded_data: {
      by_angle: Object.fromEntries(
        Object.entries(of).map(([angle, y]) => [angle, { x: standards, y: standards.map(y) }]),
      ),
    },
  });
  const rising = (x: number) => 0.02 + 0.5 * x;

  it('may have angles that turn at a high density, but none with a constant response', () => {
    const turning = (x: number) => x * Math.exp(-2 * x) + 0.01;
    expect(validateEstimator(estimator({ '45': rising, '90': turning, '135': turning }))).toBeUndefined();
    expect(validateEstimator(estimator({ '45': rising, '90': rising, '135': () => 0.3 }))).toContain('135°');
    const noOrder = (x: number) => (Math.round(10 * x) % 2 === 0 ? 0.2 : 0.8);
    expect(validateEstimator(estimator({ '45': noOrder, '90': noOrder, '135': noOrder }))).toBeDefined();
  });

  it('without recorded points is accepted', () => {
    expect(validateEstimator({ angles: ['45'], recorded_data: {} })).toBeUndefined();
    expect(validateEstimator({ angles: ['45'], recorded_data: { by_angle: 'x' } })).toBeUndefined();
  });
});
