import { request } from 'node:http';
import { createClient, leaderApi } from '@lcs/contract';
import { type LeaderUnderTest, signIn, startLeader } from '@lcs/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { observe } from '../../observe.ts';

type Headers = Readonly<Record<string, string>>;

const password = 'three brown horses';
const evil = 'http://evil.example';
let leader: LeaderUnderTest;
let ada: Record<string, string>;

beforeAll(async () => {
  leader = await startLeader({ observe });
  await leader.client.createPerson({ body: { name: 'ada', role: 'administrator', password } });
  ada = await signIn(leader.url, 'ada', password);
});
afterAll(() => leader[Symbol.asyncDispose]());

interface Answer {
  readonly status: number;
  readonly code: string | undefined;
  readonly headers: NodeJS.Dict<string | string[]>;
}

/** Sends a request as a hostile page or program can: with any Host and Origin. */
function send(method: string, path: string, headers: Headers, body = ''): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const { hostname, port } = new URL(leader.url);
  const length = body === '' ? {} : { 'content-length': String(Buffer.byteLength(body)) };
  const sent = request(
    { hostname, port, method, path, agent: false, headers: { ...headers, ...length } },
    (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('end', () => {
        const code = /"code":"(\w+)"/.exec(text)?.[1];
        resolve({ status: response.statusCode ?? 0, code, headers: response.headers });
      });
    },
  );
  sent.on('upgrade', (response, socket) => {
    socket.destroy();
    resolve({ status: response.statusCode ?? 0, code: undefined, headers: response.headers });
  });
  sent.on('error', reject);
  sent.end(body);
  return promise;
}

const json = { 'content-type': 'application/json' };
const experiment = JSON.stringify({ experiment: 'forged' });
const cookie = () => ({ cookie: ada.cookie ?? '' });

it('session fixation: a sign-in makes a new session, whatever cookie was there before', async () => {
  const [name = ''] = (ada.cookie ?? '').split('=');
  const planted = `${name}=${'A'.repeat(43)}`;
  const answer = await send(
    'POST',
    '/api/session',
    { ...json, cookie: planted },
    JSON.stringify({ name: 'ada', password }),
  );
  expect(answer.status).toBe(200);
  const [set = ''] = [answer.headers['set-cookie'] ?? ''].flat();
  expect(set.startsWith(`${name}=`)).toBe(true);
  expect(set).not.toContain(planted);
  expect(await send('GET', '/api/experiments', { cookie: planted })).toMatchObject({ status: 401 });
});

describe('a request forged by another site', () => {
  it.each<[string, Headers, number, string]>([
    ['without Origin and token', {}, 403, 'csrf_token_wrong'],
    ['with a guessed token', { 'x-csrf-token': 'A'.repeat(43) }, 403, 'csrf_token_wrong'],
    ['with its Origin', { origin: evil }, 403, 'foreign_origin'],
    ['with the Origin of a sandboxed frame', { origin: 'null' }, 403, 'foreign_origin'],
    ['under another host name (DNS rebinding)', { host: 'evil.example' }, 403, 'foreign_host'],
    ['under another host name, with the same Origin', { host: 'evil.example', origin: evil }, 403, 'foreign_host'],
  ])('%s changes nothing', async (_, headers, status, code) => {
    const answer = await send('POST', '/api/experiments', { ...json, ...cookie(), ...headers }, experiment);
    expect(answer).toMatchObject({ status, code });
    expect(await leader.storedRows('experiments')).toEqual([]);
  });

  it('as a form is refused even with the token', async () => {
    for (const type of ['application/x-www-form-urlencoded', 'multipart/form-data; boundary=x']) {
      const answer = await send('POST', '/api/experiments', { ...ada, 'content-type': type }, experiment);
      expect(answer).toMatchObject({ status: 415, code: 'unsupported_media_type' });
    }
  });

  it('cannot sign the browser in as somebody else, nor read under another name', async () => {
    const credentials = JSON.stringify({ name: 'ada', password });
    expect(await send('POST', '/api/session', { ...json, origin: evil }, credentials)).toMatchObject({ status: 403 });
    expect(await send('GET', '/api/people', { ...cookie(), host: 'evil.example' })).toMatchObject({ status: 403 });
    const answer = await send('GET', '/api/people', { ...cookie(), origin: evil });
    expect([answer.status, answer.headers['access-control-allow-origin']]).toEqual([403, undefined]);
  });

  it('cannot open the broker by WebSocket with the cookie', async () => {
    const upgrade = {
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
      'sec-websocket-protocol': 'mqtt',
    };
    const { host } = new URL(leader.url);
    const open = (headers: Headers) => send('GET', '/mqtt', { ...upgrade, ...cookie(), ...headers });
    expect(await open({ origin: evil })).toMatchObject({ status: 403 });
    expect(await open({ host: 'evil.example' })).toMatchObject({ status: 403 });
    expect(await open({ origin: `http://${host}` })).toMatchObject({ status: 101 });
  });
});

