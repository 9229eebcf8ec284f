import { expect, it } from 'vitest';
import { PendingStarts } from './pending-starts.ts';

it('overtakes the starts that a stop is meant for, on its units, while they wait', () => {
  const starts = new PendingStarts();
  const start = starts.begin({ jobName: 'stirring', experiment: 'a' });
  const other = starts.begin({ jobName: 'od_reading', experiment: 'b' });
  starts.stop(['rx01'], { jobName: 'stirring', experiment: 'b' });
  expect(start.isSuperseded('rx01')).toBe(false);
  starts.stop(['rx01'], { jobName: 'stirring', experiment: 'a' });
  starts.stop(['rx02'], { jobName: null, experiment: null });
  expect(['rx01', 'rx02', 'rx03'].map(start.isSuperseded)).toEqual([true, true, false]);
  expect(['rx01', 'rx02', 'rx03'].map(other.isSuperseded)).toEqual([false, true, false]);
  starts.stop(['rx03'], { jobName: '(group)', experiment: null, stopGroup: 'pumps' });
  expect([start, other].map(({ isSuperseded }) => isSuperseded('rx03'))).toEqual([false, false]);
  start.end();
  starts.stop(['rx03'], { jobName: null, experiment: null });
  expect(start.isSuperseded('rx03')).toBe(false);
});

it('overtakes the starts of pumps, and of jobs of plugins, which only their units know', () => {
  const starts = new PendingStarts();
  const jobs = ['dosing_automation', 'doser', 'stirring', 'led_automation'];
  const begun = jobs.map((jobName) => starts.begin({ jobName, experiment: 'a' }));
  starts.stop(['rx01'], { jobName: '(group)', experiment: null, stopGroup: 'pumps' });
  expect(begun.map(({ isSuperseded }) => isSuperseded('rx01'))).toEqual([true, true, false, false]);
});
