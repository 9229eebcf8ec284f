import { describe, expect, it } from 'vitest';
import { InvalidCalibrationFile } from '../calibrations/file-fields.ts';
import { parseEstimator, writeEstimator } from './estimator-file.ts';
import { applyOffset, fitOffset } from './fusion-offset.ts';
import { fitFusion, fuse } from './od-fusion.ts';

const responses = {
  '45': (c: number) => 0.03 + 0.02 * c,
  '90': (c: number) => (0.07 * c) / (1 + (c / 6) ** 2),
  '135': (c: number) => (1.2 * c) / (1 + (c / 1.5) ** 2.2),
} as const;
const angles = ['45', '90', '135'] as const;
const signalsAt = (c: number) => ({ '45': responses['45'](c), '90': responses['90'](c), '135': responses['135'](c) });

const standardsOf = (concentrations: readonly number[]) =>
  new Map(
    angles.map((angle) => [
      angle,
      concentrations.flatMap((concentration) =>
        [0.98, 1, 1.02].map((factor) => ({ concentration, signal: factor * responses[angle](concentration) })),
      ),
    ]),
  );

function goldenModel() {
  const model = fitFusion(standardsOf([0.1, 0.3, 1, 3, 10]));
  if (model === undefined) throw new Error('The fit must give a model.');
  return model;
}

describe('fused optical density', () => {
  it('gives the concentrations of the golden vector', () => {
    const model = goldenModel();
    const fused = [0.1, 0.2, 1, 2, 5, 10].map((c) => fuse(model, signalsAt(c)));
    const expected = [0.100012, 0.197611, 0.999999, 1.993072, 5.269461, 10.0];
    for (const [index, value] of expected.entries())
      expect(Math.abs((fused[index]?.concentration ?? 0) / value - 1)).toBeLessThan(1e-4);
    expect(fused.map((one) => one?.isAtBound)).toEqual([true, false, false, false, false, true]);
    expect(fused.map((one) => one?.isLowerBound)).toEqual([false, false, false, false, false, true]);
  });

  it('is undefined without one of its angles, or without light', () => {
    const model = goldenModel();
    expect(fuse(model, { '45': 0.1, '90': 0.1 })).toBeUndefined();
    expect(fuse(model, { ...signalsAt(1), '90': 0 })).toBeUndefined();
  });

  it('needs four concentrations of each angle', () => {
    expect(fitFusion(standardsOf([0.1, 1, 10]))).toBeUndefined();
    expect(fitFusion(new Map())).toBeUndefined();
  });

  it('is corrected to another unit by two standards', () => {
    const model = goldenModel();
    // This unit's light shows each culture as if it were twice as dense.
    const shown = (c: number) => signalsAt(2 * c);
    const estimate = (c: number) => fuse(model, shown(c))?.concentration ?? 0;
    const offset = fitOffset({ truth: 0.25, estimate: estimate(0.25) }, { truth: 2, estimate: estimate(2) });
    if (offset === undefined) throw new Error('The standards must give an offset.');
    const own = applyOffset(model, offset);
    expect(fuse(own, shown(0.5))?.concentration).toBeCloseTo(0.5, 1);
    expect(own.max_logc - own.min_logc).toBeCloseTo(2 * offset.scale, 9);
    expect(fitOffset({ truth: 1, estimate: 1 }, { truth: 2, estimate: 1 })).toBeUndefined();
    expect(fitOffset({ truth: 1, estimate: 2 }, { truth: 2, estimate: 1 })).toBeUndefined();
  });

  it('is written to a file and read again, in either spelling', () => {
    const content = {
      estimator_type: 'od_fused_estimator' as const,
      estimator_name: 'est1',
      calibrated_on_reactor_unit: 'unit1',
      created_at: '2026-01-02T03:04:05.000Z',
      ir_led_intensity: 80,
      ...goldenModel(),
      recorded_data: { by_angle: { '45': { x: [1], y: [2] } } },
      y: 'log(Voltage)',
    };
    const yaml = writeEstimator(content);
    expect(parseEstimator(yaml)).toEqual(content);
    expect(parseEstimator(yaml.replace('calibrated_on_reactor_unit', 'calibrated_on_pioreactor_unit'))).toEqual(
      content,
    );
    expect(() => parseEstimator(yaml.replace('od_fused_estimator', 'other'))).toThrow(InvalidCalibrationFile);
    expect(() => parseEstimator(yaml.replace(/^min_logc: .*$/m, 'min_logc: 9'))).toThrow('max_logc');
  });
});