it('a token in a URL opens nothing and is in no log', async () => {
  const body = { name: 'script', permissions: ['experiments.read'], days: 1 };
  const made = (await leader.api.call('createToken', { body, headers: ada })).expect(201);
  const secret: string = Reflect.get(Object(made), 'secret');
  const ask = (path: string, headers: Headers = {}) => send('GET', path, headers).then(({ status }) => status);
  for (const name of ['token', 'access_token', 'key', 'authorization'])
    expect(await ask(`/api/experiments?${name}=${secret}`)).toBe(401);
  expect(await ask('/api/experiments', { authorization: `Bearer ${secret}` })).toBe(200);
  await send('POST', `/api/experiments?token=${secret}`, json, experiment);
  const rows = (await leader.api.call('listAudit', { headers: ada })).expect(200);
  expect([JSON.stringify(leader.log.lines).includes(secret), JSON.stringify(rows).includes(secret)]).toEqual([
    false,
    false,
  ]);
});

describe('text of a client', () => {
  it.each(['%0d%0aset-cookie:%20evil=1', 'a%0ab', '..%2f..%2fleader.ini', '..%5c..%5cleader.ini', 'a%00b'])(
    'reaches no header and no other file: %s',
    async (name) => {
      for (const path of [
        `/exports/${name}`,
        `/static/${name}`,
        `/unit_api/system/path/${name}`,
        `/api/configs/${name}`,
      ]) {
        const answer = await send('GET', path, cookie());
        expect([path, answer.status >= 400 && answer.status < 500, answer.headers['set-cookie']]).toEqual([
          path,
          true,
          undefined,
        ]);
      }
    },
  );

  it.each(['__proto__', 'constructor', 'toString'])(
    'is never taken for a property of the program: %s',
    async (name) => {
      const found = await send('GET', `/api/experiments/${name}`, cookie());
      expect(found.status).toBe(404);
      const named = await send('POST', '/api/session', json, JSON.stringify({ name, password }));
      expect(named).toMatchObject({ status: 401, code: 'sign_in_failed' });
      const polluting = `{"experiment":"x","__proto__":{"permissions":["people.write"]}}`;
      expect((await send('POST', '/api/experiments', { ...json, ...ada }, polluting)).status).toBe(400);
    },
  );
});

it('whoever guesses passwords is slowed down by account and by address, which a header does not change', async () => {
  const guess = (name: string, address: string) =>
    send('POST', '/api/session', { ...json, 'x-forwarded-for': address }, JSON.stringify({ name, password: 'wrong' }));
  const statuses: number[] = [];
  for (let index = 0; index < 7; index += 1) statuses.push((await guess(`guest${index}`, `10.0.0.${index}`)).status);
  expect(statuses).toContain(429);
  const client = createClient(leaderApi, { baseUrl: leader.url, headers: ada });
  const [last] = await client.listAudit({ query: { operation: 'signIn', limit: 1 } });
  expect(last?.address).toBe('127.0.0.1');
});
