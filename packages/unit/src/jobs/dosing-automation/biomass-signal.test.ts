import { SettingRefused } from '@lcs/node';
import { describe, expect, it } from 'vitest';
import { biomassSignal } from './biomass-signal.ts';
import { numberIn } from './number-in.ts';

type Facts = Parameters<typeof biomassSignal>[1];

const calibration: NonNullable<ReturnType<Facts['calibrationOf']>> = {
  name: 'od-1',
  hash: 'h',
  y: 'Voltage',
  irLedIntensity: 80,
  channel: null,
  inverse: () => undefined,
  dutyFor: () => undefined,
  shownFor: (x: number) => x,
};
const estimator: NonNullable<ReturnType<Facts['fusionOf']>> = {
  name: 'fused-1',
  hash: 'h',
  irLedIntensity: 80,
  fuse: () => undefined,
};
const channels = (config: Record<string, string>) => ({ 'od_config.photodiode_channel': config });

function signal(requested: string, { config = {}, calibrated = '', isFused = false } = {}) {
  return biomassSignal(requested, {
    config,
    calibrationOf: (device) => (device === calibrated ? calibration : undefined),
    fusionOf: () => (isFused ? estimator : undefined),
  });
}

describe('the biomass signal', () => {
  it.each([
    ['the fused one where an estimator is active', { calibrated: 'od90', isFused: true }, 'od_fused'],
    ['the calibrated one', { calibrated: 'od90' }, 'od'],
    ['the normalised one where nothing is calibrated', {}, 'normalized_od'],
    ['the normalised one where another angle is calibrated', { calibrated: 'od45' }, 'normalized_od'],
  ])('auto is %s', (_what, facts, name) => {
    expect(signal('auto', facts).name).toBe(name);
  });

  it('is that of the lowest channel where several photodiodes measure, with a log entry', () => {
    const config = channels({ 4: '135', 1: 'REF', 3: '45', 2: '' });
    expect(signal('od', { config })).toMatchObject({
      place: { source: 'od', channel: '3' },
      warning: expect.stringContaining('channel 3'),
    });
    expect(signal('od').warning).toBeUndefined();
    expect(() => signal('od', { config: channels({ 1: 'REF' }) })).toThrow(SettingRefused);
  });

  it('may be any setting of another job', () => {
    expect(signal('od_reading/od2.od').place).toEqual({
      from: 'setting',
      job: 'od_reading',
      setting: 'od2',
      keys: ['od'],
    });
    for (const name of [
      '',
      'auto2',
      'od_reading',
      '/od',
      'od_reading/',
      'dosing_automation/duration',
      'a/b/c',
      'a/b..c',
    ])
      expect(() => signal(name), name).toThrow(SettingRefused);
  });
});

describe('the number in a published value', () => {
  it.each([
    [0.5, [], 0.5],
    [{ od: 0.5, timestamp: 'now' }, [], 0.5],
    [{ od: 0.5, ir_led_intensity: 80 }, [], undefined],
    [{ od: 0.5, ir_led_intensity: 80 }, ['od'], 0.5],
    [{ ods: { 2: { od: 0.5, angle: '90' } } }, ['ods', '2'], 0.5],
    [{ od: 0.5 }, ['toString'], undefined],
    ['0.5', [], undefined],
    [null, ['od'], undefined],
    [[1], [], undefined],
  ])('%j by %j is %j', (value, keys, found) => {
    expect(numberIn(value, keys)).toBe(found);
  });
});
