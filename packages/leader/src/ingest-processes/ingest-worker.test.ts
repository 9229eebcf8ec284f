import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { duplexPair } from 'node:stream';
import { loadIdentityKey } from '@lcs/node';
import { realClock, silentLog } from '@lcs/platform';
import { expect, it, vi } from 'vitest';
import { testAnswer, testEpoch, testSample } from '../testing/test-feed.ts';
import { testIngest } from '../testing/test-ingest.ts';
import type { FromIngest, ToIngest } from './ingest-messages.ts';
import { IngestWorker } from './ingest-worker.ts';
import { MessageChannel } from './message-channel.ts';

/** A unit whose feed has one reading, of an experiment that nobody knows. */
async function unitWithOneReading() {
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://unit');
    const isRead = pathname === '/unit_api/feed';
    // A long poll without news.
    if (isRead && searchParams.get('after') !== '0') return;
    const body = isRead ? testAnswer([testSample(1)], { reactor_unit: 'u1' }) : { status: 'success', acked_seq: 1 };
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(body));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const dispose = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${port}`, [Symbol.dispose]: dispose };
}

it('an ingest process passes on what it has stored, and what it has written into the event log', async () => {
  await using store = await testIngest();
  using unit = await unitWithOneReading();
  const folder = await mkdtemp(join(tmpdir(), 'lcs-ingest-key-'));
  const identityKey = await loadIdentityKey(folder);
  await rm(folder, { recursive: true });
  const wire = realClock();
  const { database } = store;
  const worker = new IngestWorker({
    ...{ process: 'p', leaderId: 'l', identityKey, database, clock: wire, wire, log: silentLog() },
    random: () => 0,
    hostSynced: () => true,
  });
  const [mine, theirs] = duplexPair();
  const head = Buffer.alloc(0);
  const leaving = new AbortController();
  const served = worker.serve({ socket: theirs, head }, leaving.signal, async () => {});
  const received: FromIngest[] = [];
  const channel: MessageChannel<ToIngest, FromIngest> = new MessageChannel({
    ...{ socket: mine, head, wire },
    onMessage: (message: FromIngest) => {
      received.push(message);
      if (message.is === 'stored') channel.send({ is: 'taken', number: message.number });
    },
  });
  const of = { unit: 'u1', url: unit.url, token: null, publicKey: null, machineId: null, epoch: testEpoch };
  channel.send({ is: 'follow', of, from: null });
  await vi.waitFor(
    () => {
      expect(received).toContainEqual(expect.objectContaining({ is: 'stored', batch: expect.anything() }));
      const entry = { level: 'ERROR', task: 'feed', reactor_unit: 'u1', experiment: '$experiment' };
      expect(received).toContainEqual({ is: 'logged', entry: expect.objectContaining(entry) });
    },
    { timeout: 20_000, interval: 20 },
  );
  expect(await database.read.selectFrom('logs').select('message').execute()).toHaveLength(1);
  leaving.abort();
  await served;
  channel.close();
});
