import { once } from 'node:events';
import { createServer } from 'node:http';
import { StartupError, VirtualClock } from '@lcs/platform';
import { expect, it } from 'vitest';
import { PluginIndex } from './plugin-index.ts';

it('gives up an index that does not answer within 5 s, and tries it again after 30 s', async () => {
  let asked = Promise.withResolvers<void>();
  const server = createServer(() => asked.resolve()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const clock = new VirtualClock();
  const index = new PluginIndex({ url: async () => `http://127.0.0.1:${port}/`, clock, wire: clock });
  try {
    const reading = index.read();
    await asked.promise;
    await clock.advance(5_000);
    expect(await reading).toEqual({
      source: `127.0.0.1:${port}`,
      readAtMs: null,
      problem: expect.stringContaining('5 s'),
      plugins: [],
    });
    expect(await index.read()).toBe(await reading);
    asked = Promise.withResolvers<void>();
    await clock.advance(30_000);
    const second = index.read();
    await asked.promise;
    await clock.advance(5_000);
    expect(await second).toMatchObject({ plugins: [] });
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

const readingOf = (url: () => Promise<string>) => {
  const clock = new VirtualClock();
  return new PluginIndex({ url, clock, wire: clock }).read();
};

it.each(['http://ada:hush@127.0.0.1:1/', 'ada:hush@nowhere', 'ftp://ada:hush@127.0.0.1/', 'http//ada:hush@nowhere'])(
  'refuses %s, and shows no password',
  async (url) => {
    const reading = await readingOf(async () => url);
    expect(reading).toMatchObject({ plugins: [], problem: expect.stringContaining('index_url') });
    expect(JSON.stringify(reading)).not.toContain('hush');
  },
);

it('reports a file of settings that cannot be read', async () => {
  const problem = 'leader.ini cannot be used: line 3: …';
  const reading = await readingOf(() => Promise.reject(new StartupError(problem)));
  expect(reading).toEqual({ source: null, readAtMs: null, problem, plugins: [] });
});
