import { PassThrough } from 'node:stream';
import { type Permission, rolePermissions } from '@lcs/contract';
import type { TopicCaller } from '@lcs/domain';
import { memoryLog, VirtualClock } from '@lcs/platform';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { connectPacket, publishPacket, RawClient } from '../testing/raw-client.ts';
import type { BrokerAccess } from './broker-access.ts';
import { defaultBrokerLimits } from './broker-limits.ts';
import { EmbeddedBroker } from './embedded-broker.ts';
import { type BrokerCommand, MqttBroker } from './mqtt-broker.ts';

const client = (permissions: ReadonlySet<Permission>): TopicCaller => ({ is: 'client', permissions });
const password = 'secret';

let rights: Map<string, TopicCaller>;
let wire: VirtualClock;
let log: ReturnType<typeof memoryLog>;
let broker: EmbeddedBroker;
let commands: BrokerCommand[];
let url = '';
const clients: RawClient[] = [];

/** Accounts of a map: who is removed from it has lost all rights. */
const access: BrokerAccess = (_, account) => {
  if (account === undefined) return 'notAllowed';
  const { username } = account;
  if (!rights.has(username) || account.password !== password) return 'wrongAccount';
  const identity = { kind: 'token', id: username, personId: '', name: username } as const;
  return { identity, owner: username, rights: () => rights.get(username) };
};

beforeEach(async () => {
  rights = new Map([
    ['leader', { is: 'unlimited' }],
    ['rx01', { is: 'unit', unit: 'rx01' }],
    ['viewer', client(rolePermissions.viewer)],
    ['operator', client(rolePermissions.operator)],
    ['logs', client(new Set<Permission>(['logs.read', 'experiments.read']))],
  ]);
  wire = new VirtualClock();
  log = memoryLog();
  commands = [];
  const limits = { messagesPerSecond: 10, accountConnections: 3, addressConnections: 2 };
  const onCommand = (command: BrokerCommand) => commands.push(command);
  broker = new EmbeddedBroker({ wire, log, port: 0, access, limits, onCommand });
  await broker.start(new AbortController().signal);
  url = `mqtt://127.0.0.1:${broker.port}`;
});
afterEach(async () => {
  for (const one of clients.splice(0)) await one.end('cut');
  await broker.stop();
});

const account = (username: string) => ({ username, password: Buffer.from(password) });

async function open(options: Parameters<typeof connectPacket>[0]): Promise<{ one: RawClient; code: unknown }> {
  const one = await RawClient.open(url);
  clients.push(one);
  one.send(connectPacket(options));
  return { one, code: (await one.next('connack')).returnCode };
}

async function as(username: string, options: Parameters<typeof connectPacket>[0] = {}): Promise<RawClient> {
  const { one, code } = await open({ ...account(username), ...options });
  expect(code).toBe(0);
  return one;
}

describe('connecting', () => {
  it.each([
    ['nobody', {}, 5],
    ['an unknown name', { username: 'x', password: Buffer.from(password) }, 4],
    ['a wrong password', { username: 'viewer', password: Buffer.from('x') }, 4],
    ['no password', { username: 'viewer' }, 4],
    ['a client under the name of a unit', { ...account('viewer'), clientId: 'reactor-rx01' }, 2],
    ['a unit under the name of another one', { ...account('rx01'), clientId: 'reactor-rx02' }, 2],
    ['a unit under its own name', { ...account('rx01'), clientId: 'reactor-rx01' }, 0],
  ])('%s', async (_, options, expected) => {
    const { one, code } = await open(options);
    expect(code).toBe(expected);
    if (expected !== 0) await one.closed;
  });

  it('does not give a session to another account, which the first one keeps', async () => {
    const first = await as('viewer', { clientId: 'page', clean: false });
    expect((await open({ ...account('operator'), clientId: 'page', clean: false })).code).toBe(2);
    await first.publish('other', 'x');
    expect(first.isClosed).toBe(false);
  });
});

describe('messages', () => {
  it('are acknowledged and dropped where the client may not publish, with one warning', async () => {
    const leader = await as('leader');
    await leader.subscribe('#');
    const viewer = await as('viewer', { clientId: 'page' });
    for (const qos of [0, 1, 2] as const)
      await viewer.publish('reactor/rx01/e/stirring/target_rpm/set', '500', { qos });
    for (let index = 0; index < 90; index += 1) viewer.send(publishPacket(`reactor/rx01/e/x${index}`, 'x'));
    await viewer.pending();
    const unit = await as('rx01', { clientId: 'reactor-rx01' });
    await unit.publish('reactor/rx02/e/stirring/$state', 'lost', { retain: true });
    await unit.publish('reactor/rx01/e/stirring/$state', 'ready');
    const operator = await as('operator');
    await operator.publish('reactor/rx01/e/stirring/target_rpm/set', '600');
    expect(await leader.messages()).toEqual([
      'reactor/rx01/e/stirring/$state ready',
      'reactor/rx01/e/stirring/target_rpm/set 600',
    ]);
    const warned = log.lines.filter(({ level }) => level === 'warn').map(({ fields }) => fields.client);
    expect(warned).toEqual(['page', 'reactor-rx01']);
  });

  it('of a will need the permission too', async () => {
    const leader = await as('leader');
    await leader.subscribe('#');
    const topic = 'reactor/rx02/e/monitor/$state';
    const will = { topic, payload: Buffer.from('lost'), qos: 0, retain: true } as const;
    const unit = await as('rx01', { clientId: 'reactor-rx01', will });
    await unit.end('cut');
    // The broker has seen the end of the connection when it accepts the name again as a new session.
    await as('rx01', { clientId: 'reactor-rx01' });
    expect(await leader.messages()).toEqual([]);
  });

  it('are delivered only to those who may read them, whatever the filter', async () => {
    const logs = await as('logs');
    expect(await logs.subscribe('reactor/#', '#', '$SYS/#')).toEqual([0, 0x80, 0x80]);
    broker.publish('reactor/rx01/e/camera/latest_still', '{}');
    broker.publish('reactor/rx01/e/stirring/$state', 'ready');
    broker.publish('reactor/rx01/e/logs/app/info', '{}');
    expect(await logs.messages()).toEqual(['reactor/rx01/e/logs/app/info {}']);
  });
});

