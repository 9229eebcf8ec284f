import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { type ApiNodeOptions, createApiNode } from '@lcs/cluster';
import { createClient, leaderApi, ProblemError } from '@lcs/contract';
import { memoryLog, VirtualClock } from '@lcs/platform';
import { isPostgresInstalled, PostgresAdmin } from '@lcs/platform/testing';
import { type LeaderUnderTest, postgresOf, signIn, startLeader, temporaryFolder } from '@lcs/testkit';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { connectPacket, RawClient } from '../../../packages/leader/src/testing/raw-client.ts';

const never = new AbortController().signal;
/** On a busy machine. */
const patient = { timeout: 20_000, interval: 20 };
const password = 'three brown horses';

async function startApi(database: string, options: Partial<ApiNodeOptions> = {}) {
  const log = memoryLog();
  const node = createApiNode({
    database,
    host: '127.0.0.1',
    port: 0,
    names: [],
    trustedProxies: [],
    log,
    ...options,
  });
  await node.start(never);
  return { node, log, url: node.url, [Symbol.asyncDispose]: () => node.stop() };
}

const clientAt = (url: string, headers: Record<string, string> = {}) =>
  createClient(leaderApi, { baseUrl: url, headers });

const codeAt = async (url: string, headers: Record<string, string> = {}) => {
  const response = await fetch(url, { headers });
  const body: unknown = await response.json();
  return { status: response.status, code: Reflect.get(Object(body), 'code') };
};

