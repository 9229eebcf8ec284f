import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { type ApiNodeOptions, createApiNode } from '@lcs/cluster';
import { createClient, leaderApi, ProblemError } from '@lcs/contract';
import { memoryLog, VirtualClock } from '@lcs/platform';
import { isPostgresInstalled, PostgresAdmin } from '@lcs/platform/testing';
import { type LeaderUnderTest, postgresOf, signIn, startLeader, temporaryFolder } from '@lcs/testkit';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';

const never = new AbortController().signal;
/** On a busy machine. */
const patient = { timeout: 20_000, interval: 20 };
const password = 'three brown horses';

async function startApi(database: string, options: Partial<ApiNodeOptions> = {}) {
  const log = memoryLog();
  const node = createApiNode({
    ...{ database, host: '127.0.0.1', port: 0, names: [], trustedProxies: [] },
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

  const start = (configure: object = {}) =>
    startLeader({
      dataFolder: folder.path,
      engine: 'postgres',
      clock: new VirtualClock({ startMs: Date.now() }),
      configure,
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

    const address = `${api.url.replace('http', 'ws')}/mqtt`;
    const webSocket = new WebSocket(address, 'mqtt', { headers: { cookie: ada.cookie } });
    await once(webSocket, 'open');
    expect(webSocket.protocol).toBe('mqtt');
    webSocket.close();
    await once(webSocket, 'close');
    const anonymous = new WebSocket(address, 'mqtt');
    anonymous.on('error', () => {});
    const [, response] = await once(anonymous, 'unexpected-response');
    expect(response.statusCode).toBe(401);
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
    expect(await clientAt(api.url, ada).listExperiments()).toHaveLength(2);
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
