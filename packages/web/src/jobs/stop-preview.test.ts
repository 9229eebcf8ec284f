import type { LiveJob } from '@lcs/contract';
import { expect, it } from 'vitest';
import { previewText, stopPreview } from './stop-preview.ts';

const nameOf = (unit: string): string => unit;

const job = (reactor_unit: string, job_name: string, more: Partial<LiveJob> = {}): LiveJob => ({
  reactor_unit,
  experiment: 'yeast',
  job_name,
  job_id: 7,
  state: 'ready',
  since: '2026-05-02T09:14:03.120Z',
  reason: null,
  settings: {},
  ...more,
});

const jobs = [
  job('rx10', 'stirring'),
  job('rx2', 'stirring'),
  job('rx2', 'dosing_automation'),
  job('rx2', 'my_plugin', { state: 'sleeping' }),
  job('rx3', 'od_reading', { experiment: 'salt' }),
  job('rx3', 'led_automation', { experiment: 'salt', state: 'disconnected' }),
  job('rx4', 'stirring', { state: 'lost' }),
  job('rx2', 'monitor', { experiment: '$experiment' }),
  job('lead', 'experiment_profile', { experiment: 'salt' }),
];

it('counts what a stop ends, by unit and experiment, in natural order', () => {
  expect(stopPreview({ what: 'everything', experiment: null }, jobs)).toEqual({
    what: 'everything',
    jobs: 6,
    units: ['rx2', 'rx3', 'rx4', 'rx10'],
    experiments: ['salt', 'yeast'],
    profiles: ['salt'],
    plugins: [],
  });
  expect(stopPreview({ what: 'everything', experiment: 'salt' }, jobs)).toMatchObject({ jobs: 1, units: ['rx3'] });
});

it('counts pumps by what is known to run them, and names jobs of plugins that may', () => {
  const preview = stopPreview({ what: 'pumps', experiment: null }, jobs);
  expect(preview).toMatchObject({ jobs: 1, units: ['rx2'], plugins: ['my_plugin'], profiles: [] });
  expect(previewText(preview, nameOf)).toContain('1 job');
  expect(previewText(preview, nameOf)).toContain('My plugin');
});

it('names no experiment for trial jobs, which belong to none', () => {
  const trial = job('rx1', 'media_pump_calibration', { experiment: '_testing_yeast' });
  const pump = job('rx2', 'dosing_automation');
  const preview = (trials: readonly LiveJob[]) => stopPreview({ what: 'everything', experiment: null }, trials);
  expect(preview([trial, pump])).toMatchObject({ jobs: 2, experiments: ['yeast'] });
  expect(preview([trial])).toMatchObject({ jobs: 1, units: ['rx1'], experiments: [] });
  expect(previewText(preview([trial]), nameOf)).toBe('1 job on rx1.');
});

it('shortens long lists of units, and says so when nothing runs', () => {
  const many = Array.from({ length: 24 }, (_, index) => job(`rx${index + 1}`, 'stirring'));
  const text = previewText(stopPreview({ what: 'everything', experiment: null }, many), nameOf);
  expect(text).toContain('24 units');
  expect(text).not.toContain('rx7');
  expect(previewText(stopPreview({ what: 'everything', experiment: null }, []), nameOf)).toBe('No job runs.');
});
