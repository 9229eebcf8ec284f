import { expect } from 'vitest';
import { changes, reads, type UiPage } from '../page.ts';
import type { Shape } from '../shape.ts';

export const wholeExperiment: Shape = {
  experiment: 'text',
  created_at: 'time',
  description: 'text',
  delta_hours: 'integer',
  worker_count: 'integer',
  tags: ['text'],
};

export const listedModels: Shape = {
  models: [
    {
      model_name: 'text',
      model_version: 'text',
      display_name: 'text',
      reactor_capacity_ml: 'number',
      reactor_max_fill_volume_ml: 'number',
      is_contrib: 'boolean',
      is_legacy: 'boolean',
    },
  ],
};

export const listedWorkers: Shape = [
  {
    reactor_unit: 'text',
    is_active: '1',
    model_name: 'text',
    model_version: 'text',
    ipv4_address: 'text | null',
  },
];

export const usbWords =
  '"absent" | "error" | "present_unmounted" | "mounted" | "mounted_readonly" | "unsupported" | "multiple_present"';

/** As the interface reads an INI file: only `=` separates, `;` begins a comment, and a `#` line would be a key. */
export function simplyParsed(text: string): ReadonlyMap<string, ReadonlyMap<string, string>> {
  const sections = new Map<string, Map<string, string>>();
  let section: Map<string, string> | undefined;
  for (const line of text.split('\n').map((each) => each.trim())) {
    const name = /^\[(.+)\]$/.exec(line)?.[1];
    if (name !== undefined) {
      section = new Map();
      sections.set(name, section);
    } else if (line.startsWith('#')) {
      throw new Error(`It would become a key: ${line}`);
    } else if (line !== '' && !line.startsWith(';')) {
      const [, key, value] = /^([^=]+)=(.*)$/.exec(line) ?? [];
      if (key === undefined || value === undefined || section === undefined) throw new Error(`It is lost: ${line}`);
      section.set(key, value);
    }
  }
  return sections;
}

export const shell: UiPage = {
  title: 'On every page',
  testFile: 'shell-and-overview.test.ts',
  requests: [
    reads('required', '/api/config/shared', 'INI text', { answer: 'text' }),
    reads('required', '/api/experiments/latest', wholeExperiment),
    reads('required', '/api/experiments/{E}', wholeExperiment),
    reads('required', '/api/experiments', [wholeExperiment]),
    reads('optional', '/api/experiments/assignment_count', [{ experiment: 'text' }]),
    reads('optional', '/api/local_access_point', { active: 'boolean' }),
    reads('optional', '/unit_api/system/disk_space', { total_bytes: 'integer', available_bytes: 'integer' }),
    reads('optional', '/unit_api/versions/app', { version: 'text' }),
    reads('optional', '/unit_api/usb', { status: usbWords }),
    reads('optional', '/api/workers', listedWorkers),
    reads('optional', '/api/models', listedModels),
    changes('PUT', '/api/workers/{U}/model', 200, { body: { model_name: 'reactor_40ml_XR', model_version: '1.5' } }),
  ],
  rules: [
    {
      rule: 'a simple INI parser can read the shared configuration, which has all required sections',
      level: 'required',
      shows: async ({ leader, names }) => {
        const config = simplyParsed(await leader.client.getSharedConfig());
        expect([...config.keys()]).toEqual(
          expect.arrayContaining([
            ...['mqtt', 'cluster.topology', 'ui.overview.charts', 'ui.overview.cards', 'ui.overview.settings'],
            ...['logging', 'od_config.photodiode_channel', 'PWM', 'leds', 'bioreactor', 'stirring.config'],
          ]),
        );
        const { port, hostname } = new URL(leader.url);
        expect(Object.fromEntries(config.get('mqtt') ?? [])).toMatchObject({
          broker_address: hostname,
          broker_ws_port: port,
          ws_protocol: 'ws',
        });
        expect(config.get('cluster.topology')?.get('leader_hostname')).toBe(names.leader);
        expect(config.get('ui.overview.settings')?.get('time_display_mode')).toBe('clock_time');
        expect(config.get('logging')?.get('ui_log_level')).toBe('INFO');
        for (const card of ['dosings', 'profiles', 'event_logs']) {
          expect(config.get('ui.overview.cards')?.get(card)).toBe('1');
        }
      },
    },
    {
      rule: 'page paths return the index page; unknown paths of the API return JSON',
      level: 'required',
      shows: async ({ leader }) => {
        for (const path of ['/', '/overview', '/pioreactors/unit1', '/logs', '/config/unit1', '/experiments/new']) {
          const page = await fetch(leader.url + path, { headers: { accept: 'text/html' } });
          expect([path, page.status]).toEqual([path, 200]);
          expect(await page.text()).toContain('<!doctype html>');
        }
        for (const path of ['/api/nothing', '/unit_api/nothing', '/exports/nothing.zip', '/static/nothing.js']) {
          const answer = await fetch(leader.url + path);
          expect([path, answer.status]).toEqual([path, 404]);
          expect(await answer.json()).toMatchObject({ error: expect.any(String), cause: expect.any(String) });
        }
      },
    },
    {
      rule: 'a running task returns 202, an ended one 200 with succeeded or failed, an unknown one an error',
      level: 'required',
      shows: async ({ leader, pass }) => {
        const accepted = await leader.client.listCalibrations({ params: { reactor_unit: '$broadcast' } });
        expect(accepted).toMatchObject({ status: 'accepted', result_url_path: expect.stringMatching(/^\/unit_api\//) });
        const read = async () => {
          const answer = await fetch(leader.url + accepted.result_url_path);
          const body: unknown = await answer.json();
          return { status: answer.status, body };
        };
        let seen = await read();
        while (seen.status === 202) {
          expect(seen.body).toMatchObject({ status: expect.stringMatching(/^(pending|running)$/) });
          await pass();
          seen = await read();
        }
        expect(seen).toMatchObject({
          status: 200,
          body: {
            task_id: accepted.task_id,
            status: 'succeeded',
            result: { unit1: { ok: true, unit: 'unit1', value: {} } },
          },
        });
        const params = { task_id: '00000000-0000-4000-8000-000000000000' };
        (await leader.api.call('getTaskResult', { params })).expect(404, 'task_not_found');
      },
    },
    {
      rule: 'the refusal of a unit is an entry with ok false and a message; the entries of other units are unaffected',
      level: 'feature',
      shows: async ({ leader }) => {
        const params = { reactor_unit: 'unit1', device: 'media_pump', cal_name: 'absent' };
        const task = await leader.finished(await leader.client.getCalibration({ params }));
        expect(task).toMatchObject({
          status: 'succeeded',
          result: { unit1: { ok: false, unit: 'unit1', error: { message: expect.any(String) } } },
        });
      },
    },
    {
      rule: 'an error has the texts error, cause and remediation',
      level: 'feature',
      shows: async ({ leader }) => {
        const answer = await fetch(`${leader.url}/api/experiments/nowhere`);
        expect(answer.status).toBe(404);
        expect(await answer.json()).toMatchObject({
          error: expect.any(String),
          cause: expect.any(String),
          remediation: expect.any(String),
          status: 404,
        });
      },
    },
  ],
};
