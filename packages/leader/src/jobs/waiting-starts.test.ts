import { expect, it } from 'vitest';
import { WaitingStarts } from './waiting-starts.ts';

it('overtakes the starts that a stop is meant for, on its units, while they wait', () => {
  const starts = new WaitingStarts();
  const start = starts.begin({ jobName: 'stirring', experiment: 'a' });
  const other = starts.begin({ jobName: 'od_reading', experiment: 'b' });
  starts.stop(['rx01'], { jobName: 'stirring', experiment: 'b' });
  expect(start.isOvertaken('rx01')).toBe(false);
  starts.stop(['rx01'], { jobName: 'stirring', experiment: 'a' });
  starts.stop(['rx02'], { jobName: null, experiment: null });
  expect(['rx01', 'rx02', 'rx03'].map(start.isOvertaken)).toEqual([true, true, false]);
  expect(['rx01', 'rx02', 'rx03'].map(other.isOvertaken)).toEqual([false, true, false]);
  start.end();
  starts.stop(['rx03'], { jobName: null, experiment: null });
  expect(start.isOvertaken('rx03')).toBe(false);
});
