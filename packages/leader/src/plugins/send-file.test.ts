import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { VirtualClock } from '@lcs/platform';
import { expect, it } from 'vitest';
import { FileRejected, sendFile } from './send-file.ts';

/** Sends a small file to a node that behaves like this. */
async function sent(node: RequestListener, whileSending: (clock: VirtualClock) => Promise<void> = async () => {}) {
  const folder = await mkdtemp(join(tmpdir(), 'lcs-send-'));
  const path = join(folder, 'a.js');
  await writeFile(path, 'export default {};');
  const asked = Promise.withResolvers<void>();
  const server = createServer((request, response) => {
    asked.resolve();
    node(request, response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const wire = new VirtualClock();
  try {
    const { signal } = new AbortController();
    const outcome = sendFile(
      `http://127.0.0.1:${port}`,
      { path, fileName: 'a.js' },
      { signal, wire, nodeAgent: async () => undefined, nodeHeaders: () => ({}) },
    );
    const caught = outcome.catch((error: unknown) => error);
    await asked.promise;
    await whileSending(wire);
    return await caught;
  } finally {
    server.closeAllConnections();
    server.close();
    await rm(folder, { recursive: true });
  }
}

it('fails for a node that receives a file and does not answer', async () => {
  const error = await sent(
    () => {},
    (clock) => clock.advance(60_000),
  );
  expect(error).toBeInstanceOf(FileRejected);
  expect(String(error)).toContain('within 60 s');
});

it('takes an answer that cannot be read for a refusal', async () => {
  const error = await sent((_request, response) => {
    response.writeHead(500, { 'content-type': 'application/json' });
    response.end('{"half');
  });
  expect(error).toBeInstanceOf(FileRejected);
  expect(String(error)).toContain('HTTP 500');
});
