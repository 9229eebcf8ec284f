import { once } from 'node:events';
import { type Caller, localCaller, type Permission } from '@lcs/contract';
import { HttpServer, realClock } from '@lcs/platform';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import WebSocket from 'ws';
import { EmbeddedBroker } from '../broker/embedded-broker.ts';
import { connectPacket, RawClient } from '../testing/raw-client.ts';
import { startTestLeader } from '../testing/test-leader.ts';
import { AccessControl } from './access-control.ts';
import { brokerAccounts } from './broker-accounts.ts';

/** The least that the algorithm of passwords allows. */
const cost = { memory: 8, passes: 1, parallelism: 1 };
const password = 'three brown horses';
const origin = { address: '127.0.0.1', userAgent: 'test' };
const never = new AbortController().signal;
const command = 'reactor/rx01/e/stirring/target_rpm/set';

const clients: RawClient[] = [];
afterEach(async () => {
  for (const client of clients.splice(0)) await client.end('cut');
});

/** A leader's broker over TCP and WebSocket, with the accounts of its access control and one unit. */
async function startBroker() {
  const leader = await startTestLeader();
  const access = new AccessControl({ context: leader.context, cookieSuffix: 'lead', cost });
  await access.start();
  const units = new Map([['rx01', { mqtt: { username: 'unit:rx01', password: 'of rx01' } }]]);
  const unitOfAccount = (username: string, secret: string) =>
    [...units].find(([, { mqtt }]) => mqtt.username === username && mqtt.password === secret)?.[0];
  const accounts = brokerAccounts({
    access,
    units: { unitOfAccount, credentialsOf: (unit) => units.get(unit) },
    isOpen: true,
  });
  const broker = new EmbeddedBroker({ wire: leader.wire, log: leader.log, port: 0, access: accounts });
  await broker.start(never);
  const http = new HttpServer({
    host: '127.0.0.1',
    port: 0,
    log: leader.log,
    clock: realClock(),
    apis: [],
    identify: access.identify,
    upgrades: { '/mqtt': broker.webSocket },
  });
  await http.start(never);
  const url = `ws://127.0.0.1:${http.port}/mqtt`;
  /** The status with which the upgrade is refused. */
  const refusal = async (address: string, headers: Readonly<Record<string, string>>): Promise<unknown> => {
    const webSocket = new WebSocket(address, 'mqtt', { headers });
    webSocket.on('error', () => {});
    const [, response] = await once(webSocket, 'unexpected-response');
    return response.statusCode;
  };
  const connect = async (
    options: Parameters<typeof connectPacket>[0],
    headers?: Readonly<Record<string, string>>,
  ): Promise<{ readonly client: RawClient; readonly code: unknown }> => {
    const client = await RawClient.open(headers === undefined ? `mqtt://127.0.0.1:${broker.port}` : url, headers);
    clients.push(client);
    client.send(connectPacket(options));
    return { client, code: (await client.next('connack')).returnCode };
  };
  const close = async () => {
    await http.stop();
    await broker.stop();
    await leader[Symbol.asyncDispose]();
  };
  return { ...leader, access, accounts, units, broker, url, refusal, connect, close };
}

const account = (username: string, secret: string) => ({ username, password: Buffer.from(secret) });

it('without people everybody of the machine may do everything; with the first person who has no account is disconnected', async () => {
  const { access, connect, wire, close } = await startBroker();
  const open = (await connect({ clientId: 'open', clean: false })).client;
  await open.subscribe('#');
  const page = (await connect({ clientId: 'page' }, {})).client;
  await page.publish(command, '500');
  expect(await open.messages()).toEqual([`${command} 500`]);
  const unit = (await connect({ clientId: 'reactor-rx01', ...account('unit:rx01', 'of rx01') })).client;
  const other = (await connect({ ...account('unit:rx01', 'wrong') })).client;
  await access.createPerson({ name: 'ada', role: 'administrator', password });
  await page.publish(command, '600');
  await wire.advance(500);
  await Promise.all([open.closed, page.closed, other.closed]);
  await unit.publish('reactor/rx01/e/stirring/$state', 'ready', { retain: true });
  expect(unit.isClosed).toBe(false);
  expect((await connect({ clientId: 'open', clean: false })).code).toBe(5);
  await close();
});