describe.skipIf(!isPostgresInstalled)('an api process', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let leader: LeaderUnderTest;
  let database = '';
  /** Paths of the routes that the leader has answered itself. */
  const answered: string[] = [];

  const start = (configure: object = {}) =>
    startLeader({
      dataFolder: folder.path,
      engine: 'postgres',
      clock: new VirtualClock({ startMs: Date.now() }),
      configure: { onResponse: ({ path }: { path: string }) => answered.push(path), ...configure },
    });

  beforeAll(async () => {
    folder = await temporaryFolder('api');
    await mkdir(folder.path, { recursive: true });
    await writeFile(`${folder.path}/leader.ini`, '[network]\ntrusted_proxies = 127.0.0.1\n');
    ({ url: database } = await postgresOf(folder.path));
    leader = await start();
  });
  afterAll(async () => {
    await leader[Symbol.asyncDispose]();
    await folder[Symbol.asyncDispose]();
  });

  it('gives nobody the trust of the machine on which it runs', async () => {
    await using api = await startApi(database);
    // Without people, callers of the machine itself may do everything; those through a proxy may not.
    expect(await leader.client.listExperiments()).toEqual([]);
    expect(await codeAt(`${api.url}/api/experiments`)).toEqual({ status: 403, code: 'setup_needed' });
    const spoofed = { 'x-forwarded-for': '', forwarded: '', 'x-real-ip': '' };
    expect(await codeAt(`${api.url}/api/experiments`, spoofed)).toEqual({ status: 403, code: 'setup_needed' });
  });

  it('passes requests on, and the active process decides what their senders may do', async () => {
    await using api = await startApi(database);
    await using other = await startApi(database);
    await leader.client.createPerson({ body: { name: 'ada', role: 'administrator', password } });
    const ada = await signIn(api.url, 'ada', password);
    const admin = clientAt(api.url, ada);
    await admin.createPerson({ body: { name: 'vera', role: 'viewer', password } });
    await admin.createExperiment({ body: { experiment: 'a', description: 'ä'.repeat(10_000) } });
    const vera = clientAt(other.url, await signIn(other.url, 'vera', password));
    expect((await vera.listExperiments())[0]?.description).toHaveLength(10_000);
    const refused = await vera.createExperiment({ body: { experiment: 'b' } }).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(ProblemError);
    expect(refused).toMatchObject({ body: { status: 403, code: 'not_allowed' } });
    expect(await codeAt(`${api.url}/api/experiments`)).toEqual({ status: 401, code: 'not_signed_in' });
    // A page of another site cannot use the cookie.
    const foreign = { ...ada, origin: 'http://other.example' };
    expect(await codeAt(`${api.url}/api/experiments`, foreign)).toEqual({ status: 403, code: 'foreign_origin' });

    const body = { name: 'program', permissions: ['experiments.read'], days: 1 };
    const token = await admin.createToken({ body });
    const program = { authorization: `Bearer ${token.secret}` };
    expect(await clientAt(other.url, program).listExperiments()).toHaveLength(1);
    await admin.revokeToken({ params: { token_id: token.token_id } });
    expect(await codeAt(`${other.url}/api/experiments`, program)).toEqual({ status: 401, code: 'not_signed_in' });
  });

  it('names the address of its client, and believes no other', async () => {
    const said = { 'x-forwarded-for': '203.0.113.9' };
    const addressOf = async (trustedProxies: readonly string[]) => {
      await using api = await startApi(database, { trustedProxies });
      const ada = await signIn(api.url, 'ada', password);
      await clientAt(api.url, { ...ada, ...said }).updateExperiment({
        params: { experiment: 'a' },
        body: { description: trustedProxies.join() },
      });
      const entries = await clientAt(leader.url, await signIn(leader.url, 'ada', password)).listAudit({ query: {} });
      return entries.find(({ operation }) => operation === 'updateExperiment')?.address;
    };
    expect(await addressOf([])).toBe('127.0.0.1');
    await vi.waitFor(async () => expect(await addressOf(['127.0.0.1'])).toBe('203.0.113.9'), patient);
  });

  it('answers readings from the store, once the active process allows it to their sender', async () => {
    await using api = await startApi(database);
    const admin = clientAt(leader.url, await signIn(leader.url, 'ada', password));
    const experiment = 'x y é';
    await admin.createExperiment({ body: { experiment } });
    const addReading = (value: number, agoMs: number) =>
      leader.editStore((store) => {
        const uid = String(store.prepare('select uid from experiments where name = ?').get(experiment)?.uid);
        store.exec(`insert into series (experiment_uid, unit, source) select '${uid}', 'rx1', 'temperature'
          where not exists (select 1 from series where experiment_uid = '${uid}')`);
        const id = Number(store.prepare('select id from series where experiment_uid = ?').get(uid)?.id);
        const insert = 'insert into samples (series_id, at, value) values (?, ?, ?)';
        store.prepare(insert).run(id, leader.clock.now() - agoMs, value);
      });
    await addReading(30.5, 60_000);
    const body = { name: 'charts', permissions: ['experiments.read'], days: 1, experiments: [experiment] };
    const token = await admin.createToken({ body });
    const headers = { authorization: `Bearer ${token.secret}` };
    const path = `/api/workers/rx1/experiments/${encodeURIComponent(experiment)}/time_series/temperature_readings?lookback=1`;
    answered.length = 0;
    const response = await fetch(`${api.url}${path}`, { headers });
    expect(response.status).toBe(200);
    const stored = await response.text();
    expect(JSON.parse(stored)).toMatchObject({ data: [[{ y: 30.5 }]] });
    await vi.waitFor(() => expect(answered).toContain('/api/access/check'), patient);
    const ownReads = () => answered.filter((each) => each.includes('time_series')).length;
    expect(ownReads()).toBe(0);
    expect(await (await fetch(`${leader.url}${path}`, { headers })).text()).toBe(stored);
    const known = { ...headers, 'if-none-match': response.headers.get('etag') ?? '' };
    expect((await fetch(`${api.url}${path}`, { headers: known })).status).toBe(304);

    // Whatever is committed may be a reading.
    await addReading(31.5, 30_000);
    await admin.updateExperiment({ params: { experiment }, body: { description: 'warmer' } });
    await vi.waitFor(async () => {
      const now: unknown = await (await fetch(`${api.url}${path}`, { headers })).json();
      expect(now).toMatchObject({ data: [[{ y: 30.5 }, { y: 31.5 }]] });
    }, patient);

    const ofAnother = `${api.url}/api/experiments/a/time_series/temperature_readings`;
    expect(await codeAt(ofAnother, headers)).toEqual({ status: 403, code: 'outside_token_limits' });
    expect(await codeAt(`${api.url}${path}`)).toEqual({ status: 401, code: 'not_signed_in' });
    expect(await codeAt(`${api.url}${path}&lookback=x`, headers)).toMatchObject({ status: 400 });
    await admin.revokeToken({ params: { token_id: token.token_id } });
    expect(await codeAt(`${api.url}${path}`, headers)).toEqual({ status: 401, code: 'not_signed_in' });
    expect(ownReads()).toBe(1);

    // Another version may store readings otherwise: it answers itself.
    await using server = await PostgresAdmin.open(database);
    await server.run(`update lcs_process.active set version = 'another'`);
    const ada = await signIn(api.url, 'ada', password);
    await vi.waitFor(async () => {
      expect(await codeAt(`${api.url}${path}`, ada)).toMatchObject({ status: 200 });
      expect(ownReads()).toBeGreaterThan(1);
    }, patient);
  });

  it('passes on one request for each that it receives, whatever its body looks like', async () => {
    await using api = await startApi(database);
    const { port, host } = new URL(api.url);
    answered.length = 0;
    const smuggled = `GET /api/setup HTTP/1.1\r\nHost: ${host}\r\n\r\n`;
    const chunk = `${smuggled.length.toString(16)}\r\n${smuggled}\r\n0\r\n\r\n`;
    const send = async (head: string, body: string) => {
      const socket = connect(Number(port), '127.0.0.1');
      socket.write(`${head} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n${body}`);
      return (await text(socket)).slice(0, 12);
    };
    for (const method of ['GET', 'DELETE', 'OPTIONS'])
      await send(`${method} /unit_api/health`, `Transfer-Encoding: chunked\r\n\r\n${chunk}`);
    const length = `Content-Length: ${smuggled.length}\r\n\r\n${smuggled}`;
    expect(await send('GET /unit_api/health', length)).toBe('HTTP/1.1 200');
    // A header that the client calls one of the connection.
    expect(await send('GET /unit_api/health', `Connection: content-length, host\r\n${length}`)).toBe('HTTP/1.1 200');
    // The answer to a smuggled request would come on the same connection, before the next one.
    expect(await send('GET /unit_api/health', '\r\n')).toBe('HTTP/1.1 200');
    await vi.waitFor(() => expect(answered).toContain('/unit_api/health'), patient);
    expect(answered.filter((path) => path !== '/unit_api/health')).toEqual([]);
  });

  it('passes live events on at once, and WebSockets of the broker', async () => {
    await using api = await startApi(database);
    const ada = await signIn(api.url, 'ada', password);
    const ending = new AbortController();
    const stream = await fetch(`${api.url}/api/live`, { headers: ada, signal: ending.signal });
    expect(stream.headers.get('content-type')).toContain('text/event-stream');
    let received = '';
    const reading = (async () => {
      for await (const chunk of stream.body ?? []) received += Buffer.from(chunk).toString();
    })().catch(() => {});
    await clientAt(api.url, ada).createExperiment({ body: { experiment: 'live' } });
    await vi.waitFor(() => expect(received).toMatch(/event: experiment\n.*"live"/), patient);
    ending.abort();
    await reading;

    const page = await RawClient.open(`${api.url.replace('http', 'ws')}/mqtt`, { cookie: ada.cookie ?? '' });
    page.send(connectPacket({ clientId: 'page' }));
    expect((await page.next('connack')).returnCode).toBe(0);
    await page.end();
    const upgrade = { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' };
    const headers = { ...upgrade, 'sec-websocket-key': randomBytes(16).toString('base64') };
    const anonymous = request(`${api.url}/mqtt`, { headers, agent: false }).end();
    const [refused]: IncomingMessage[] = await once(anonymous, 'response');
    refused?.resume();
    expect(refused?.statusCode).toBe(401);
  });

  it('answers with one error while no process is active, and continues with the next one', async () => {
    await using api = await startApi(database);
    expect(await codeAt(`${api.url}/readyz`)).toMatchObject({ status: 200 });
    await leader[Symbol.asyncDispose]();
    const none = { status: 503, code: 'control_away' };
    for (const path of ['/api/experiments', '/', '/unit_api/health'])
      expect(await codeAt(`${api.url}${path}`), path).toEqual(none);
    await vi.waitFor(async () => expect(await codeAt(`${api.url}/readyz`)).toEqual(none), patient);
    expect(await codeAt(`${api.url}/healthz`)).toMatchObject({ status: 200 });
    leader = await start({ host: '0.0.0.0' });
    await vi.waitFor(async () => expect(await codeAt(`${api.url}/readyz`)).toMatchObject({ status: 200 }), patient);
    // Encrypted now, to the machine with the key of the leader.
    const ada = await signIn(api.url, 'ada', password);
    expect(await clientAt(api.url, ada).listExperiments()).toHaveLength(3);
    await using admin = await PostgresAdmin.open(database);
    await admin.run(`update lcs_process.active set process = 'another', public_key = 'AAAA'`);
    await vi.waitFor(
      async () =>
        expect(await codeAt(`${api.url}/api/experiments`, ada)).toEqual({ status: 503, code: 'control_away' }),
      patient,
    );
  });

  it('needs a certificate on a network, and a database that is there', async () => {
    await expect(startApi(database, { host: '0.0.0.0' })).rejects.toMatchObject({ name: 'StartupError' });
    await expect(startApi('postgres://lcs@%2Fnowhere/lcs')).rejects.toMatchObject({ name: 'StartupError' });
  });
});
