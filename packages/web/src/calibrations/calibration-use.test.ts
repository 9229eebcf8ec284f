import { expect, it } from 'vitest';
import { jobUsing } from './calibration-use.ts';

it('finds the running job that uses a calibration', () => {
  const jobs = [
    { reactor_unit: 'unit1', job_name: 'dosing_automation' },
    { reactor_unit: 'unit2', job_name: 'od_reading' },
  ];
  expect(jobUsing({ unit: 'unit1', device: 'waste_pump' }, jobs)).toBe('dosing_automation');
  expect(jobUsing({ unit: 'unit2', device: 'waste_pump' }, jobs)).toBeUndefined();
  expect(jobUsing({ unit: 'unit2', device: 'od90' }, jobs)).toBe('od_reading');
  expect(jobUsing({ unit: 'unit1', device: 'temperature' }, jobs)).toBeUndefined();
});
