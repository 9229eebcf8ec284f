import { expect } from 'vitest';
import type { Fixture } from '../fixture.ts';
import { changes, follows, reads, type UiPage, type UiRequest } from '../page.ts';
import type { Shape } from '../shape.ts';
import { chartDescriptors, experimentWorkers, logRow, series } from './overview.ts';
import { listedModels } from './shell.ts';

const setting: Shape = {
  key: 'text',
  label: 'text | null',
  type: '"numeric" | "boolean" | "string" | "json"',
  unit: 'text | null',
  display: 'boolean',
  description: 'text | null',
  default: 'text | number | boolean | null',
  editable: 'boolean',
  min: 'number | null',
  max: 'number | null',
};

export const jobDescriptors: Shape = [
  {
    job_name: 'text',
    display: 'boolean',
    display_name: 'text',
    description: 'text | null',
    source: 'text',
    subtext: 'text | null',
    published_settings: 'list',
  },
];

const settingsDescriptors: Shape = [
  {
    key: 'text',
    display_name: 'text',
    display: 'boolean',
    subtext: 'text | null',
    source: 'text',
    description: 'text | null',
    published_settings: [setting],
  },
];

const automationDescriptors: Shape = [
  { automation_name: 'text', display_name: 'text', description: 'text', source: 'text | null', fields: 'list' },
];

const started: Shape = { '{U}': { ok: 'true', unit: 'text', value: 'object' } };
const job = (name: string, what: 'run' | 'update' | 'stop') =>
  `/api/workers/{U}/jobs/${what}/job_name/${name}/experiments/{E}`;
const runBody = (options: object) => ({
  args: [],
  options,
  env: { EXPERIMENT: '{E}', JOB_SOURCE: 'user' },
  config_overrides: [['stirring.config', 'pwm_hz', '100']],
});
const state = (word: string) => ({ body: { settings: { $state: word } }, note: word });

const automations = (type: string): UiRequest =>
  reads('feature', `/api/workers/{U}/automations/descriptors/${type}`, automationDescriptors);

const json = async (scene: Fixture, path: string): Promise<unknown> => (await fetch(scene.leader.url + path)).json();

