import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { startUnit } from '@lcs/testkit';
import { expect } from 'vitest';
import { eventually } from '../../../cluster/units/eventually.ts';
import { changes, follows, reads, type UiPage } from '../page.ts';
import { logRow } from './overview.ts';
import { listedModels, listedWorkers, usbWords } from './shell.ts';
import { jobDescriptors } from './units.ts';

const space = { total_bytes: 'integer', available_bytes: 'integer' } as const;
const archive = { field: 'archive', fileName: 'dot_reactor.zip', file: 'data folder' } as const;

export const inventory: UiPage = {
  title: 'Inventory',
  testFile: 'inventory-and-leader.test.ts',
  requests: [
    reads('required', '/api/workers', listedWorkers),
    reads('feature', '/api/models', listedModels),
    reads('feature', '/api/jobs/descriptors', jobDescriptors),
    reads('feature', '/api/workers/{U}/experiment', { experiment: 'text' }),
    changes('PUT', '/api/workers/{U}/is_active', 200, { body: { is_active: 0 }, note: 'off' }),
    changes('PUT', '/api/workers/{U}/is_active', 200, { body: { is_active: 1 }, note: 'on' }),
    changes('PUT', '/api/workers/{U}/model', 200, { body: { model_name: 'reactor_40ml', model_version: '1.5' } }),
    changes('POST', '/api/workers/{U}/blink', 202),
    follows('feature', '/api/units/$broadcast/system/utc_clock', {
      '*': { ok: 'true', unit: 'text', value: { clock_time: 'time' } },
    }),
    follows(
      'feature',
      '/api/system/utc_clock',
      { '*': { ok: 'boolean', unit: 'text' } },
      { method: 'POST', body: { utc_clock_time: '{day}' } },
    ),
    follows(
      'feature',
      '/api/units/{U}/system/repair',
      { '{U}': { ok: 'true', unit: 'text', value: { success: 'boolean' } } },
      { method: 'POST' },
    ),
    reads('feature', '/api/units/{U}/zipped_dot_reactor', 'integer', { answer: 'file' }),
    changes('POST', '/api/units/{U}/import_zipped_dot_reactor', 202, { form: archive }),
    changes('POST', '/api/units/{U}/system/reboot', 202),
    changes('POST', '/api/units/$broadcast/system/shutdown', 202),
    changes('DELETE', '/api/experiments/{E}/workers/{U}', 200),
    changes('DELETE', '/api/workers/assignments', 202),
    changes('DELETE', '/api/workers/{U}', 202),
    // Here, so that there is one that can be added.
    reads('feature', '/api/workers/discover', [{ reactor_unit: 'text' }]),
  ],
  rules: [
    {
      rule: 'one request sets up a worker; after its answer the worker is in the list',
      level: 'feature',
      shows: async ({ leader, keep }) => {
        const added = keep(await startUnit({ name: 'unit2', leaderUrl: leader.url, clock: leader.clock }));
        const body = { name: 'unit2', model: 'reactor_20ml', version: '1.5', ipv4_address: new URL(added.url).host };
        const post = (given: object) =>
          fetch(`${leader.url}/api/workers/setup`, {
            method: 'POST',
            headers: { 'content-type': 'application/json' },
            body: JSON.stringify(given),
          });
        const refused = await post({ ...body, model: 'nothing' });
        expect(refused.status).toBe(400);
        expect(await refused.json()).toMatchObject({
          error: expect.any(String),
          cause: expect.any(String),
          remediation: expect.any(String),
        });
        const { ipv4_address: _, ...named } = body;
        await eventually(async () => expect((await post(named)).status).toBe(200));
        const workers = await leader.client.listWorkers();
        expect(workers).toContainEqual(expect.objectContaining({ reactor_unit: 'unit2', model_name: 'reactor_20ml' }));
      },
    },
    {
      rule: 'a worker without an experiment is a 404',
      level: 'feature',
      shows: async ({ leader, atRest }) => {
        await leader.client.registerWorker({ body: { reactor_unit: 'free' } });
        expect((await fetch(`${leader.url}/api/workers/free/experiment`)).status).toBe(404);
        await leader.client.removeWorker({ params: { reactor_unit: 'free' } });
        await atRest();
      },
    },
  ],
};

