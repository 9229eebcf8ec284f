import { expect } from 'vitest';
import { ask } from '../client.ts';
import { changes, reads, type UiPage } from '../page.ts';
import type { Shape } from '../shape.ts';

const history: Shape = [{ timestamp: 'time', data: 'text', filename: 'text' }];
const own = '/api/config/units/{U}/specific';
const code = '[stirring.config]\ninitial_target_rpm=470\n';

export const configuration: UiPage = {
  title: 'Configuration',
  testFile: 'logs-profiles-configuration.test.ts',
  requests: [
    reads('required', '/api/units', [{ reactor_unit: 'text' }]),
    reads('required', '/api/config/shared', 'INI text', { answer: 'text' }),
    reads('required', '/api/config/shared/history', history),
    changes('PATCH', own, 200, { body: { code } }),
    reads('required', own, 'INI text', { answer: 'text' }),
    reads('required', `${own}/history`, history),
    reads('feature', '/api/config/zipped', 'integer', { answer: 'file' }),
  ],
  rules: [
    {
      rule: 'a saved file is returned at once and is the first row of the history',
      level: 'required',
      shows: async (scene) => {
        const { client } = scene.leader;
        const before = await client.getSharedConfig();
        const rows = (await client.listSharedConfigHistory()).length;
        const saved = `${before}\n; by the test\n`;
        const request = changes('PATCH', '/api/config/shared', 200, { body: { code: saved } });
        expect((await ask(request, scene)).status).toBe(200);
        expect(await client.getSharedConfig()).toBe(saved);
        const after = await client.listSharedConfigHistory();
        expect(after.length).toBe(rows + 1);
        expect(after[0]?.data).toBe(saved);
        expect(new Set(after.map(({ timestamp }) => timestamp)).size).toBe(after.length);
      },
    },
    {
      rule: 'an invalid file is refused with an error text and changes nothing',
      level: 'feature',
      shows: async (scene) => {
        const before = await scene.leader.client.getSharedConfig();
        const request = changes('PATCH', '/api/config/shared', 400, { body: { code: `${before}\nno value\n[` } });
        const answer = await ask(request, scene);
        expect(answer.status).toBe(400);
        expect(await answer.json()).toMatchObject({ error: expect.any(String) });
        expect(await scene.leader.client.getSharedConfig()).toBe(before);
      },
    },
    {
      rule: 'a unit without an own file has an empty file and an empty history',
      level: 'required',
      shows: async ({ leader }) => {
        const of = (path: string) => fetch(`${leader.url}/api/config/units/lead/specific${path}`);
        const text = await of('');
        expect([text.status, await text.text()]).toEqual([200, '']);
        expect(await (await of('/history')).json()).toEqual([]);
      },
    },
  ],
};
