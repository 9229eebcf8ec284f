import type { CalibrationContent } from '@lcs/contract';
import { builtInModels } from '@lcs/domain';
import { defaultWiring } from '@lcs/hardware';
import { describe, expect, it } from 'vitest';
import { guardLimits, longestRunS } from './pump-limits.ts';

const model = builtInModels.find(({ model_name }) => model_name === 'reactor_20ml');
if (model === undefined) throw new Error('There is no such model.');

const calibrated = (slope: number, dc = 100): CalibrationContent => ({
  calibration_type: 'simple_peristaltic_pump',
  calibration_name: 'c',
  calibrated_on_reactor_unit: 'unit1',
  created_at: '2026-01-01T00:00:00.000Z',
  curve_data_: { type: 'poly', coefficients: [slope, 0] },
  x: 'Duration',
  y: 'Volume',
  recorded_data: { x: [], y: [] },
  hz: 250,
  dc,
  voltage: 5,
});

const config = { PWM: { 1: 'stirring', 2: 'media', 3: 'alt_media', 4: 'waste', 5: 'heating' } };

describe('the limits of pumps', () => {
  it('are there for every pump that is wired, and let no run move more than the vial holds', () => {
    const { pumps } = guardLimits(model, defaultWiring, config, () => undefined);
    expect(Object.keys(pumps)).toEqual(['2', '3', '4']);
    expect(pumps[2]).toMatchObject({ maxRunMl: 20, maxRunMs: 300_000, maxHourMl: 200, mlPerSecondAtFull: 0.15 });
    expect(longestRunS(model, undefined)).toBeCloseTo(133.3, 1);
  });

  it('know a calibrated pump that is faster, and trust none that is slower', () => {
    const limitsWith = (content: CalibrationContent) =>
      guardLimits(model, defaultWiring, config, (device) => (device === 'media_pump' ? content : undefined)).pumps;
    expect(limitsWith(calibrated(1))[2]?.mlPerSecondAtFull).toBeCloseTo(1.2, 9);
    expect(limitsWith(calibrated(1, 50))[2]?.mlPerSecondAtFull).toBeCloseTo(2.4, 9);
    expect(limitsWith(calibrated(1))[3]?.mlPerSecondAtFull).toBe(0.15);
    expect(limitsWith(calibrated(0.01))[2]?.mlPerSecondAtFull).toBe(0.15);
  });
});
