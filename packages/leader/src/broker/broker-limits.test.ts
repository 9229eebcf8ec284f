import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, describe, expect, it, vi } from 'vitest';
import WebSocket from 'ws';
import { bytesOf, connectPacket, publishPacket, RawClient, subscribePacket } from '../testing/raw-client.ts';
import { embeddedBroker } from '../testing/test-brokers.ts';
import type { BrokerLimits } from './broker-limits.ts';

const kB = 1024;
const MB = 1024 * kB;
const cleanUps: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

async function start(limits: Partial<BrokerLimits> = {}) {
  const { close, log, tcpUrl, webSocketUrl } = await embeddedBroker({ limits });
  cleanUps.push(close);
  return {
    log,
    webSocketUrl,
    warnings: () => log.messages('warn'),
    open: () => RawClient.open(tcpUrl),
    connect: (options: Parameters<typeof RawClient.connect>[1] = {}) => RawClient.connect(tcpUrl, options),
  };
}

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

/** The memory that is in use, buffers included. */
function memoryBytes(): number {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

describe('limits of the embedded broker', () => {
  it('refuses 40 retained payloads of 16 MB before they have come, and does not grow', async () => {
    const { connect, warnings } = await start();
    const packet = bytesOf(publishPacket('flood/a', Buffer.alloc(16 * MB), { retain: true }));
    const before = memoryBytes();
    for (let index = 0; index < 40; index += 1) {
      const client = await connect({ clientId: 'flood' });
      client.send(packet);
      await client.closed;
    }
    // What the clients of this test had to send is in memory until their sockets are gone.
    await vi.waitFor(() => expect(memoryBytes() - before).toBeLessThan(20 * MB), { timeout: 10_000 });
    expect(warnings()).toEqual(['An MQTT client sent a packet that is too long']);
    const reader = await connect();
    await reader.subscribe('flood/#');
    expect(await reader.messages()).toEqual([]);
  });

  it('takes a payload of exactly 256 kB, and disconnects for one byte more', async () => {
    const { connect } = await start();
    const reader = await connect();
    await reader.subscribe('a/#');
    const client = await connect();
    await client.publish('a/b', Buffer.alloc(256 * kB));
    expect((await reader.next('publish')).payload).toHaveLength(256 * kB);
    client.send(publishPacket('a/b', Buffer.alloc(256 * kB + 1)));
    await client.closed;
  });

  it('delivers retained messages beyond the limit of one client and does not keep them, and keeps those of others', async () => {
    const { connect, warnings } = await start({ clientRetainedTopics: 10 });
    const there = await connect();
    await there.subscribe('#');
    const greedy = await connect({ clientId: 'greedy' });
    for (let index = 0; index < 15; index += 1) await greedy.publish(`greedy/${index}`, 'x', { retain: true });
    expect(await there.messages()).toHaveLength(15);
    await (await connect({ clientId: 'modest' })).publish('modest/a', 'x', { retain: true });
    const later = await connect();
    await later.subscribe('#');
    expect(await later.messages()).toHaveLength(11);
    expect(warnings()).toEqual(['A retained MQTT message was delivered and not stored: a limit is reached']);
    // What is cleared makes room.
    for (let index = 0; index < 10; index += 1) await greedy.publish(`greedy/${index}`, '', { retain: true });
    await greedy.publish('greedy/again', 'x', { retain: true });
    const last = await connect();
    await last.subscribe('greedy/#');
    expect(await last.messages()).toEqual(['greedy/again x']);
  });

  it('keeps no old value of a topic whose new one exceeds a limit', async () => {
    const { connect } = await start({ clientRetainedBytes: 1000 });
    const writer = await connect({ clientId: 'writer' });
    await writer.publish('a', 'old', { retain: true });
    await writer.publish('a', 'x'.repeat(2000), { retain: true });
    const reader = await connect();
    await reader.subscribe('a');
    expect(await reader.messages()).toEqual([]);
  });

  it('does not grow by 100,000 retained topics of clients under many names', async () => {
    const { connect, warnings } = await start({ retainedTopics: 2_000, clientRetainedTopics: 500 });
    const before = memoryBytes();
    for (let name = 0; name < 20; name += 1) {
      const client = await connect({ clientId: `many-${name}` });
      for (let index = 0; index < 5_000; index += 500) {
        const packets = Array.from({ length: 500 }, (_, at) =>
          publishPacket(`many/${name}/${index + at}`, 'x', { retain: true }),
        );
        client.send(...packets);
      }
      await client.pending();
      await client.end();
    }
    expect(memoryBytes() - before).toBeLessThan(10 * MB);
    expect(warnings()).toHaveLength(20);
    const reader = await connect();
    reader.send(subscribePacket(1, 'many/#'));
    for (let count = 0; count < 2_000; count += 1) await reader.next('publish');
    expect(await reader.messages()).toEqual([]);
  });

  it('refuses further connections over TCP, and by WebSocket with 503, until one ends', async () => {
    const { open, connect, webSocketUrl, warnings } = await start({ connections: 3 });
    const clients = [await connect(), await connect(), await connect()];
    const refused = await open();
    await refused.closed;
    const status = await new Promise((resolve) => {
      const webSocket = new WebSocket(webSocketUrl, 'mqtt');
      webSocket.on('error', () => {});
      webSocket.on('unexpected-response', (_, { statusCode, headers }) =>
        resolve([statusCode, headers['retry-after']]),
      );
    });
    expect(status).toEqual([503, '10']);
    expect(warnings()).toEqual(['An MQTT client was refused: too many connections']);
    await clients[0]?.end();
    for (let isServed = false; !isServed; ) {
      isServed = await connect().then(
        () => true,
        () => false,
      );
    }
  });

  it('refuses subscriptions beyond those of one client and of all, and serves the others', async () => {
    const { connect, warnings } = await start({ clientSubscriptions: 3, subscriptions: 5 });
    const first = await connect({ clientId: 'first' });
    expect(await first.subscribe('a', 'b', 'c', 'd')).toEqual([0, 0, 0, 128]);
    expect(await first.subscribe(['a', 1])).toEqual([1]);
    const second = await connect({ clientId: 'second' });
    expect(await second.subscribe('a', 'b', 'c')).toEqual([0, 0, 128]);
    await first.end();
    expect(await second.subscribe('c')).toEqual([0]);
    expect(warnings()).toHaveLength(2);
  });

  it('refuses filters and topics of more than 32 levels or 1,024 bytes', async () => {
    const { connect } = await start();
    const client = await connect();
    const deep = Array<string>(33).fill('a').join('/');
    expect(await client.subscribe(deep, 'a'.repeat(1025), 'a'.repeat(1024))).toEqual([128, 128, 0]);
    client.send(publishPacket(deep, 'x'));
    await client.closed;
    const other = await connect();
    other.send(publishPacket('a'.repeat(1025), 'x'));
    await other.closed;
  });

  it('ends the session of a client that is away and for which too much waits: it comes back to none', async () => {
    const { connect, open, warnings } = await start({ clientBufferBytes: 64 * kB });
    const lasting = { clientId: 'away', clean: false };
    const before = await connect(lasting);
    await before.subscribe(['a', 1]);
    await before.end();
    const writer = await connect();
    for (let index = 0; index < 70; index += 1) await writer.publish('a', 'x'.repeat(kB));
    const after = await open();
    after.send(connectPacket(lasting));
    expect((await after.next('connack')).sessionPresent).toBe(false);
    expect(warnings()).toEqual(['The queue of an MQTT client exceeds its limit; its session was ended']);
  });

  it('disconnects a client that confirms nothing when too much waits for it', async () => {
    const { connect, warnings } = await start({ clientBufferBytes: 64 * kB });
    const mute = await connect({ clientId: 'mute' });
    await mute.subscribe(['a', 1]);
    const writer = await connect();
    for (let index = 0; index < 140; index += 1) await writer.publish('a', 'x'.repeat(kB));
    await mute.closed;
    expect(warnings()).toEqual(['The queue of an MQTT client exceeds its limit; its session was ended']);
    await writer.publish('a', 'x');
  });

  it('keeps the sessions of the newest absent clients only', async () => {
    const { connect, open } = await start({ absentSessions: 2 });
    for (const clientId of ['one', 'two', 'three']) {
      const client = await connect({ clientId, clean: false });
      await client.subscribe(['a', 1]);
      await client.end();
    }
    const present = async (clientId: string) => {
      const client = await open();
      client.send(connectPacket({ clientId, clean: false }));
      return (await client.next('connack')).sessionPresent;
    };
    expect([await present('one'), await present('two'), await present('three')]).toEqual([false, true, true]);
  });

  it('serves others while one client sends packets as fast as it can', async () => {
    const { connect } = await start();
    const readers = await Promise.all(Array.from({ length: 5 }, () => connect()));
    for (const reader of readers) await reader.subscribe('flood');
    const flood = await connect();
    flood.send(...Array.from({ length: 20_000 }, () => publishPacket('flood', 'x')));
    const other = await connect();
    const began = performance.now();
    await other.pending();
    expect(performance.now() - began).toBeLessThan(1_000);
    await flood.pending();
    for (const reader of readers) expect(await reader.messages()).toHaveLength(20_000);
  });
});
