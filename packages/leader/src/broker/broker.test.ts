import { once } from 'node:events';
import { memoryLog, realClock } from '@lcs/platform';
import { connectAsync, type IClientOptions, type MqttClient } from 'mqtt';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import WebSocket from 'ws';
import {
  type BrokerUnderTest,
  embeddedBroker,
  isMosquittoInstalled,
  mosquittoBroker,
} from '../testing/test-brokers.ts';
import { openAccess } from './broker-access.ts';
import { createLeaderBroker } from './leader-broker.ts';

const cleanUps: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

const never = new AbortController().signal;

async function connect(url: string, options: IClientOptions = {}): Promise<MqttClient> {
  const client = await connectAsync(url, { protocolVersion: 4, reconnectPeriod: 0, ...options });
  client.on('error', () => {});
  cleanUps.push(() => client.endAsync(true));
  return client;
}

interface Message {
  readonly topic: string;
  readonly text: string;
  readonly retained: boolean;
}

const nextMessage = (client: MqttClient) =>
  new Promise<Message>((resolve) => {
    client.once('message', (topic, payload, { retain }) => resolve({ topic, text: String(payload), retained: retain }));
  });

const text = (value: string) => [0, value.length, ...Buffer.from(value)];
const packet = (type: number, ...content: number[]) => Buffer.from([type, content.length, ...content]);

/** A subscriber to everything, by WebSocket, that never reads: a page in a tab that the browser has frozen. */
async function freeze(url: string): Promise<WebSocket> {
  const webSocket = new WebSocket(url, 'mqtt');
  webSocket.on('error', () => {});
  cleanUps.push(async () => webSocket.terminate());
  await once(webSocket, 'open');
  webSocket.send(packet(0x10, ...text('MQTT'), 4, 2, 0, 0, ...text('frozen')));
  await once(webSocket, 'message');
  webSocket.send(packet(0x82, 0, 1, ...text('data/#'), 0));
  await once(webSocket, 'message');
  webSocket.pause();
  return webSocket;
}

/** What the leader, units and outside clients rely on in whatever broker there is. */
function brokerContract(open: () => Promise<BrokerUnderTest>): void {
  let broker: BrokerUnderTest;
  beforeAll(async () => {
    broker = await open();
  });
  afterAll(() => broker.close());

  it.each(['tcpUrl', 'webSocketUrl'] as const)('carries messages from and to %s', async (door) => {
    const reader = await connect(broker[door]);
    const writer = await connect(broker.tcpUrl);
    await reader.subscribeAsync('reactor/unit1/+/+/+/set', { qos: 1 });
    const arrived = nextMessage(reader);
    await writer.publishAsync('reactor/unit1/e/stirring/$state/no', 'x', { qos: 1 });
    await writer.publishAsync('reactor/unit1/e/stirring/target_rpm/set', '500', { qos: 1 });
    expect(await arrived).toEqual({ topic: 'reactor/unit1/e/stirring/target_rpm/set', text: '500', retained: false });
    await writer.subscribeAsync('back');
    const back = nextMessage(writer);
    await reader.publishAsync('back', 'x'.repeat(100_000), { qos: 2 });
    expect((await back).text).toHaveLength(100_000);
  });

  it('keeps the newest retained message of a topic until it is cleared', async () => {
    const writer = await connect(broker.tcpUrl);
    const topic = 'reactor/unit1/e/od_reading/$state';
    await writer.publishAsync(topic, 'init', { retain: true, qos: 2 });
    await writer.publishAsync(topic, 'ready', { retain: true, qos: 2 });
    const late = await connect(broker.webSocketUrl);
    const kept = nextMessage(late);
    await late.subscribeAsync('reactor/unit1/e/od_reading/#', { qos: 2 });
    expect(await kept).toEqual({ topic, text: 'ready', retained: true });
    await writer.publishAsync(topic, '', { retain: true, qos: 2 });
    const later = await connect(broker.tcpUrl);
    const first = nextMessage(later);
    await later.subscribeAsync('reactor/unit1/e/od_reading/#');
    await writer.publishAsync('reactor/unit1/e/od_reading/od1', 'new');
    expect((await first).topic).toBe('reactor/unit1/e/od_reading/od1');
  });

  it('publishes the will of a client whose connection was lost', async () => {
    const reader = await connect(broker.tcpUrl);
    await reader.subscribeAsync('reactor/unit2/#');
    const topic = 'reactor/unit2/$experiment/monitor/$state';
    const unit = await connect(broker.tcpUrl, {
      will: { topic, payload: Buffer.from('lost'), retain: true, qos: 1 },
    });
    const said = nextMessage(reader);
    unit.stream.destroy();
    expect(await said).toMatchObject({ topic, text: 'lost' });
  });

  it('serves the others while one has stopped reading', async () => {
    await freeze(broker.webSocketUrl);
    const reader = await connect(broker.tcpUrl);
    const writer = await connect(broker.tcpUrl);
    await reader.subscribeAsync('data/#', { qos: 1 });
    const payload = 'x'.repeat(64 * 1024);
    for (let index = 0; index < 200; index += 1) {
      const message = nextMessage(reader);
      await writer.publishAsync('data/od1', payload, { qos: 1, retain: true });
      expect((await message).topic).toBe('data/od1');
    }
    await writer.publishAsync('data/od1', '', { retain: true, qos: 1 });
  });

  it('delivers the messages of the leader by their topic', async () => {
    const leader = createLeaderBroker({
      settings: { mode: 'external', url: broker.tcpUrl, username: 'lead', password: 'secret' },
      leader: 'lead',
      access: openAccess,
      wire: realClock(),
      log: memoryLog(),
    });
    const topic = 'reactor/unit1/$experiment/assignment';
    leader.publish(topic, 'one', { retain: true });
    for (const part of leader.parts) {
      await part.start(never);
      cleanUps.push(() => part.stop());
    }
    const reader = await connect(broker.tcpUrl);
    const told = nextMessage(reader);
    await reader.subscribeAsync(topic);
    expect((await told).text).toBe('one');
    expect(leader.url).toBe(broker.tcpUrl);
  });
}

describe('the embedded broker', () => brokerContract(embeddedBroker));

describe.skipIf(!isMosquittoInstalled)('Mosquitto (skipped where it is not installed)', () =>
  brokerContract(() => mosquittoBroker()),
);

describe('the door for WebSockets', () => {
  it('disconnects a client that does not read, before others have to wait', async () => {
    const embedded = await embeddedBroker({ limits: { clientBufferBytes: 256 * 1024 } });
    cleanUps.push(embedded.close);
    const frozen = await freeze(embedded.webSocketUrl);
    const gone = once(frozen, 'close');
    const writer = await connect(embedded.tcpUrl);
    const payload = 'x'.repeat(64 * 1024);
    for (let index = 0; index < 400; index += 1) {
      await writer.publishAsync('data/od1', payload, { qos: 1, retain: true });
    }
    expect(embedded.log.messages('warn')).toEqual(['An MQTT client does not read and was disconnected']);
    frozen.resume();
    await gone;
  });

  it('is closed to pages of others', async () => {
    const embedded = await embeddedBroker();
    cleanUps.push(embedded.close);
    const webSocket = new WebSocket(embedded.webSocketUrl, 'mqtt', { origin: 'http://evil.example' });
    const [error] = await once(webSocket, 'error');
    expect(String(error)).toContain('403');
  });
});