describe('with people', () => {
  let started: Awaited<ReturnType<typeof startBroker>>;
  let ada: Caller;
  beforeAll(async () => {
    started = await startBroker();
    await started.access.createPerson({ name: 'ada', role: 'administrator', password });
    await started.access.createPerson({ name: 'vera', role: 'viewer', password });
    ada = (await started.access.signIn('ada', password, origin)).caller;
  });
  afterAll(() => started.close());

  const tokenOf = (...permissions: Permission[]) =>
    started.access.createToken(ada, { name: 'x', permissions, days: 1 });

  it('refuses wrong, missing and foreign accounts', async () => {
    const { secret, token } = await tokenOf('jobs.run');
    const answers = [
      undefined,
      { username: 'token', password: 'wrong' },
      { username: 'token', password: undefined },
      { username: 'unit:rx01', password: 'wrong' },
      { username: 'unit:rx02', password: 'of rx01' },
      { username: 'unit:rx01', password: secret },
      { username: 'leader', password: secret },
      { username: 'ada', password },
      { username: '__proto__', password: secret },
      { username: 'token', password: secret },
      { username: `token:${token.id}`, password: secret },
      { username: 'leader', password: started.access.ownSecret },
      { username: 'unit:rx01', password: 'of rx01' },
    ].map((account) => {
      const decided = started.accounts({ address: '127.0.0.1' }, account);
      return typeof decided === 'string' ? decided : decided.identity.kind;
    });
    expect(answers).toEqual([
      'notAllowed',
      ...Array.from({ length: 8 }, () => 'wrongAccount'),
      'token',
      'token',
      'leader',
      'unit',
    ]);
  });

  it('a viewer connects with the session of the web UI, receives, and publishes nothing', async () => {
    const { secret } = await started.access.signIn('vera', password, origin);
    const headers = { cookie: `${started.access.cookieName}=${secret}` };
    const leader = (await started.connect(account('leader', started.access.ownSecret))).client;
    await leader.subscribe('#');
    const { client, code } = await started.connect({}, headers);
    expect([code, await client.subscribe('reactor/#', '#')]).toEqual([0, [0, 0x80]]);
    await client.publish(command, '500');
    expect(await leader.messages()).toEqual([]);
    await leader.publish('reactor/rx01/e/stirring/$state', 'ready');
    expect(await client.messages()).toEqual(['reactor/rx01/e/stirring/$state ready']);
  });

  it.each([
    ['nobody', {}, 401],
    ['a page of another origin', { cookie: 'yes', origin: 'http://evil.example' }, 403],
    ['a page that has another name for this machine', { cookie: 'yes', host: 'evil.example' }, 403],
    ['a token in the query', { query: 'yes' }, 401],
  ])('refuses the WebSocket of %s', async (_, { cookie, query, ...others }: Record<string, string>, status) => {
    const { access, refusal, url } = started;
    const { secret } = await access.signIn('ada', password, origin);
    const address = query ? `${url}?token=${(await tokenOf('jobs.run')).secret}&access_token=${secret}` : url;
    expect(await refusal(address, { ...others, ...(cookie && { cookie: `${access.cookieName}=${secret}` }) })).toBe(
      status,
    );
  });

  it('a token that is revoked loses its connection, and publishes nothing before that', async () => {
    const { access, connect, wire } = started;
    const leader = (await connect(account('leader', access.ownSecret))).client;
    await leader.subscribe('#');
    const { token, secret } = await tokenOf('jobs.run');
    const { client } = await connect({}, { authorization: `Bearer ${secret}` });
    await client.publish(command, '1');
    await access.revokeToken(token.id);
    await client.publish(command, '2');
    expect(await leader.messages()).toEqual([`${command} 1`]);
    await wire.advance(500);
    await client.closed;
  });

  it('a session that ends loses its connection and its session of MQTT, a unit with new credentials too', async () => {
    const { access, connect, wire, units } = started;
    const signedIn = await access.signIn('ada', password, origin);
    const headers = { cookie: `${access.cookieName}=${signedIn.secret}` };
    const { client } = await connect({ clientId: 'lasting', clean: false }, headers);
    const unit = (await connect({ clientId: 'reactor-rx01', ...account('unit:rx01', 'of rx01') })).client;
    await client.subscribe(['reactor/#', 1]);
    await access.endSession(signedIn.caller.id);
    units.set('rx01', { mqtt: { username: 'unit:rx01', password: 'of its second generation' } });
    await wire.advance(500);
    await Promise.all([client.closed, unit.closed]);
    const again = await RawClient.open(`mqtt://127.0.0.1:${started.broker.port}`);
    clients.push(again);
    again.send(connectPacket({ clientId: 'lasting', clean: false, ...account('leader', access.ownSecret) }));
    expect(await again.next('connack')).toMatchObject({ returnCode: 0, sessionPresent: false });
  });
});

it('the local caller of a socket of the machine keeps everything when people exist', () => {
  const access = { hasPeople: true, bearer: () => undefined, current: () => undefined };
  const units = { unitOfAccount: () => undefined, credentialsOf: () => undefined };
  const decided = brokerAccounts({ access, units, isOpen: false })({ address: '', caller: localCaller }, undefined);
  expect(typeof decided === 'string' ? decided : decided.rights()).toEqual({ is: 'unlimited' });
});
