import type { Packet, QoS } from 'mqtt-packet';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { bytesOf, connectPacket, publishPacket, RawClient, subscribePacket, unsubscribePacket } from './raw-client.ts';
import type { BrokerUnderTest } from './test-brokers.ts';

/** What MQTT 3.1.1 promises to a client, packet by packet, of whatever broker there is, over TCP and by WebSocket. */
export function conformance(open: () => Promise<BrokerUnderTest>, door: 'tcpUrl' | 'webSocketUrl'): void {
  let broker: BrokerUnderTest;
  let name = 0;
  /** Topics and client ids of one test: the broker and what it retains are shared by all. */
  let own: string;
  let clients: RawClient[] = [];

  beforeAll(async () => {
    broker = await open();
  });
  afterAll(() => broker.close());
  afterEach(async () => {
    for (const client of clients) if (!client.isClosed) await client.end();
    clients = [];
  });

  const test = (promise: string, run: () => Promise<void>) =>
    it(promise, async () => {
      name += 1;
      own = `test${name}`;
      await run();
    });

  const connect = async (options: Parameters<typeof RawClient.connect>[1] = {}) => {
    const client = await RawClient.connect(broker[door], options);
    clients.push(client);
    return client;
  };
  const openOnly = async () => {
    const client = await RawClient.open(broker[door]);
    clients.push(client);
    return client;
  };

  describe('connections', () => {
    test('accepts a client without a name in a clean session', async () => {
      const client = await openOnly();
      client.send(connectPacket({ clientId: '', clean: true }));
      expect(await client.next('connack')).toMatchObject({ returnCode: 0, sessionPresent: false });
    });

    test('refuses a client without a name that wants a lasting session, and closes', async () => {
      const client = await openOnly();
      const bytes = bytesOf(connectPacket({ clientId: '', clean: true }));
      bytes[9] = 0;
      client.send(bytes);
      expect(await client.next('connack')).toMatchObject({ returnCode: 2 });
      await client.closed;
    });

    test('accepts version 3.1', async () => {
      const client = await openOnly();
      client.send(connectPacket({ protocolId: 'MQIsdp', protocolVersion: 3, clientId: own }));
      expect(await client.next('connack')).toMatchObject({ returnCode: 0 });
    });

    test('refuses a version that does not exist, and closes', async () => {
      const client = await openOnly();
      const bytes = bytesOf(connectPacket({ clientId: own }));
      bytes[8] = 9;
      client.send(bytes);
      await client.closed;
      expect(client.received.filter((packet) => packet.cmd === 'connack' && packet.returnCode === 0)).toEqual([]);
    });

    test('handles what came in one chunk with CONNECT, in order', async () => {
      const client = await openOnly();
      client.send(
        connectPacket({ clientId: own }),
        subscribePacket(7, `${own}/a`),
        publishPacket(`${own}/a`, 'x', { qos: 1, messageId: 8 }),
        { cmd: 'pingreq' },
      );
      await client.next('pingresp');
      expect(client.received.map(({ cmd }) => cmd).toSorted()).toEqual([
        'connack',
        'pingresp',
        'puback',
        'publish',
        'suback',
      ]);
      expect(client.received[0]?.cmd).toBe('connack');
      expect(client.received[1]?.cmd).toBe('suback');
    });

    test('closes the older connection of a client id', async () => {
      const before = await connect({ clientId: own });
      const after = await connect({ clientId: own });
      await before.closed;
      expect(await after.pending()).toEqual([]);
    });

    test('closes a client that is silent for one and a half times its keep-alive', async () => {
      const client = await connect({ clientId: own, keepalive: 1 });
      await client.closed;
    });
  });

  describe('subscriptions', () => {
    test('grants each filter of one packet its quality, in order', async () => {
      const client = await connect();
      expect(await client.subscribe([`${own}/a`, 0], [`${own}/b`, 1], [`${own}/c`, 2])).toEqual([0, 1, 2]);
    });

    test('delivers to a filter that was unsubscribed and subscribed again in one chunk', async () => {
      const client = await connect();
      await client.subscribe(`${own}/a`);
      client.send(unsubscribePacket(2, `${own}/a`), subscribePacket(3, `${own}/a`));
      await client.next('suback');
      await (await connect()).publish(`${own}/a`, 'x');
      expect(await client.messages()).toEqual([`${own}/a x`]);
    });

    test('delivers to 24 filters that were each unsubscribed and subscribed again in one chunk', async () => {
      const filters = Array.from({ length: 24 }, (_, index) => `${own}/${index}`);
      const client = await connect();
      await client.subscribe(...filters);
      client.send(
        ...filters.map((filter, index) => unsubscribePacket(100 + index, filter)),
        ...filters.map((filter, index) => subscribePacket(200 + index, filter)),
      );
      for (const _ of filters) await client.next('suback');
      const writer = await connect();
      for (const filter of filters) await writer.publish(filter, 'x');
      expect(await client.messages()).toEqual(filters.map((filter) => `${filter} x`));
    });

    test('delivers nothing to a filter that was subscribed and unsubscribed in one chunk', async () => {
      const client = await connect();
      client.send(subscribePacket(2, `${own}/a`), unsubscribePacket(3, `${own}/a`));
      await client.next('unsuback');
      await (await connect()).publish(`${own}/a`, 'x');
      expect(await client.messages()).toEqual([]);
    });

    test('acknowledges the end of a subscription that there was not', async () => {
      const client = await connect();
      client.send(unsubscribePacket(9, `${own}/a`));
      expect((await client.next('unsuback')).messageId).toBe(9);
    });

    test('replaces a subscription by one of another quality', async () => {
      const client = await connect();
      await client.subscribe([`${own}/a`, 0]);
      client.send(subscribePacket(2, [`${own}/a`, 1]));
      await client.next('suback');
      await (await connect()).publish(`${own}/a`, 'x');
      const messages = (await client.pending()).filter(({ cmd }) => cmd === 'publish');
      expect(messages).toMatchObject([{ topic: `${own}/a`, qos: 1 }]);
    });

    test('delivers by overlapping filters, once or by each of them', async () => {
      const client = await connect();
      await client.subscribe(`${own}/#`, `${own}/+`, `${own}/a`);
      await (await connect()).publish(`${own}/a`, 'x');
      expect([...new Set(await client.messages())]).toEqual([`${own}/a x`]);
    });

    test('continues to deliver by one of two overlapping filters when the other ends', async () => {
      const client = await connect();
      await client.subscribe(`${own}/#`, `${own}/a`);
      client.send(unsubscribePacket(2, `${own}/a`));
      await client.next('unsuback');
      await (await connect()).publish(`${own}/a`, 'x');
      expect(await client.messages()).toEqual([`${own}/a x`]);
    });

    const matches: readonly [filter: string, topic: string, isMatch: boolean][] = [
      ['/a/b', '/a/b', true],
      ['/a/+', '/a/b', true],
      ['/a/+', '/a/', true],
      ['/a/+', '/a', false],
      ['/a/+', '/a/b/c', false],
      ['/a/#', '/a', true],
      ['/a/#', '/a/', true],
      ['/a/#', '/a/b/c', true],
      ['/a/#', '/ab', false],
      ['/+/c', '/b/c', true],
      ['/+/c', '//c', true],
      ['/+/+/#', '/a/b', true],
      ['/+/+/#', '/a', false],
      ['/A', '/a', false],
      ['/å', '/å', true],
      ['/constructor/+', '/constructor/__proto__', true],
    ];
    test('matches topics by filters', async () => {
      const writer = await connect();
      for (const [filter, topic, isMatch] of matches) {
        const reader = await connect();
        await reader.subscribe(`${own}${filter}`);
        await writer.publish(`${own}${topic}`, 'x');
        expect([filter, await reader.messages()]).toEqual([filter, isMatch ? [`${own}${topic} x`] : []]);
        await reader.end();
      }
    });

    test('keeps topics that begin with $ from filters that begin with a wildcard', async () => {
      const writer = await connect();
      const [hash, plus, named] = [await connect(), await connect(), await connect()];
      await hash.subscribe('#');
      await plus.subscribe(`+/${own}/a`);
      await named.subscribe(`$own/${own}/#`);
      await writer.publish(`$own/${own}/a`, 'x');
      expect((await hash.messages()).filter((message) => message.includes(own))).toEqual([]);
      expect(await plus.messages()).toEqual([]);
      expect(await named.messages()).toEqual([`$own/${own}/a x`]);
    });

    test('keeps clients from publishing below $SYS/', async () => {
      const reader = await connect();
      await reader.subscribe(`$SYS/${own}/#`);
      const writer = await connect();
      writer.send(publishPacket(`$SYS/${own}/a`, 'x'), publishPacket(`${own}/after`, 'x'));
      await (await connect()).publish(`${own}/b`, 'x');
      expect(await reader.messages()).toEqual([]);
    });
  });

  describe('retained messages', () => {
    test('are given to whoever subscribes, marked, and are unmarked for those who were there', async () => {
      const there = await connect();
      await there.subscribe(`${own}/#`);
      await (await connect()).publish(`${own}/a`, 'x', { retain: true });
      expect(await there.next('publish')).toMatchObject({ topic: `${own}/a`, retain: false });
      const later = await connect();
      await later.subscribe(`${own}/#`);
      expect(await later.next('publish')).toMatchObject({ topic: `${own}/a`, retain: true });
    });

    test('are given again at each subscription to the same filter', async () => {
      await (await connect()).publish(`${own}/a`, 'x', { retain: true });
      const client = await connect();
      for (let round = 0; round < 3; round += 1) {
        await client.subscribe(`${own}/a`);
        expect(await client.next('publish')).toMatchObject({ topic: `${own}/a`, retain: true });
        expect(await client.messages()).toEqual([]);
      }
    });

    test('are given again after unsubscribing and subscribing in one chunk', async () => {
      await (await connect()).publish(`${own}/a`, 'x', { retain: true });
      const client = await connect();
      await client.subscribe(`${own}/a`);
      await client.next('publish');
      client.send(unsubscribePacket(2, `${own}/a`), subscribePacket(3, `${own}/a`));
      await client.next('suback');
      expect(await client.next('publish')).toMatchObject({ topic: `${own}/a`, retain: true });
    });

    test('are the newest of their topic, and are cleared by an empty one', async () => {
      const writer = await connect();
      await writer.publish(`${own}/a`, 'old', { retain: true });
      await writer.publish(`${own}/a`, 'new', { retain: true });
      await writer.publish(`${own}/b`, 'gone', { retain: true });
      await writer.publish(`${own}/b`, '', { retain: true });
      const reader = await connect();
      await reader.subscribe(`${own}/#`);
      expect(await reader.next('publish')).toMatchObject({ topic: `${own}/a` });
      expect(await reader.messages()).toEqual([]);
      expect(reader.received.map((packet) => packet.cmd === 'publish' && `${packet.payload}`)).toContain('new');
    });

    test('are found by wildcards as messages are', async () => {
      const writer = await connect();
      for (const topic of ['a', 'a/b', 'a/b/c', 'd/b']) await writer.publish(`${own}/${topic}`, 'x', { retain: true });
      const found = async (filter: string) => {
        const reader = await connect();
        await reader.subscribe(`${own}/${filter}`);
        return (await reader.messages()).map((message) => message.slice(own.length + 1, -2)).toSorted();
      };
      expect(await found('#')).toEqual(['a', 'a/b', 'a/b/c', 'd/b']);
      expect(await found('a/#')).toEqual(['a', 'a/b', 'a/b/c']);
      expect(await found('+/b')).toEqual(['a/b', 'd/b']);
      expect(await found('a/+/c')).toEqual(['a/b/c']);
      expect(await found('+')).toEqual(['a']);
      expect(await found('b')).toEqual([]);
    });

    test('have the lower of the two qualities', async () => {
      const writer = await connect();
      for (const qos of [0, 1, 2] as const) await writer.publish(`${own}/${qos}`, 'x', { retain: true, qos });
      for (const wanted of [0, 1, 2] as const) {
        const reader = await connect();
        await reader.subscribe([`${own}/#`, wanted]);
        for (const qos of [0, 1, 2] as const) {
          const packet = await reader.next('publish');
          expect(packet).toMatchObject({ topic: `${own}/${qos}`, qos: Math.min(qos, wanted) });
          if (packet.qos === 1) reader.send({ cmd: 'puback', messageId: packet.messageId ?? 0 });
        }
      }
    });

    test('all arrive, however many', async () => {
      const writer = await connect();
      const count = 2_000;
      for (let index = 0; index < count; index += 1) {
        writer.send(publishPacket(`${own}/${index}`, 'x'.repeat(100), { retain: true }));
      }
      await writer.pending();
      const reader = await connect();
      reader.send(subscribePacket(1, `${own}/#`));
      const topics = new Set<string>();
      while (topics.size < count) topics.add((await reader.next('publish')).topic);
    });
  });

  describe('qualities of service', () => {
    test('delivers with the lower of the two qualities', async () => {
      const writer = await connect();
      for (const wanted of [0, 1, 2] as const) {
        const reader = await connect();
        await reader.subscribe([`${own}/+`, wanted]);
        for (const qos of [0, 1, 2] as const) {
          await writer.publish(`${own}/a`, 'x', { qos });
          const packet = await reader.next('publish');
          expect([wanted, qos, packet.qos]).toEqual([wanted, qos, Math.min(wanted, qos)]);
          if (packet.qos === 1) reader.send({ cmd: 'puback', messageId: packet.messageId ?? 0 });
          if (packet.qos === 2) {
            reader.send({ cmd: 'pubrec', messageId: packet.messageId ?? 0 });
            expect((await reader.next('pubrel')).messageId).toBe(packet.messageId);
            reader.send({ cmd: 'pubcomp', messageId: packet.messageId ?? 0 });
          }
        }
        await reader.end();
      }
    });

    test('delivers a message of quality 2 once, though its publisher sends it twice', async () => {
      const reader = await connect();
      await reader.subscribe([`${own}/a`, 0]);
      const writer = await connect();
      writer.send(
        publishPacket(`${own}/a`, 'x', { qos: 2, messageId: 5 }),
        publishPacket(`${own}/a`, 'x', { qos: 2, messageId: 5, dup: true }),
      );
      for (const _ of [1, 2]) expect((await writer.next('pubrec')).messageId).toBe(5);
      writer.send({ cmd: 'pubrel', messageId: 5 });
      expect((await writer.next('pubcomp')).messageId).toBe(5);
      writer.send({ cmd: 'pubrel', messageId: 5 });
      expect((await writer.next('pubcomp')).messageId).toBe(5);
      await writer.publish(`${own}/a`, 'y');
      expect(await reader.messages()).toEqual([`${own}/a x`, `${own}/a y`]);
    });

    test('acknowledges a burst in one chunk in its order, and delivers it in its order', async () => {
      const reader = await connect();
      await reader.subscribe([`${own}/a`, 1]);
      const writer = await connect();
      const ids = Array.from({ length: 500 }, (_, index) => index + 1);
      writer.send(...ids.map((messageId) => publishPacket(`${own}/a`, `${messageId}`, { qos: 1, messageId })));
      for (const id of ids) expect((await writer.next('puback')).messageId).toBe(id);
      const texts: string[] = [];
      while (texts.length < ids.length) {
        const packet = await reader.next('publish');
        texts.push(`${packet.payload}`);
        reader.send({ cmd: 'puback', messageId: packet.messageId ?? 0 });
      }
      expect(texts).toEqual(ids.map(String));
    });

    test('delivers every message of a burst of all qualities, retained or not', async () => {
      const reader = await connect();
      await reader.subscribe([`${own}/#`, 0]);
      const writer = await connect();
      const sent = Array.from({ length: 60 }, (_, index) => index);
      writer.send(
        ...sent.map((index) =>
          publishPacket(`${own}/${index}`, 'x', {
            qos: ([0, 1, 2] as const)[index % 3] ?? 0,
            retain: index % 2 === 0,
            messageId: index + 1,
          }),
        ),
      );
      writer.send(...sent.map((index): Packet => ({ cmd: 'pubrel', messageId: index + 1 })));
      await writer.pending();
      const got: string[] = [];
      while (got.length < sent.length) got.push((await reader.next('publish')).topic.slice(own.length + 1));
      expect(got.map(Number).toSorted((a, b) => a - b)).toEqual(sent);
    });
  });

  describe('wills', () => {
    const will = (topic: string, retain = false, qos: QoS = 1) => ({
      topic,
      payload: Buffer.from('lost'),
      qos,
      retain,
    });
    const watch = async () => {
      const reader = await connect();
      await reader.subscribe([`${own}/#`, 1]);
      return reader;
    };

    test('are published for a client whose connection ends without DISCONNECT', async () => {
      const reader = await watch();
      await (await connect({ clientId: own, will: will(`${own}/will`) })).end('cut');
      expect(await reader.next('publish')).toMatchObject({ topic: `${own}/will`, retain: false, qos: 1 });
    });

    test('are not published for a client that disconnects', async () => {
      const reader = await watch();
      await (await connect({ clientId: own, will: will(`${own}/will`) })).end('disconnect');
      await (await connect()).publish(`${own}/after`, 'x');
      expect(await reader.messages()).toEqual([`${own}/after x`]);
    });

    test('are published for a client that is silent too long', async () => {
      const reader = await watch();
      await connect({ clientId: own, keepalive: 1, will: will(`${own}/will`) });
      expect(await reader.next('publish')).toMatchObject({ topic: `${own}/will` });
    });

    test('are published for a client that breaks the protocol', async () => {
      const reader = await watch();
      const client = await connect({ clientId: own, will: will(`${own}/will`) });
      client.send(Buffer.from([0xf0, 0]));
      expect(await reader.next('publish')).toMatchObject({ topic: `${own}/will` });
    });

    test('are published for a connection that another of its name replaces, and not for that one', async () => {
      const reader = await watch();
      await connect({ clientId: own, will: will(`${own}/first`) });
      const second = await connect({ clientId: own, will: will(`${own}/second`) });
      expect(await reader.next('publish')).toMatchObject({ topic: `${own}/first` });
      await second.pending();
      expect(await reader.messages()).toEqual([]);
    });

    test('stay when they are retained', async () => {
      const reader = await watch();
      await (await connect({ clientId: own, will: will(`${own}/will`, true) })).end('cut');
      expect(await reader.next('publish')).toMatchObject({ topic: `${own}/will`, retain: false });
      const later = await connect();
      await later.subscribe(`${own}/will`);
      expect(await later.next('publish')).toMatchObject({ topic: `${own}/will`, retain: true });
    });
  });

  describe('sessions', () => {
    const lasting = () => ({ clientId: own, clean: false });
    const again = async (options = lasting()) => {
      const client = await openOnly();
      client.send(connectPacket(options));
      return { client, connack: await client.next('connack') };
    };

    test('of a clean client end with its connection', async () => {
      const before = await connect({ clientId: own });
      await before.subscribe([`${own}/a`, 1]);
      await before.end();
      const { client, connack } = await again({ clientId: own, clean: true });
      expect(connack.sessionPresent).toBe(false);
      await (await connect()).publish(`${own}/a`, 'x');
      expect(await client.messages()).toEqual([]);
    });

    test('that last keep subscriptions and what was missed with quality 1 and 2, in order', async () => {
      const { client: before, connack: first } = await again();
      expect(first.sessionPresent).toBe(false);
      await before.subscribe([`${own}/#`, 2]);
      await before.end();
      const writer = await connect();
      await writer.publish(`${own}/1`, 'x', { qos: 1 });
      await writer.publish(`${own}/2`, 'x', { qos: 2 });
      await writer.publish(`${own}/3`, 'x', { qos: 1 });
      const { client, connack } = await again();
      expect(connack.sessionPresent).toBe(true);
      expect(await client.next('publish')).toMatchObject({ topic: `${own}/1`, qos: 1 });
      expect(await client.next('publish')).toMatchObject({ topic: `${own}/2`, qos: 2 });
      expect(await client.next('publish')).toMatchObject({ topic: `${own}/3`, qos: 1 });
      await writer.publish(`${own}/4`, 'x', { qos: 0 });
      expect(await client.next('publish')).toMatchObject({ topic: `${own}/4`, qos: 0 });
    });

    test('that last send again what was not acknowledged, marked, under the same number', async () => {
      const { client: before } = await again();
      await before.subscribe([`${own}/#`, 2]);
      const writer = await connect();
      await writer.publish(`${own}/1`, 'x', { qos: 1 });
      await writer.publish(`${own}/2`, 'x', { qos: 2 });
      const [one, two] = [await before.next('publish'), await before.next('publish')];
      expect([one.dup, two.dup]).toEqual([false, false]);
      await before.end('cut');
      const { client } = await again();
      expect(await client.next('publish')).toMatchObject({ topic: `${own}/1`, dup: true, messageId: one.messageId });
      expect(await client.next('publish')).toMatchObject({ topic: `${own}/2`, dup: true, messageId: two.messageId });
    });

    test('that last go on with PUBREL for a message of quality 2 that was received', async () => {
      const { client: before } = await again();
      await before.subscribe([`${own}/#`, 2]);
      await (await connect()).publish(`${own}/2`, 'x', { qos: 2 });
      const { messageId = 0 } = await before.next('publish');
      before.send({ cmd: 'pubrec', messageId });
      await before.next('pubrel');
      await before.end('cut');
      const { client } = await again();
      expect((await client.next('pubrel')).messageId).toBe(messageId);
      client.send({ cmd: 'pubcomp', messageId });
      expect(await client.messages()).toEqual([]);
    });

    test('that last know a message of quality 2 of their client over a new connection', async () => {
      const reader = await connect();
      await reader.subscribe(`${own}/a`);
      const { client: before } = await again();
      before.send(publishPacket(`${own}/a`, 'x', { qos: 2, messageId: 3 }));
      await before.next('pubrec');
      await before.end('cut');
      const { client } = await again();
      client.send(publishPacket(`${own}/a`, 'x', { qos: 2, messageId: 3, dup: true }));
      await client.next('pubrec');
      client.send({ cmd: 'pubrel', messageId: 3 });
      await client.next('pubcomp');
      expect(await reader.messages()).toEqual([`${own}/a x`]);
    });

    test('that last pass to the newer of two connections', async () => {
      const { client: before } = await again();
      await before.subscribe([`${own}/a`, 1]);
      const { client, connack } = await again();
      expect(connack.sessionPresent).toBe(true);
      await before.closed;
      await (await connect()).publish(`${own}/a`, 'x');
      expect(await client.messages()).toEqual([`${own}/a x`]);
    });

    test('that last end when their client comes back with a clean one', async () => {
      const { client: before } = await again();
      await before.subscribe([`${own}/a`, 1]);
      await before.end();
      const { client: clean, connack } = await again({ clientId: own, clean: true });
      expect(connack.sessionPresent).toBe(false);
      await clean.end();
      expect((await again()).connack.sessionPresent).toBe(false);
    });
  });

  describe('chunks', () => {
    test('takes packets that come byte by byte', async () => {
      const client = await openOnly();
      const bytes = Buffer.concat(
        [
          connectPacket({ clientId: own }),
          subscribePacket(2, `${own}/a`),
          publishPacket(`${own}/a`, 'x'.repeat(300), { qos: 1, messageId: 3 }),
        ].map(bytesOf),
      );
      for (const byte of bytes) {
        client.send(Buffer.from([byte]));
        await new Promise((resolve) => setImmediate(resolve));
      }
      await client.next('connack');
      await client.next('suback');
      expect((await client.pending()).map(({ cmd }) => cmd).toSorted()).toEqual(['puback', 'publish']);
    });

    test('takes a packet of 200 kB between others in one chunk', async () => {
      const client = await connect();
      client.send(
        subscribePacket(2, `${own}/a`),
        publishPacket(`${own}/a`, 'x'.repeat(200_000), { qos: 1, messageId: 3 }),
        publishPacket(`${own}/a`, 'end', { qos: 1, messageId: 4 }),
      );
      expect((await client.next('publish')).payload).toHaveLength(200_000);
      expect(`${(await client.next('publish')).payload}`).toBe('end');
    });
  });

  describe('malformed packets close their connection, and no other', () => {
    const topic = (text: string) => Buffer.concat([Buffer.from([0, text.length]), Buffer.from(text)]);
    const packet = (type: number, ...content: (number | Buffer)[]) => {
      const body = Buffer.concat(content.map((part) => (typeof part === 'number' ? Buffer.from([part]) : part)));
      return Buffer.concat([Buffer.from([type, body.length]), body]);
    };
    const malformed: readonly [what: string, bytes: Buffer][] = [
      ['an unknown type', packet(0xf0)],
      ['type 0', packet(0x00)],
      ['a length of five bytes', Buffer.from([0x30, 0xff, 0xff, 0xff, 0xff, 0x01])],
      ['a second CONNECT', bytesOf(connectPacket())],
      ['a publish of quality 3', packet(0x36, topic('a'), 0, 1, 0x78)],
      ['a publish without a topic', packet(0x30, topic(''), 0x78)],
      ['a publish to a wildcard', packet(0x30, topic('a/+'), 0x78)],
      ['a publish whose topic is longer than the packet', packet(0x30, 0, 9, 0x61)],
      ['a publish of quality 1 numbered 0', packet(0x32, topic('a'), 0, 0, 0x78)],
      ['a topic that is not UTF-8', packet(0x30, 0, 2, 0xc3, 0x28, 0x78)],
      ['a topic with a null', packet(0x30, topic('a\0b'), 0x78)],
      ['SUBSCRIBE with wrong flags', packet(0x80, 0, 1, topic('a'), 0)],
      ['SUBSCRIBE without a filter', packet(0x82, 0, 1)],
      ['SUBSCRIBE with quality 3', packet(0x82, 0, 1, topic('a'), 3)],
      ['SUBSCRIBE with # in the middle', packet(0x82, 0, 1, topic('a/#/b'), 0)],
      ['SUBSCRIBE with + in a word', packet(0x82, 0, 1, topic('a+/b'), 0)],
      ['UNSUBSCRIBE without a filter', packet(0xa2, 0, 1)],
      ['PUBREL with wrong flags', packet(0x60, 0, 1)],
    ];
    it.each(malformed)('%s', async (_, bytes) => {
      name += 1;
      own = `test${name}`;
      const other = await connect();
      await other.subscribe(`${own}/a`);
      const client = await connect();
      client.send(bytes, publishPacket(`${own}/a`, 'after'));
      await client.closed;
      await (await connect()).publish(`${own}/a`, 'x');
      expect(await other.messages()).toEqual([`${own}/a x`]);
    });

    it.each([
      ['another packet than CONNECT', bytesOf({ cmd: 'pingreq' } satisfies Packet)],
      ['text of another protocol', Buffer.from('GET / HTTP/1.1\r\nHost: a\r\n\r\n')],
      ['CONNECT of another protocol', packet(0x10, topic('MQTX'), 4, 2, 0, 0, topic('a'))],
      ['CONNECT with the reserved flag', packet(0x10, topic('MQTT'), 4, 3, 0, 0, topic('a'))],
      ['CONNECT that ends before the client id', packet(0x10, topic('MQTT'), 4, 2, 0, 0)],
      [
        'CONNECT with a will of quality 3',
        packet(0x10, topic('MQTT'), 4, 0x1e, 0, 0, topic('a'), topic('b'), topic('c')),
      ],
    ])('%s at the beginning', async (_, bytes) => {
      const client = await openOnly();
      client.send(bytes);
      await client.closed;
      expect(client.received.filter((answer) => answer.cmd === 'connack' && answer.returnCode === 0)).toEqual([]);
      expect(await (await connect()).pending()).toEqual([]);
    });
  });
}
