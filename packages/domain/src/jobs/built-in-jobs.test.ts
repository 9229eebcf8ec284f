import { describe, expect, it } from 'vitest';
import { builtInJobDescriptors, builtInJobs } from './built-in-jobs.ts';

describe('the built-in jobs', () => {
  it('show a control only for a setting that the job, or one of its automations, has and lets change', () => {
    for (const { descriptor, settings, variants = {} } of builtInJobs) {
      const all = { ...settings, ...Object.assign({}, ...Object.values(variants).map((variant) => variant.settings)) };
      for (const { key, display, label, editable } of descriptor?.published_settings ?? []) {
        if (!display) continue;
        expect(all[key], key).toBeDefined();
        expect(all[key]?.readOnly ?? false, key).toBe(!editable);
        expect(label).not.toBe('');
      }
    }
  });

  it('are described in the order of the screen, the monitor left out', () => {
    expect(builtInJobDescriptors.map(({ job_name, subtext }) => [job_name, subtext])).toEqual([
      ['stirring', null],
      ['od_reading', null],
      ['growth_rate_calculating', null],
      ['temperature_automation', 'automation_name'],
      ['dosing_automation', 'automation_name'],
      ['led_automation', 'automation_name'],
    ]);
  });

  it('can begin with each setting that may be changed, as they do after a restart', () => {
    // What a person answers, and what other programs add: not what a job is to do.
    const notSetpoints = new Set(['answer', 'versions']);
    const all = builtInJobs.flatMap(({ name, settings, options, variants = {} }) => [
      { name, settings, options },
      ...Object.entries(variants).map(([variant, own]) => ({ name: `${name} ${variant}`, ...own })),
    ]);
    for (const { name, settings, options } of all) {
      for (const [key, setting] of Object.entries(settings)) {
        if (setting.readOnly || notSetpoints.has(key)) continue;
        const option = options[key];
        expect(option?.type, `${name} ${key}`).toBe(setting.type);
        if (option === undefined || !('min' in setting || 'max' in setting) || !('min' in option || 'max' in option))
          continue;
        expect(option.min ?? Number.NEGATIVE_INFINITY).toBeLessThanOrEqual(setting.min ?? Number.NEGATIVE_INFINITY);
        expect(option.max ?? Number.POSITIVE_INFINITY).toBeGreaterThanOrEqual(setting.max ?? Number.POSITIVE_INFINITY);
      }
    }
  });

  it('carry every key that a descriptor has', () => {
    for (const descriptor of builtInJobDescriptors) {
      expect(Object.keys(descriptor).sort()).toEqual(
        'description display display_name is_testing job_name published_settings source subtext'.split(' '),
      );
    }
  });
});
