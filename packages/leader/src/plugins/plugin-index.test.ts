import { once } from 'node:events';
import { createServer } from 'node:http';
import { VirtualClock } from '@lcs/platform';
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