export const units: UiPage = {
  title: 'Units',
  testFile: 'units.test.ts',
  requests: [
    reads('required', '/api/experiments/{E}/workers', experimentWorkers),
    reads('required', '/api/models', listedModels),
    reads('required', '/api/experiments/{E}/unit_labels', { '{U}': 'text' }),
    reads('feature', '/api/config/units/{U}', { configs: { '{U}': { '*': { '*': 'text' } } } }),
    reads('feature', '/api/jobs/descriptors', jobDescriptors),
    reads('feature', '/api/settings/descriptors', settingsDescriptors),
    reads('required', '/api/workers/{U}/jobs/descriptors', jobDescriptors),
    reads('required', '/api/workers/{U}/settings/descriptors', settingsDescriptors),
    automations('temperature'),
    automations('dosing'),
    automations('led'),
    changes('PATCH', job('stirring', 'update'), 202, { body: { settings: { target_rpm: 300 } }, note: 'a setting' }),
    changes('PATCH', job('stirring', 'update'), 202, state('sleeping')),
    changes('PATCH', job('stirring', 'update'), 202, state('ready')),
    changes('PATCH', job('stirring', 'update'), 202, state('disconnected')),
    follows('feature', job('stirring', 'run'), started, { method: 'PATCH', body: runBody({ target_rpm: 300 }) }),
    changes('PATCH', job('stirring', 'stop'), 202),
    changes('POST', '/api/workers/{U}/jobs/stop/experiments/{E}', 202),
    follows('feature', '/api/workers/{U}/bioreactor/update/experiments/{E}', started, {
      method: 'PATCH',
      body: { values: { current_volume_ml: 15, alt_media_fraction: '0.25' } },
    }),
    changes('POST', '/api/workers/{U}/blink', 202),
    changes('PUT', '/api/experiments/{E}/unit_labels', 201, { body: { label: 'right', unit: '{U}' } }),
    reads('feature', '/api/workers/assignments', [{ reactor_unit: 'text', experiment: 'text | null', is_active: '1' }]),
    follows('feature', '/api/workers/{U}/active_calibrations', {
      '{U}': { ok: 'true', unit: 'text', value: { '*': { calibration_name: 'text', created_at: 'time' } } },
    }),
    follows('feature', '/api/workers/{U}/active_estimators', {
      '{U}': {
        ok: 'true',
        unit: 'text',
        value: { '*': { estimator_name: 'text', created_at: 'time', is_active: 'true' } },
      },
    }),
    changes('DELETE', '/api/experiments/{E}/workers/{U}', 200),
    changes('PUT', '/api/experiments/{E}/workers', 200, { body: { reactor_unit: '{U}' } }),
  ],
  rules: [
    {
      rule: 'a job descriptor lists its settings, and its subtext is the key of one of them',
      level: 'required',
      shows: async (scene) => {
        const described = await scene.leader.client.listJobDescriptors();
        for (const { subtext, published_settings } of described) {
          const keys = published_settings.map(({ key }) => key);
          if (subtext !== null) expect(keys).toContain(subtext);
        }
        const shown = described.flatMap(({ job_name, display }) => (display ? [job_name] : []));
        expect(shown).toEqual(expect.arrayContaining(['stirring', 'od_reading', 'growth_rate_calculating']));
        expect(await json(scene, '/api/workers/unit1/jobs/descriptors')).not.toEqual([]);
      },
    },
    {
      rule: 'automation jobs have the setting automation_name; the vial settings have all displayed keys',
      level: 'feature',
      shows: async ({ leader }) => {
        const jobs = await leader.client.listJobDescriptors();
        for (const name of ['temperature_automation', 'dosing_automation', 'led_automation']) {
          const keys = jobs.find(({ job_name }) => job_name === name)?.published_settings.map(({ key }) => key);
          expect([name, keys]).toEqual([name, expect.arrayContaining(['automation_name'])]);
        }
        const vial = (await leader.client.listSettingsDescriptors()).find(({ key }) => key === 'bioreactor');
        expect(vial?.published_settings.map(({ key }) => key)).toEqual(
          expect.arrayContaining([
            ...['current_volume_ml', 'efflux_tube_volume_ml', 'alt_media_fraction'],
            ...['cumulative_media_added_ml', 'cumulative_waste_removed_ml'],
          ]),
        );
      },
    },
    {
      rule: 'workers and models use the same model names and versions',
      level: 'required',
      shows: async ({ leader }) => {
        const [worker] = await leader.client.listExperimentWorkers({ params: { experiment: 'yeast ramp 07' } });
        const { models } = await leader.client.listModels();
        const { model_name, model_version } = worker ?? {};
        expect(models).toContainEqual(expect.objectContaining({ model_name, model_version }));
      },
    },
    {
      rule: 'is_active is always the number 1 or 0',
      level: 'required',
      shows: async (scene) => {
        for (const path of [
          '/api/workers',
          '/api/workers/assignments',
          '/api/experiments/yeast%20ramp%2007/workers',
        ] as const) {
          expect([path, await json(scene, path)]).toEqual([path, [expect.objectContaining({ is_active: 1 })]]);
        }
        expect(await json(scene, '/api/workers/unit1/experiment')).toMatchObject({ is_active: 1 });
      },
    },
  ],
};

export const oneUnit: UiPage = {
  title: 'One unit',
  testFile: 'units.test.ts',
  requests: [
    reads('required', '/api/workers/{U}/experiment', { experiment: 'text', is_active: '1' }),
    reads('required', '/api/workers/{U}/model', {
      display_name: 'text',
      model_name: 'text',
      reactor_capacity_ml: 'number',
      reactor_max_fill_volume_ml: 'number',
    }),
    reads('required', '/api/config/units/{U}', {
      configs: { '{U}': { 'ui.overview.charts': { '*': 'text' }, PWM: { '*': 'text' }, leds: { '*': 'text' } } },
    }),
    reads('required', '/api/charts/descriptors', chartDescriptors),
    ...['growth_rates', 'od_readings', 'od_readings_filtered', 'temperature_readings', 'growth_rates/rate'].map((at) =>
      reads('required', `/api/workers/{U}/experiments/{E}/time_series/${at}`, series, {
        query: { target_points: 1400, lookback: 12 },
      }),
    ),
    reads('required', '/api/workers/{U}/experiments/{E}/recent_logs', [logRow], { query: { min_level: 'info' } }),
  ],
  rules: [
    {
      rule: 'a unit without an experiment is a 404 with an error text',
      level: 'required',
      shows: async ({ leader, atRest }) => {
        await leader.client.registerWorker({ body: { reactor_unit: 'free' } });
        const answer = await fetch(`${leader.url}/api/workers/free/experiment`);
        expect(answer.status).toBe(404);
        expect(await answer.json()).toMatchObject({ error: expect.stringMatching(/\w .*\.$/) });
        await leader.client.removeWorker({ params: { reactor_unit: 'free' } });
        await atRest();
      },
    },
  ],
};
