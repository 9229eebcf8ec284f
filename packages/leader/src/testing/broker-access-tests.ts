import {
  callerOf,
  mayPublish,
  mayReceive,
  type TableIdentity,
  tableFilters,
  tableIdentities,
  tableTopics,
} from '@lcs/domain';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectPacket, RawClient } from './raw-client.ts';

/** A broker with the accounts of the table: user name and password are the name of the identity. */
export interface BrokerWithAccounts {
  readonly tcpUrl: string;
  /** Whether it reads payloads before it decides. */
  readonly readsPayloads: boolean;
  close(): Promise<void>;
}

const isLimited = ({ rights }: TableIdentity): boolean => rights.is === 'client' && rights.limits !== undefined;

/** Compares every identity and topic in both directions with the rules, over real connections. */
export function brokerAccessTests(open: () => Promise<BrokerWithAccounts>): void {
  let broker: BrokerWithAccounts;
  /** Publishes and receives everything. */
  let observer: RawClient;
  const clients = new Map<string, RawClient>();

  const connect = async (name: string): Promise<RawClient> => {
    const opened = await RawClient.open(broker.tcpUrl);
    opened.send(connectPacket({ username: name, password: Buffer.from(name) }));
    expect([name, (await opened.next('connack')).returnCode]).toEqual([name, 0]);
    return opened;
  };
  const client = (name: string): RawClient => {
    const found = clients.get(name);
    if (found === undefined) throw new Error(`${name} is not connected`);
    return found;
  };

  beforeAll(async () => {
    broker = await open();
    for (const { name } of tableIdentities) clients.set(name, await connect(name));
    observer = await connect('leader');
    await observer.subscribe('#');
  });
  afterAll(async () => {
    for (const one of [observer, ...clients.values()]) await one.end('cut');
    await broker.close();
  });

  it.each([
    ['without an account', undefined, 5],
    ['with a wrong password', Buffer.from('x'), 5],
  ])('refuses a client %s', async (_, password, code) => {
    const stranger = await RawClient.open(broker.tcpUrl);
    stranger.send(connectPacket(password && { username: 'viewer', password }));
    const { returnCode } = await stranger.next('connack');
    // 4 and 5 are both refusals of the account.
    expect([4, code]).toContain(returnCode);
    await stranger.closed;
  });

  describe.each(tableIdentities)('$name', (identity) => {
    const { name, rights } = identity;
    const caller = callerOf(rights);

    it('publishes what the rules allow, and nothing else', async () => {
      await observer.messages();
      for (const { topic, payload } of tableTopics) await client(name).publish(topic, payload);
      const known = (payload: string) => (rights.is === 'client' && !broker.readsPayloads ? undefined : payload);
      const expected = tableTopics.filter(({ topic, payload }) => mayPublish(caller, topic, known(payload)));
      expect(await observer.messages()).toEqual(expected.map(({ topic, payload }) => `${topic} ${payload}`));
    });

    it('receives what the rules allow, and nothing else', async () => {
      const topics = [...new Set(tableTopics.map(({ topic }) => topic))];
      await client(name).messages();
      const granted = await client(name).subscribe(...topics);
      for (const topic of topics) await observer.publish(topic, 'x');
      const allowed = topics.filter((topic) => mayReceive(caller, topic));
      const received = await client(name).messages();
      expect(received.filter((message, index) => received.indexOf(message) === index)).toEqual(
        allowed.map((topic) => `${topic} x`),
      );
      if (isLimited(identity)) return;
      expect(granted).toEqual(topics.map((topic) => (allowed.includes(topic) ? 0 : 0x80)));
    });

    // Mosquitto grants filters outside the limits of a token, and delivers nothing of them.
    if (isLimited(identity)) return;
    it('is granted the filters that the rules allow, and no others', async () => {
      const granted = await client(name).subscribe(...tableFilters);
      expect(granted).toEqual(tableFilters.map((filter) => (mayReceive(caller, filter) ? 0 : 0x80)));
    });
  });
}
