import { describe, expect, expectTypeOf, it } from 'vitest';
import { cameraSettings, odReadingSettings, stirringSettings } from './job-settings.ts';
import { outboxSettings, resumeSettings } from './node-settings.ts';
import { ConfigValueError, readSetting, settingOrDefault } from './read-setting.ts';

const stirring = (values: Record<string, string>) => ({ 'stirring.config': values });
const od = (values: Record<string, string>) => ({ 'od_reading.config': values });

describe('reading a setting', () => {
  it('gives the value in the type of the declaration', () => {
    const rpm = readSetting(stirring({ initial_target_rpm: ' 450 ' }), stirringSettings.initialTargetRpm);
    expectTypeOf(rpm).toEqualTypeOf<number>();
    expect(rpm).toBe(450);
    const intensity = readSetting(od({ ir_led_intensity: 'auto' }), odReadingSettings.irLedIntensity);
    expectTypeOf(intensity).toEqualTypeOf<number | 'auto'>();
    expect(intensity).toBe('auto');
    expect(readSetting(stirring({ use_rpm: 'No' }), stirringSettings.usesRpm)).toBe(false);
  });

  it.each([[{}], [stirring({})], [stirring({ initial_target_rpm: ' ', target_rpm_outside_od_reading: '' })]])(
    'gives the default when the key is absent or empty: %j',
    (config) => {
      expect(readSetting(config, stirringSettings.initialTargetRpm)).toBe(500);
      const outside = readSetting(config, stirringSettings.rpmOutsideOd);
      expectTypeOf(outside).toEqualTypeOf<number | undefined>();
      expect(outside).toBeUndefined();
    },
  );

  it('refuses an invalid value', () => {
    const config = stirring({ initial_target_rpm: '1501' });
    expect(() => readSetting(config, stirringSettings.initialTargetRpm)).toThrow(ConfigValueError);
    expect(() => readSetting(config, stirringSettings.initialTargetRpm)).toThrow('at most 1500');
  });
});

describe('reading a setting that must not stop anything', () => {
  it.each([
    ['much', 80],
    ['101', 80],
    ['99', 99],
  ])('takes %s as %s', (text, value) => {
    expect(settingOrDefault({ camera: { ir_led_intensity: text } }, cameraSettings.irLedIntensity)).toBe(value);
  });

  it('takes the nearest valid value where the declaration has one', () => {
    const days = (text: string) => settingOrDefault({ outbox: { keep_days: text } }, outboxSettings.keepTime);
    expect(['0', '91', 'much'].map(days)).toEqual([1, 90, 7]);
    expect(settingOrDefault({ camera: { camera_index: '1.7' } }, cameraSettings.index)).toBe(1);
  });

  it('reads one key of a declaration for any key', () => {
    const config = { resume: { stirring: 'hold', od_reading: 'perhaps' } };
    const policies = ['stirring', 'od_reading', 'monitor'].map((job) =>
      settingOrDefault(config, resumeSettings.ofJob, job),
    );
    expect(policies).toEqual(['hold', undefined, undefined]);
  });
});
