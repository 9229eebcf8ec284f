import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import { join } from 'node:path';
import { AvailablePlugins } from '@lcs/contract';
import { advanceableClock, type LeaderUnderTest, startLeader, temporaryFolder } from '@lcs/testkit';
import { Value } from 'typebox/value';
import { describe, expect, it } from 'vitest';
import { observe } from '../observe.ts';

/** A registry on this machine; its behaviour can change. */
async function startRegistry(first: RequestListener) {
  const registry = { answer: first, asked: 0 };
  const server = createServer((request, response) => {
    registry.asked += 1;
    registry.answer(request, response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    registry,
    host: `127.0.0.1:${port}`,
    url: `http://127.0.0.1:${port}/-/v1/search?text=keywords:lcs-plugin`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

const rocker = {
  package: { name: 'rocker', version: '1.2.0', description: 'Rocks the vial', author: { name: 'Lab' } },
};
const json =
  (body: unknown, status = 200): RequestListener =>
  (_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  };
const list = json({ objects: [rocker], total: 1 });

const read = async (leader: LeaderUnderTest) =>
  Value.Parse(AvailablePlugins, (await leader.api.call('listAvailablePlugins')).expect(200));

describe('the index of plugins', () => {
  it('is read for the web UI, at most every ten minutes; a failure keeps the list with its time', async () => {
    await using index = await startRegistry(list);
    const wire = advanceableClock();
    await using leader = await startLeader({
      observe,
      configure: { pluginIndexUrl: index.url, wire: wire.clock },
    });
    const first = await read(leader);
    expect(first).toMatchObject({ source: index.host, problem: null, plugins: [{ name: 'rocker', author: 'Lab' }] });
    expect(await read(leader)).toEqual(first);
    expect(index.registry.asked).toBe(1);

    index.registry.answer = json({}, 503);
    wire.pass(600_000);
    await leader.clock.advance(600_000);
    const [failed] = await Promise.all([read(leader), read(leader)]);
    expect(failed).toEqual({ ...first, problem: expect.stringContaining('503') });
    expect(index.registry.asked).toBe(2);

    index.registry.answer = list;
    wire.pass(30_000);
    const again = await read(leader);
    expect(again.problem).toBeNull();
    expect(Date.parse(String(again.checked_at)) - Date.parse(String(first.checked_at))).toBe(600_000);
  });

  it.each<[string, RequestListener]>([
    ['another structure', json([])],
    ['no JSON', (_request, response) => response.end('<html>')],
    ['a redirect', (_request, response) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end()],
    ['too long an answer', (_request, response) => response.end(Buffer.alloc(1_100_000, ' '))],
    ['a cut answer', (_request, response) => response.writeHead(200, { 'content-length': '100' }).destroy()],
  ])('that gives %s is a problem in the answer, never an error', async (_, answer) => {
    await using index = await startRegistry(answer);
    await using leader = await startLeader({ observe, configure: { pluginIndexUrl: index.url } });
    expect(await read(leader)).toMatchObject({
      source: index.host,
      checked_at: null,
      problem: expect.any(String),
      plugins: [],
    });
  });

  it('is that of leader.ini, and can be switched off; the answer states whether installations are allowed', async () => {
    await using index = await startRegistry(list);
    await using folder = await temporaryFolder('leader');
    await mkdir(folder.path, { recursive: true });
    const setting = (url: string) => writeFile(join(folder.path, 'leader.ini'), `[plugins]\nindex_url=${url}\n`);
    await setting('off');
    await using leader = await startLeader({
      observe,
      dataFolder: folder.path,
      configure: { pluginIndexUrl: undefined },
    });
    expect(await read(leader)).toEqual({
      source: null,
      checked_at: null,
      problem: null,
      install_problem: expect.stringContaining('allow_install'),
      plugins: [],
    });
    await setting('ftp://example.org');
    expect(await read(leader)).toMatchObject({ problem: expect.stringContaining('index_url'), plugins: [] });
    await setting(index.url);
    const code = `${await leader.client.getSharedConfig()}\n[plugins]\nallow_install=1\n`;
    await leader.client.saveSharedConfig({ body: { code } });
    expect(await read(leader)).toMatchObject({ problem: null, install_problem: null, plugins: [{ name: 'rocker' }] });
  });
});
