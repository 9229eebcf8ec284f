import { expect } from 'vitest';
import type { Fixture } from '../fixture.ts';
import { changes, follows, reads, type UiPage, type UiRequest } from '../page.ts';
import type { Shape } from '../shape.ts';
import { wholeExperiment } from './shell.ts';

/** One row of an event log. */
export const logRow: Shape = {
  timestamp: 'time',
  level: '"DEBUG" | "INFO" | "NOTICE" | "WARNING" | "ERROR" | "CRITICAL"',
  reactor_unit: 'text',
  message: 'text',
  task: 'text',
  source: 'text',
  experiment: 'text',
};

export const chartDescriptors: Shape = [
  {
    chart_key: 'text',
    data_source: 'text',
    data_source_column: 'text | null',
    title: 'text',
    source: 'text',
    mqtt_topic: 'text | list',
    payload_key: 'text | null',
    y_axis_label: 'text',
    down_sample: 'boolean',
    interpolation: 'text',
    y_axis_domain: ['number'],
    fixed_decimals: 'integer',
    lookback: 'integer',
    y_transformation: 'text',
  },
];

export const experimentWorkers: Shape = [
  { reactor_unit: 'text', is_active: '1', model_name: 'text', model_version: 'text' },
];

export const series: Shape = { series: ['text'], data: [[{ x: 'time', y: 'number' }]] };

const allTime = { target_points: 1400, lookback: 1_000_000 };

const chart = (place: string, query: UiRequest['query'] = allTime): UiRequest =>
  reads('required', `/api/experiments/{E}/time_series/${place}`, series, { query });

const json = async (scene: Fixture, path: string): Promise<unknown> => (await fetch(scene.leader.url + path)).json();

const event = { message: 'Sample taken', timestamp: '{day}', task: 'note', source: 'UI', level: 'INFO' };

const rates: Shape = { mediaRate: 'number', altMediaRate: 'number' };

export const runningProfiles: Shape = [
  {
    job_id: 'integer',
    settings: { experiment_profile_name: 'text', profile_filename: 'text', start_time_utc: 'time' },
  },
];

export const overview: UiPage = {
  title: 'Overview',
  testFile: 'shell-and-overview.test.ts',
  requests: [
    reads('required', '/api/charts/descriptors', chartDescriptors),
    reads('required', '/api/experiments/{E}/workers', experimentWorkers),
    reads('required', '/api/experiments/{E}/unit_labels', { '{U}': 'text' }),
    chart('growth_rates'),
    chart('temperature_readings'),
    chart('od_readings'),
    chart('od_readings_filtered'),
    chart('raw_od_readings', { target_points: 1_000_000, lookback: 12 }),
    chart('stirring_rates/measured_rpm', { target_points: 1_000_000, lookback: 1 }),
    chart('growth_rates/rate', { target_points: 1400, lookback: 12 }),
    reads('feature', '/api/experiments/{E}/media_rates', { '{U}': rates, all: rates }),
    reads('feature', '/api/experiments/{E}/experiment_profiles/running', runningProfiles),
    reads('feature', '/api/experiments/{E}/recent_logs', [logRow], { query: { min_level: 'INFO' } }),
    changes('PATCH', '/api/experiments/{E}', 200, { body: { description: 'typed' }, note: 'while typing' }),
    reads('feature', '/api/experiments/{E}', wholeExperiment, {
      method: 'PATCH',
      body: { description: '30 to 34 °C', tags: ['ramp'] },
      note: 'edit dialog',
    }),
    changes('POST', '/api/workers/{U}/experiments/{E}/logs', 202, { body: event }),
    changes('POST', '/api/workers/$broadcast/experiments/{E}/logs', 202, { body: event }),
    changes('DELETE', '/api/experiments/{E}/workers', 202),
    follows('feature', '/api/experiments/{E}', { result: 'true' }, { method: 'DELETE' }),
  ],
  rules: [
    {
      rule: 'the chart descriptors contain the charts of the shared configuration',
      level: 'required',
      shows: async (scene) => {
        const keys = JSON.stringify(await json(scene, '/api/charts/descriptors'));
        for (const key of ['implied_growth_rate', 'normalized_optical_density', 'optical_density', 'temperature']) {
          expect(keys).toContain(`"chart_key":"${key}"`);
        }
      },
    },
    {
      rule: 'an experiment without doses has media rates of 0 for all',
      level: 'feature',
      shows: async (scene) => {
        const none = { mediaRate: 0, altMediaRate: 0 };
        expect(await json(scene, '/api/experiments/nothing/media_rates')).toEqual({ all: none });
      },
    },
    {
      rule: 'workers, labels, log, running profiles and series of an unknown experiment are empty',
      level: 'required',
      shows: async (scene) => {
        const of = (path: string) => json(scene, `/api/experiments/nothing/${path}`);
        expect(await of('workers')).toEqual([]);
        expect(await of('unit_labels')).toEqual({});
        expect(await of('recent_logs')).toEqual([]);
        expect(await of('experiment_profiles/running')).toEqual([]);
        expect(await of('time_series/growth_rates?target_points=1400&lookback=12')).toEqual({ series: [], data: [] });
      },
    },
    {
      rule: 'lookback=0 returns no series, for charts of live points only',
      level: 'required',
      shows: async (scene) => {
        const at = '/api/experiments/yeast%20ramp%2007/time_series/od_readings?target_points=1400&lookback=0';
        expect(await json(scene, at)).toEqual({ series: [], data: [] });
      },
    },
    {
      rule: 'the names of OD series are unit and channel; the configuration contains the angle of the channel',
      level: 'required',
      shows: async (scene) => {
        for (const source of ['od_readings', 'raw_od_readings']) {
          const at = `/api/experiments/yeast%20ramp%2007/time_series/${source}?target_points=1400&lookback=1000000`;
          expect(await json(scene, at)).toMatchObject({ series: ['unit1-2'] });
        }
      },
    },
    {
      rule: 'a recorded event is in the log at once, with a level in upper case and a task',
      level: 'feature',
      shows: async (scene) => {
        const { leader } = scene;
        const body = { message: 'Sampled', timestamp: '2026-01-01T00:01:00.000Z', source: 'UI', level: 'info' };
        const params = { reactor_unit: 'unit1', experiment: 'yeast ramp 07' };
        (await leader.api.call('postWorkerLog', { params, body })).expect(202);
        const [newest] = await leader.client.listExperimentLogs({ params, query: { search: 'Sampled' } });
        expect(newest).toMatchObject({ message: 'Sampled', level: 'INFO', task: '', source: 'UI' });
      },
    },
  ],
};