describe('a client whose rights change', () => {
  it.each([
    ['nothing more', undefined],
    ['less', client(rolePermissions.viewer)],
  ])('is disconnected when it may do %s, and before that publishes nothing it may not', async (_, now) => {
    const leader = await as('leader');
    await leader.subscribe('#');
    const operator = await as('operator', { clientId: 'page' });
    if (now === undefined) rights.delete('operator');
    else rights.set('operator', now);
    await operator.publish('reactor/rx01/e/stirring/target_rpm/set', '600');
    expect(await leader.messages()).toEqual([]);
    await wire.advance(500);
    await operator.closed;
  });

  it('keeps its connection while its rights are the same', async () => {
    const operator = await as('operator');
    rights.set('operator', client(new Set(rolePermissions.operator)));
    await wire.advance(5_000);
    expect(await operator.messages()).toEqual([]);
  });
});

describe('limits of one account or address', () => {
  it('refuses further connections of an account, and not the continuation of its own sessions', async () => {
    const first = await as('viewer', { clientId: 'page' });
    for (let index = 0; index < 2; index += 1) await as('viewer');
    expect((await open(account('viewer'))).code).toBe(3);
    await as('operator');
    await as('viewer', { clientId: 'page' });
    await first.closed;
    for (let index = 0; index < 4; index += 1) await as('leader');
  });

  it('closes further connections of another machine', () => {
    const direct = new MqttBroker({ wire, log, access, limits: { ...defaultBrokerLimits, addressConnections: 2 } });
    const opened = (address: string) => {
      const stream = new PassThrough();
      direct.accept(stream, { address });
      return !stream.destroyed;
    };
    const other = '192.0.2.7';
    expect([other, other, other, '192.0.2.8', '127.0.0.1', '127.0.0.1', '127.0.0.1'].map(opened)).toEqual([
      true,
      true,
      false,
      true,
      true,
      true,
      true,
    ]);
    direct.close();
  });

  it('lets a client above its rate wait, loses none of its messages, and warns once', async () => {
    const leader = await as('leader');
    await leader.subscribe('#');
    const unit = await as('rx01', { clientId: 'reactor-rx01' });
    const sent = Array.from({ length: 102 }, (_, index) => `reactor/rx01/e/x${index}`);
    unit.send(...sent.map((topic) => publishPacket(topic, '')));
    // The last message of the burst and the first above it have arrived; the others wait, and other clients do not.
    await leader.until(101, 'publish');
    await leader.publish('reactor/rx01/e/other', '');
    await leader.until(102, 'publish');
    await wire.advance(1_000);
    await leader.until(103, 'publish');
    const topics = leader.received.flatMap((packet) => (packet.cmd === 'publish' ? [packet.topic] : []));
    expect(topics.filter((topic) => topic !== 'reactor/rx01/e/other')).toEqual(sent);
    expect(topics.indexOf('reactor/rx01/e/other')).toBe(101);
    expect(log.lines.filter(({ level }) => level === 'warn')).toMatchObject([
      { fields: { client: 'reactor-rx01', limit: 10 } },
    ]);
  });

  it('answers wrong accounts of an address later and later, and right ones at once', async () => {
    for (let index = 0; index < 5; index += 1) expect((await open({ ...account('x') })).code).toBe(4);
    const late = await RawClient.open(url);
    clients.push(late);
    late.send(connectPacket(account('x')), connectPacket(account('viewer')));
    await as('viewer');
    expect(late.received).toEqual([]);
    await wire.advance(500);
    expect(await late.next('connack')).toMatchObject({ returnCode: 4 });
    await late.closed;
  });
});

it('reports each command with who published it, also those that were dropped', async () => {
  const topic = 'reactor/rx01/e/stirring/target_rpm/set';
  await (await as('operator', { clientId: 'panel' })).publish(topic, '6'.repeat(300));
  await (await as('viewer', { clientId: 'page' })).publish(topic, '500');
  await (await as('rx01')).publish('reactor/rx01/e/stirring/target_rpm', '500');
  expect(commands).toMatchObject([
    {
      identity: { name: 'operator' },
      address: '127.0.0.1',
      clientId: 'panel',
      topic,
      payload: '6'.repeat(200),
      isAllowed: true,
    },
    { identity: { name: 'viewer' }, clientId: 'page', topic, payload: '500', isAllowed: false },
  ]);
});
