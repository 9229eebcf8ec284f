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

  it('carry every key that a descriptor has', () => {
    for (const descriptor of builtInJobDescriptors) {
      expect(Object.keys(descriptor).sort()).toEqual(
        'description display display_name is_testing job_name published_settings source subtext'.split(' '),
      );
    }
  });
});
