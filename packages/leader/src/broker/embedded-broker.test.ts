import { once } from 'node:events';
import { connect as connectSocket } from 'node:net';
import { memoryLog, realClock, StartupError } from '@lcs/platform';
import { connectAsync, type IClientOptions, type MqttClient } from 'mqtt';
import { afterEach, describe, expect, it } from 'vitest';
import { RawClient } from '../testing/raw-client.ts';
import { EmbeddedBroker, type EmbeddedBrokerOptions } from './embedded-broker.ts';

const cleanUps: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

const never = new AbortController().signal;

async function startBroker(options: Partial<EmbeddedBrokerOptions> = {}) {
  const log = memoryLog();
  const broker = new EmbeddedBroker({ wire: realClock(), log, port: 0, ...options });
  await broker.start(never);
  cleanUps.push(() => broker.stop());
  return { broker, log };
}

async function connect(broker: EmbeddedBroker, options: IClientOptions = {}): Promise<MqttClient> {
  const client = await connectAsync(`mqtt://127.0.0.1:${broker.port}`, {
    protocolVersion: 4,
    reconnectPeriod: 0,
    ...options,
  });
  client.on('error', () => {});
  cleanUps.push(() => client.endAsync(true));
  return client;
}

/** The next message of a client, as text. */
const nextMessage = (client: MqttClient) =>
  new Promise<{ topic: string; text: string; retained: boolean }>((resolve) => {
    client.once('message', (topic, payload, { retain }) => resolve({ topic, text: String(payload), retained: retain }));
  });

/** A client that subscribes to everything and then never reads. */
async function freeze(broker: EmbeddedBroker): Promise<void> {
  const socket = connectSocket(broker.port, '127.0.0.1');
  socket.on('error', () => {});
  cleanUps.push(async () => socket.destroy());
  await once(socket, 'connect');
  const text = (value: string) => [0, value.length, ...Buffer.from(value)];
  const packet = (type: number, ...content: number[]) => Buffer.from([type, content.length, ...content]);
  socket.write(packet(0x10, ...text('MQTT'), 4, 2, 0, 0, ...text('frozen')));
  await once(socket, 'data');
  socket.write(packet(0x82, 0, 1, ...text('#'), 0));
  await once(socket, 'data');
  socket.pause();
}

describe('EmbeddedBroker', () => {
  it('delivers a retained message to later subscribers', async () => {
    const { broker } = await startBroker();
    broker.publish('reactor/rx01/$experiment/assignment', '{"experiment":null}', { retain: true });
    const client = await connect(broker);
    const message = nextMessage(client);
    await client.subscribeAsync('reactor/+/$experiment/assignment');
    expect(await message).toEqual({
      topic: 'reactor/rx01/$experiment/assignment',
      text: '{"experiment":null}',
      retained: true,
    });
  });

  it('carries messages from client to client, and none that was not retained to one that comes later', async () => {
    const { broker } = await startBroker();
    const reader = await connect(broker);
    const writer = await connect(broker);
    await reader.subscribeAsync('a/#', { qos: 1 });
    broker.publish('a/before', 'x');
    expect((await nextMessage(reader)).topic).toBe('a/before');
    const message = nextMessage(reader);
    await writer.publishAsync('a/b', 'hello', { qos: 1 });
    expect(await message).toMatchObject({ topic: 'a/b', text: 'hello', retained: false });
  });

  it('loses none of several messages sent at once, to a client that takes them all', async () => {
    const { broker } = await startBroker();
    const client = await connect(broker);
    await client.subscribeAsync(['#', 'assignment/+']);
    const topics: string[] = [];
    client.on('message', (topic) => topics.push(topic));
    broker.publish('assignment/rx01', 'x', { retain: true });
    broker.publish('logs/first', 'x');
    broker.publish('dosing', 'x', { qos: 1 });
    broker.publish('logs/second', 'x');
    const writer = await connect(broker);
    const last = new Promise((resolve) => client.on('message', (topic) => topic === 'last' && resolve(topic)));
    await writer.publishAsync('last', 'x');
    await last;
    expect(topics.toSorted()).toEqual(['assignment/rx01', 'dosing', 'last', 'logs/first', 'logs/second']);
  });

  it('delivers once by overlapping filters, with the highest quality of them, as Mosquitto does not', async () => {
    const { broker } = await startBroker();
    const url = `mqtt://127.0.0.1:${broker.port}`;
    const reader = await RawClient.connect(url);
    cleanUps.push(() => reader.end());
    await reader.subscribe(['a/#', 0], ['a/+', 2], ['a/b', 1]);
    broker.publish('a/b', 'x', { qos: 2 });
    expect(await reader.pending()).toMatchObject([{ cmd: 'publish', topic: 'a/b', qos: 2 }]);
  });

  it('serves the others without delay while one client has stopped reading, and disconnects that one', async () => {
    const { broker, log } = await startBroker({ limits: { clientBufferBytes: 256 * 1024 } });
    await freeze(broker);
    const reader = await connect(broker);
    const writer = await connect(broker);
    await reader.subscribeAsync('data/#');
    const payload = 'x'.repeat(64 * 1024);
    // Much more than the system's own buffers hold for the frozen one.
    for (let index = 0; index < 400; index++) {
      const message = nextMessage(reader);
      await writer.publishAsync(`data/${index}`, payload, { qos: 1 });
      expect((await message).topic).toBe(`data/${index}`);
    }
    expect(log.messages('warn')).toEqual(['An MQTT client does not read and was disconnected']);
  });

  it('accepts topics of 32 levels, refuses deeper ones and continues', async () => {
    const { broker, log } = await startBroker();
    const levels = (count: number) => Array<string>(count).fill('a').join('/');
    broker.publish(levels(32), 'x');
    expect(log.messages('error')).toEqual([]);
    broker.publish(levels(33), 'x');
    expect(log.messages('error')).toEqual(['A message was not published: its topic is too long']);
    const client = await connect(broker);
    expect(client.connected).toBe(true);
  });

  it('causes no failure when it is not running, and logs it once', () => {
    const log = memoryLog();
    const broker = new EmbeddedBroker({ wire: realClock(), log, port: 0 });
    broker.publish('a', 'x');
    broker.publish('b', 'x');
    expect(log.messages('error')).toHaveLength(1);
  });

  it('reports in one sentence that its port is in use', async () => {
    const { broker } = await startBroker();
    const second = new EmbeddedBroker({ wire: realClock(), log: memoryLog(), port: broker.port });
    const start = second.start(never);
    await expect(start).rejects.toBeInstanceOf(StartupError);
    await expect(start).rejects.toThrow(`The MQTT port ${broker.port} on 127.0.0.1 is in use`);
  });

  it('disconnects all clients when it stops, also connections without a packet, and can start again', async () => {
    const { broker } = await startBroker();
    const client = await connect(broker);
    const mute = connectSocket(broker.port, '127.0.0.1');
    mute.on('error', () => {});
    await once(mute, 'connect');
    const clientClosed = new Promise((resolve) => client.once('close', () => resolve(undefined)));
    const closed = Promise.all([clientClosed, once(mute, 'close')]);
    await broker.stop();
    await closed;
    await broker.start(never);
    expect((await connect(broker)).connected).toBe(true);
  });
});
