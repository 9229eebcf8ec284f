import { describe, expect, it } from 'vitest';
import { invalidSettings } from './check-settings.ts';
import { leaderFileSettings } from './leader-settings.ts';
import { declaredSetting, settings } from './settings.ts';

const faultsOf = (values: Record<string, Record<string, string>>) => [
  ...invalidSettings(new Map(Object.entries(values).map(([name, keys]) => [name, new Map(Object.entries(keys))]))),
];
const faultOf = (section: string, key: string, value: string) => faultsOf({ [section]: { [key]: value } })[0];

describe('the declared settings', () => {
  it('name each key once, with a description and a default that is right itself', () => {
    const names = settings.map(({ section, key }) => `${section} ${key}`);
    expect(new Set(names).size).toBe(names.length);
    for (const { section, key, default: preset, description } of settings) {
      expect(description).toMatch(/^[A-Za-z].*[.)]$/);
      if (preset !== null) expect(faultOf(section === '*.config' ? 'x.config' : section, key, preset)).toBeUndefined();
    }
  });

  it('name each key of leader.ini once, with a description', () => {
    const names = leaderFileSettings.map(({ section, key }) => `${section} ${key}`);
    expect(new Set(names).size).toBe(names.length);
    for (const { description } of leaderFileSettings) expect(description).toMatch(/^[A-Za-z`].*[.)]$/);
  });

  it('describe a key that stands for many', () => {
    expect(declaredSetting('cluster.addresses', 'rx01')).toMatchObject({ key: '*', value: { type: 'host' } });
    expect(declaredSetting('bubbling.config', 'pre_delay_duration')).toMatchObject({ unit: 's', needsRestart: 'job' });
    expect(declaredSetting('resume', 'wait_s')).toMatchObject({ unit: 's' });
    expect(declaredSetting('stirring.config', 'constructor')).toBeUndefined();
    expect(declaredSetting('constructor', 'x')).toBeUndefined();
  });
});

describe('values', () => {
  it.each([
    ['stirring.config', 'initial_target_rpm', '450'],
    ['stirring.config', 'use_rpm', 'True'],
    ['od_reading.config', 'ir_led_intensity', 'auto'],
    ['od_reading.config', 'local_ac_hz', ''],
    ['growth_rate_calculating.config', 'ekf_outlier_std_threshold', '2.1'],
    ['monitor.config', 'enable_button', 'auto'],
    ['mqtt', 'broker_address', 'a.local; b.local'],
    ['cluster.addresses', 'rx01', '192.168.4.21:4999'],
    ['PWM', '1', 'bubbler'],
  ])('[%s] %s=%s is right', (section, key, value) => {
    expect(faultOf(section, key, value)).toBeUndefined();
  });

  it.each([
    ['stirring.config', 'initial_target_rpm', '1501', 'at most 1500'],
    ['stirring.config', 'initial_target_rpm', 'fast', 'a number'],
    ['stirring.config', 'initial_duty_cycle', '50%', 'a number'],
    ['stirring.config', 'use_rpm', 'perhaps', 'one of 1, true'],
    ['od_reading.config', 'ir_led_intensity', 'bright', 'or auto'],
    ['growth_rate_calculating.config', 'ekf_outlier_std_threshold', '2', 'above 2'],
    ['growth_rate_calculating.config', 'samples_for_od_statistics', '10.5', 'a whole number'],
    ['logging', 'ui_log_level', 'LOUD', 'one of DEBUG'],
    ['cluster.addresses', 'rx01', 'http://rx01', 'without http://'],
  ])('[%s] %s=%s is wrong: it must be %s', (section, key, value, requirement) => {
    expect(faultOf(section, key, value)).toMatchObject({ code: 'wrong_value', section, key });
    expect(faultOf(section, key, value)?.message).toContain(requirement);
  });

  it('that must be distinct are', () => {
    expect(faultsOf({ PWM: { 1: 'stirring', 2: '', 3: 'stirring', 4: '' } })).toMatchObject([{ key: '3' }]);
    expect(faultsOf({ 'od_config.photodiode_channel': { 1: 'REF', 2: '90', 3: '90', 4: 'REF' } })).toMatchObject([
      { key: '4', code: 'wrong_value' },
    ]);
  });
});

describe('an unknown section or key', () => {
  it('is reported in the order of the file, with its own code', () => {
    expect(faultsOf({ DEFAULT: { x: '1' }, mine: { a: '1', b: '2' }, ui: { port: '80', colour: 'red' } })).toEqual([
      { code: 'unknown_section', section: 'mine', message: expect.any(String) },
      { code: 'unknown_key', section: 'ui', key: 'colour', message: expect.any(String) },
    ]);
  });

  it('names leader.ini for a section that the leader reads from there', () => {
    expect(faultsOf({ webhooks: { allowed_addresses: '10.0.0.1' } })).toEqual([
      { code: 'unknown_section', section: 'webhooks', message: expect.stringContaining('leader.ini') },
    ]);
  });
});