const usb = {
  status: usbWords,
  'error?': 'null',
  partitions: [
    {
      device: 'text',
      display_name: 'text',
      mounted: 'boolean',
      'writable?': 'boolean',
      unsupported_reason: 'text | null',
    },
  ],
  active_mount: { device: 'text', mountpoint: 'text', display_name: 'text', writable: 'boolean' },
} as const;

export const leaderPage: UiPage = {
  title: 'Leader',
  testFile: 'inventory-and-leader.test.ts',
  requests: [
    reads('optional', '/unit_api/system/ipv4', { ipv4_address: 'text' }),
    reads('feature', '/unit_api/system/disk_space', space),
    reads('feature', '/unit_api/system/memory', space),
    reads('feature', '/unit_api/long_running_jobs/running', [{ job_name: 'text' }]),
    reads('feature', '/unit_api/system/web_server/status', { state: 'text' }),
    reads('feature', '/unit_api/usb', usb),
    reads('feature', '/unit_api/system/path/', { dirs: ['text'], files: ['text'] }),
    reads('feature', '/unit_api/system/path/storage', { dirs: 'list', files: ['text'] }),
    reads('feature', '/unit_api/system/path/config.ini', 'INI text', { answer: 'text', note: 'a file' }),
    reads('feature', '/unit_api/zipped_dot_reactor', 'integer', { answer: 'file' }),
    changes('PATCH', '/unit_api/jobs/stop', 202, { body: { job_name: 'monitor' } }),
    reads('required', '/api/workers/{leader}/experiments/$experiment/recent_logs', [logRow], {
      query: { min_level: 'debug' },
    }),
    follows('feature', '/api/units/{leader}/usb', { '{leader}': { ok: 'true', unit: 'text', value: usb } }),
    changes('POST', '/unit_api/usb/eject', 202, { body: { device: 'sda1' } }),
    changes('POST', '/unit_api/usb/mount', 202, { body: {} }),
    changes('POST', '/unit_api/system/web_server/restart', 202),
  ],
  rules: [
    {
      rule: 'POST /unit_api/import_zipped_dot_reactor reads the field `archive`; an invalid archive is an error with a text',
      level: 'feature',
      shows: async ({ leader }) => {
        const form = new FormData();
        form.append('archive', new Blob(['no zip']), 'dot_reactor.zip');
        const answer = await fetch(`${leader.url}/unit_api/import_zipped_dot_reactor`, { method: 'POST', body: form });
        expect(answer.status).toBe(400);
        expect(await answer.json()).toMatchObject({ code: 'data_archive_invalid', error: expect.any(String) });
      },
    },
    {
      rule: 'a missing drive is `absent`, without an error',
      level: 'feature',
      shows: async ({ unit }) => {
        await rm(join(unit.dataFolder, 'run', 'usb'), { recursive: true, force: true });
        const answer: unknown = await (await fetch(`${unit.url}/unit_api/usb`)).json();
        expect(answer).toEqual({ status: 'absent', partitions: [], active_mount: null });
      },
    },
    {
      rule: 'a stopped long-running job starts again',
      level: 'feature',
      shows: async ({ unit }) => {
        const running = async () => unit.client.listRunningLongJobs();
        const [monitor] = await running();
        await unit.finished(await unit.client.stopJobs({ body: { job_name: 'monitor' } }));
        await eventually(async () => {
          await unit.clock.advance(1_000);
          const [again] = await running();
          expect(again).toMatchObject({ job_name: 'monitor', is_running: 1 });
          expect(again?.job_id).not.toBe(monitor?.job_id);
        });
      },
    },
  ],
};
