import { once } from 'node:events';
import { connect } from 'node:net';
import { createServer, getCACertificates, setDefaultCACertificates } from 'node:tls';
import { MqttConnection, type MqttConnectionOptions, memoryLog, realClock } from '@lcs/platform';
import { connectAsync, type MqttClient } from 'mqtt';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { testCertificate, testCertificateKey } from '../testing/test-certificate.ts';
import { EmbeddedBroker } from './embedded-broker.ts';

const never = new AbortController().signal;

describe('a connection to a broker that may be away', () => {
  const ending: (() => Promise<unknown>)[] = [];
  let broker: EmbeddedBroker;
  let port: number;

  beforeEach(async () => {
    broker = await brokerAt(0);
    port = broker.port;
  });

  afterEach(async () => {
    for (const end of ending.reverse()) await end();
    ending.length = 0;
    await broker.stop();
  });

  async function brokerAt(wanted: number): Promise<EmbeddedBroker> {
    const started = new EmbeddedBroker({ wire: realClock(), log: memoryLog(), port: wanted });
    await started.start(never);
    return started;
  }

  async function connection(options: Partial<MqttConnectionOptions> = {}) {
    let connected = Promise.withResolvers<void>();
    const made = new MqttConnection({
      url: () => `mqtt://127.0.0.1:${port}`,
      clientId: 'reactor-unit1',
      wire: realClock(),
      log: memoryLog(),
      onConnect: () => connected.resolve(),
      ...options,
    });
    await made.start();
    ending.push(() => made.stop());
    await connected.promise;
    return {
      made,
      again: () => {
        connected = Promise.withResolvers<void>();
        return connected.promise;
      },
    };
  }

  async function reader(): Promise<MqttClient> {
    const client = await connectAsync(`mqtt://127.0.0.1:${port}`);
    ending.push(() => client.endAsync(true));
    return client;
  }

  /** The first `count` messages below `reactor/` that reach a new reader. */
  async function messages(count: number): Promise<string[]> {
    const client = await reader();
    const got: string[] = [];
    const all = new Promise<void>((resolve) => {
      client.on('message', (topic, payload) => {
        got.push(`${topic} ${payload.toString()}`);
        if (got.length === count) resolve();
      });
    });
    await client.subscribeAsync('reactor/#', { qos: 2 });
    await all;
    return got.sort();
  }

  it('gives a broker that has forgotten everything the newest of each retained topic', async () => {
    const { made, again } = await connection();
    made.publish('reactor/unit1/e/stirring/$state', 'init', { retain: true, qos: 2 });
    made.publish('reactor/unit1/e/stirring/target_rpm', '500', { retain: true, qos: 2 });
    const reconnected = again();
    await broker.stop();
    made.publish('reactor/unit1/e/stirring/$state', 'ready', { retain: true, qos: 2 });
    made.publish('reactor/unit1/e/stirring/measured_rpm', '1', { retain: true, qos: 2 });
    made.publish('reactor/unit1/e/stirring/measured_rpm', '', { retain: true, qos: 2 });
    made.publish('reactor/unit1/e/dosing_events', 'one that nobody was there for');
    broker = await brokerAt(port);
    await reconnected;
    expect(await messages(2)).toEqual([
      'reactor/unit1/e/stirring/$state ready',
      'reactor/unit1/e/stirring/target_rpm 500',
    ]);
  });

  it('subscribes again, and distinguishes retained messages from new ones', async () => {
    const { made, again } = await connection();
    const got: [string, string, boolean][] = [];
    let next = Promise.withResolvers<void>();
    made.subscribe(['reactor/unit1/+/+/+/set'], (...message) => {
      got.push(message);
      next.resolve();
    });
    const reconnected = again();
    await broker.stop();
    broker = await brokerAt(port);
    broker.publish('reactor/unit1/e/stirring/target_rpm/set', '1', { retain: true });
    await reconnected;
    await next.promise;
    next = Promise.withResolvers<void>();
    broker.publish('reactor/unit1/e/stirring/target_rpm/set', '2');
    await next.promise;
    expect(got).toEqual([
      ['reactor/unit1/e/stirring/target_rpm/set', '1', true],
      ['reactor/unit1/e/stirring/target_rpm/set', '2', false],
    ]);
  });

  it('has its will published when the node is lost, and not when it stopped', async () => {
    const will = { topic: 'reactor/unit1/$experiment/monitor/$state', payload: 'lost' };
    const { made } = await connection({ will });
    made.publish(will.topic, 'ready', { retain: true });
    await made.stop();
    expect(await messages(1)).toEqual([`${will.topic} ready`]);
  });

  describe('over TLS', () => {
    /** The broker behind a door with TLS; answers its port. */
    async function tlsDoor(): Promise<number> {
      const door = createServer({ cert: testCertificate, key: testCertificateKey }, (socket) => {
        const inner = connect(port, '127.0.0.1');
        socket.on('error', () => inner.destroy());
        inner.on('error', () => socket.destroy());
        socket.pipe(inner).pipe(socket);
      });
      door.on('tlsClientError', () => {});
      await once(door.listen(0, '127.0.0.1'), 'listening');
      ending.push(async () => void door.close());
      const address = door.address();
      return typeof address === 'object' && address !== null ? address.port : 0;
    }

    it('reaches a broker whose certificate is trusted', async () => {
      const trusted = getCACertificates('default');
      setDefaultCACertificates([...trusted, testCertificate]);
      ending.push(async () => setDefaultCACertificates(trusted));
      const door = await tlsDoor();
      const { made } = await connection({ url: () => `mqtts://unit1:secret@127.0.0.1:${door}` });
      made.publish('reactor/unit1/e/stirring/$state', 'ready', { retain: true });
      expect(await messages(1)).toEqual(['reactor/unit1/e/stirring/$state ready']);
    });

    it('logs once why it refuses a broker with an untrusted certificate', async () => {
      const log = memoryLog();
      const said = Promise.withResolvers<void>();
      const warn: typeof log.warn = (message, fields) => {
        log.warn(message, fields);
        said.resolve();
      };
      const door = await tlsDoor();
      const made = new MqttConnection({
        url: () => `mqtts://unit1:secret@127.0.0.1:${door}`,
        clientId: 'reactor-unit1',
        wire: realClock(),
        log: { ...log, warn },
      });
      await made.start();
      ending.push(() => made.stop());
      await said.promise;
      expect(made.isConnected).toBe(false);
      expect(log.lines).toEqual([
        expect.objectContaining({
          level: 'warn',
          fields: { broker: `mqtts://127.0.0.1:${door}`, cause: expect.stringContaining('self-signed certificate') },
        }),
      ]);
    });
  });

  it('delivers what was published just before the stop', async () => {
    const client = await reader();
    const count = 200;
    const got: string[] = [];
    const all = new Promise<void>((resolve) => {
      client.on('message', (_topic, payload) => {
        got.push(payload.toString());
        if (got.length === count) resolve();
      });
    });
    await client.subscribeAsync('reactor/#', { qos: 2 });
    const { made } = await connection();
    for (let number = 0; number < count; number += 1) made.publish('reactor/unit1/x', `${number}`, { qos: 2 });
    await made.stop();
    await all;
    expect(got).toHaveLength(count);
  });
});
