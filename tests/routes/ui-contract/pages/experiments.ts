import { expect } from 'vitest';
import type { Fixture } from '../fixture.ts';
import { changes, follows, reads, type UiPage } from '../page.ts';
import type { Shape } from '../shape.ts';
import { wholeExperiment } from './shell.ts';

const dataset: Shape = { dataset_name: 'text', display_name: 'text', description: 'text', source: 'text' };

const exportBody = {
  experiment: '{E}',
  partition_by_unit: false,
  partition_by_experiment: true,
  datasets: ['od_readings', 'logs'],
  start_time: null,
  end_time: null,
};

/** What the form sends, with the keys that say nothing. */
const asSent = {
  experiment: 'second',
  created_at: '2026-11-21T10:00:00.000Z',
  description: '',
  tags: ['a'],
  delta_hours: 0,
  worker_count: 0,
};

const create = ({ leader }: Fixture, body: object): Promise<Response> =>
  fetch(`${leader.url}/api/experiments`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

export const experiments: UiPage = {
  title: 'Experiments and export',
  testFile: 'calibrations-experiments-plugins.test.ts',
  requests: [
    reads('required', '/api/experiments', [wholeExperiment]),
    reads('feature', '/api/experiments', wholeExperiment, { method: 'POST', status: 201, body: asSent }),
    changes('PATCH', '/api/experiments/second', 200, { body: { description: 'x', tags: [] } }),
    follows('feature', '/api/experiments/second', { result: 'true' }, { method: 'DELETE' }),
    reads('required', '/api/datasets/exportable', [dataset]),
    reads('feature', '/api/datasets/exportable/od_readings/preview', ['object']),
    follows(
      'feature',
      '/api/datasets/exportable/export',
      { filename: 'text' },
      {
        method: 'POST',
        body: exportBody,
        learns: { filename: 'filename' },
      },
    ),
    reads('feature', '/exports/{filename}', 'integer', { answer: 'file' }),
    follows(
      'feature',
      '/api/datasets/exportable/export-to-usb',
      { filename: 'text' },
      {
        method: 'POST',
        body: exportBody,
      },
    ),
    follows(
      'feature',
      '/api/datasets/exportable/export',
      { filename: 'text' },
      {
        method: 'POST',
        body: { ...exportBody, experiment: '$experiment', datasets: ['logs'] },
        note: 'system logs',
      },
    ),
  ],
  rules: [
    {
      rule: 'an experiment with workers has a worker_count above 0',
      level: 'required',
      shows: async ({ leader }) => {
        const [first] = await leader.client.listExperiments({ query: {} });
        expect(first).toMatchObject({ experiment: 'yeast ramp 07', worker_count: 1 });
      },
    },
    {
      rule: 'a name in use is a 409; created_at, delta_hours and worker_count of the request have no effect',
      level: 'feature',
      shows: async (scene) => {
        const sent = { ...asSent, experiment: 'third', created_at: '1999-01-01T00:00:00.000Z', worker_count: 9 };
        const created = await create(scene, sent);
        expect(created.status).toBe(201);
        expect(await created.json()).toEqual({
          experiment: 'third',
          created_at: new Date(scene.leader.clock.now()).toISOString(),
          description: '',
          delta_hours: 0,
          worker_count: 0,
          tags: ['a'],
        });
        expect((await create(scene, sent)).status).toBe(409);
        for (const sign of ['$', '%', '#', '\\', '/', '+']) {
          expect((await create(scene, { experiment: `a${sign}b` })).status).toBe(400);
        }
      },
    },
    {
      rule: 'the keys of the first row of a preview are its columns',
      level: 'feature',
      shows: async ({ leader }) => {
        const [row] = await leader.client.previewExportableDataset({
          params: { target_dataset: 'od_readings' },
          query: {},
        });
        expect(Object.keys(row ?? {})).toEqual(
          expect.arrayContaining(['experiment', 'reactor_unit', 'timestamp', 'od_reading', 'channel', 'angle']),
        );
      },
    },
  ],
};

const done: Shape = { '{leader}': { ok: 'true', unit: 'text', value: 'true' } };

export const plugins: UiPage = {
  title: 'Plugins and updates',
  testFile: 'calibrations-experiments-plugins.test.ts',
  requests: [
    reads('required', '/api/units', [{ reactor_unit: 'text' }]),
    follows('required', '/api/units/{leader}/plugins/installed', {
      '{leader}': { ok: 'true', unit: 'text', value: [{ name: 'text', version: 'text', source: 'text' }] },
    }),
    follows('feature', '/api/units/{leader}/plugins/uninstall', done, {
      method: 'POST',
      body: { args: ['demo-plug'] },
    }),
    follows('feature', '/api/units/{leader}/plugins/install-from-leader-usb', done, {
      method: 'POST',
      body: { filepath: '{drive}/demo_plug.js' },
    }),
    changes('POST', '/api/units/{leader}/plugins/install', 202, { body: { args: ['no-such-plugin'] } }),
    reads('feature', '/unit_api/usb/artifacts', { plugins: [{ path: 'text', name: 'text' }], updates: 'list' }),
    reads(
      'feature',
      '/api/system/upload',
      { save_path: 'text' },
      {
        method: 'POST',
        form: { field: 'file', fileName: 'release_27.1.0.zip', file: 'release' },
        learns: { release: 'save_path' },
      },
    ),
    changes('POST', '/api/system/update_from_archive', 202, {
      body: { release_archive_location: '{release}', units: '{U}' },
    }),
  ],
  rules: [
    {
      rule: 'without a release source the next version is an error with a text',
      level: 'feature',
      shows: async ({ leader }) => {
        const answer = await fetch(`${leader.url}/api/system/update_next_version`, { method: 'POST' });
        expect(answer.status).toBe(503);
        expect(await answer.json()).toMatchObject({ error: expect.any(String) });
      },
    },
  ],
};
