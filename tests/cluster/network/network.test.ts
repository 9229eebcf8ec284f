import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { Agent, request } from 'node:https';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { connect as connectTls } from 'node:tls';
import { runProgram } from '@lcs/cli/testing';
import { agentFetch, memoryLog, OwnCertificate, realClock, VirtualClock } from '@lcs/platform';
import { type LeaderUnderTest, startLeader, temporaryFolder } from '@lcs/testkit';
import { connectAsync } from 'mqtt';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isNginxInstalled, startNginx } from './nginx.ts';

const password = 'three brown horses';
const person = { name: 'ada', password };

interface Call {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** Address of the client. */
  readonly from?: string;
  readonly ca?: string;
}

interface Received {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly json: unknown;
}

const call = (url: string, { method = 'GET', headers = {}, body, from = '127.0.0.2', ca = '' }: Call = {}) =>
  new Promise<Received>((resolve, reject) => {
    const sent = request(
      url,
      {
        method,
        localAddress: from,
        // A name in the Host header is for the server, not for the certificate.
        agent: new Agent({ ca, ...(headers.host !== undefined && { checkServerIdentity: () => undefined }) }),
        headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      },
      async (response) => {
        const received = await text(response);
        const isJson = response.headers['content-type']?.includes('json') === true;
        const { statusCode = 0 } = response;
        resolve({ status: statusCode, headers: response.headers, json: isJson ? JSON.parse(received) : received });
      },
    );
    sent.once('error', reject);
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });

/** The cookie and the CSRF token of a new session. */
async function signedIn(url: string, options: Call): Promise<Record<string, string>> {
  const { headers, json } = await call(`${url}/api/session`, { ...options, method: 'POST', body: person });
  const [cookie = ''] = headers['set-cookie'] ?? [];
  return { cookie: cookie.split(';')[0] ?? '', 'x-csrf-token': String(Reflect.get(Object(json), 'csrf_token')) };
}

/** Certificates are valid in the real time, which OpenSSL reads. */
const presentClock = () => new VirtualClock({ startMs: Date.now() });

describe('a leader on a network', () => {
  let leader: LeaderUnderTest;
  let ca = '';
  beforeAll(async () => {
    leader = await startLeader({ clock: presentClock(), configure: { host: '0.0.0.0' } });
    ca = await readFile(join(leader.dataFolder, 'storage', 'ca.pem'), 'utf8');
  });
  afterAll(() => leader[Symbol.asyncDispose]());

  const lcs = (...args: string[]) => {
    const input = () =>
      (async function* lines() {
        yield password;
      })();
    return runProgram([...args, '--data-dir', leader.dataFolder], { input });
  };

  it('is encrypted for everybody, and set up with its code', async () => {
    expect(leader.url).toMatch(/^https:/);
    await expect(fetch(leader.url.replace('https:', 'http:'))).rejects.toThrow();
    await expect(call(leader.url)).rejects.toThrow('certificate');
    expect(await call(`${leader.url}/api/experiments`, { ca, from: '127.0.0.1' })).toMatchObject({
      status: 403,
      json: { code: 'setup_needed' },
    });
    const code = leader.node.setUpCode;
    const made = await call(`${leader.url}/api/setup`, { ca, method: 'POST', body: { ...person, code } });
    expect(made).toMatchObject({ status: 201, json: { role: 'administrator' } });
  });

  it('gives sessions that only encrypted requests of its own pages have', async () => {
    const { headers } = await call(`${leader.url}/api/session`, { ca, method: 'POST', body: person });
    expect(headers['set-cookie']?.[0]).toMatch(
      /^__Host-lcs_session_\w+=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Secure$/,
    );
    expect(headers['strict-transport-security']).toContain('max-age=');
    const session = await signedIn(leader.url, { ca });
    const seen = await call(`${leader.url}/api/sessions`, { ca, headers: session });
    expect(seen.json).toContainEqual(expect.objectContaining({ address: '127.0.0.2', is_current: true }));
    const planted = { ...session, cookie: session.cookie?.replace('__Host-', '') ?? '' };
    expect(await call(`${leader.url}/api/experiments`, { ca, headers: planted })).toMatchObject({ status: 401 });
    const foreign = await call(`${leader.url}/api/health`, { ca, headers: { ...session, host: 'other.example' } });
    expect(foreign).toMatchObject({ json: { code: 'foreign_host' } });
  });

  it('shows its page to everybody, so that somebody can sign in', async () => {
    const page = await call(`${leader.url}/people`, { ca });
    const [file = ''] = /\/static\/assets\/[\w-]+\.js/.exec(String(page.json)) ?? [];
    expect(file).not.toBe('');
    expect(await call(leader.url + file, { ca })).toMatchObject({ status: 200 });
  });

  it('trusts no forwarding header, and no process on its machine without a sign-in', async () => {
    const forwarded = { 'x-forwarded-for': '127.0.0.1', 'x-forwarded-proto': 'https' };
    for (const headers of [{}, forwarded])
      expect(await call(`${leader.url}/api/experiments`, { ca, headers, from: '127.0.0.1' })).toMatchObject({
        status: 401,
      });
  });

  it('is managed on its own machine through its socket: a new password for a person who has forgotten it', async () => {
    const changed = await lcs('people', 'set', 'ada', '--password-stdin');
    expect([changed.code, changed.err]).toEqual([0, '']);
    const strange = await runProgram(['people', '--url', leader.url], {});
    expect(strange.code).toBe(1);
    const shown = await lcs('certificate', '--json');
    const authority = leader.node.certificate?.authorityFingerprint;
    expect(JSON.parse(shown.out)).toMatchObject({ authority });
  });

  it('shows on its machine how a unit joins, and makes it a worker', async () => {
    const made = await lcs('units', 'code');
    expect(made.out).toMatch(/^On the unit: lcs unit --host 0\.0\.0\.0 --leader https:\/\/\S+ --code \w+$/m);
    expect(made.out).not.toContain('127.0.0.1');
    const added = await lcs('units', 'add', 'rx09', '--model', 'reactor_40ml:1.5');
    expect([added.code, added.err]).toEqual([0, '']);
    expect((await lcs('units')).out).toMatch(/^rx09 +offline/m);
    expect((await lcs('units', 'add', 'rx09', '--model', 'reactor_40ml')).code).not.toBe(0);
  });

  it.each([
    ['http://192.0.2.1:4999', '0.0.0.0', 'https://192.0.2.1:4999'],
    ['https://192.0.2.1:4999', '127.0.0.1', '--host 0.0.0.0'],
  ])('has no unit with --leader %s --host %s, which could not work', async (leaderUrl, host, remedy) => {
    await using folder = await temporaryFolder('unit');
    const { code, err } = await runProgram(['unit', '--leader', leaderUrl, '--host', host, '--data-dir', folder.path]);
    expect([code, err]).toEqual([1, expect.stringContaining(remedy)]);
  });

  it('is pinned by lcs login with its fingerprint, and by no other one', async () => {
    await using home = await temporaryFolder('home');
    const environment = { HOME: home.path };
    const input = () =>
      (async function* lines() {
        yield password;
      })();
    const login = (fingerprint: string) =>
      runProgram(['login', 'ada', '--url', leader.url, '--password-stdin', '--fingerprint', fingerprint], {
        environment,
        input,
      });
    expect((await login('0000 1111')).code).toBe(1);
    const done = await login(leader.node.certificate?.authorityFingerprint ?? '');
    expect([done.code, done.err]).toEqual([0, '']);
    const listed = await runProgram(['people', '--url', leader.url, '--json'], { environment });
    expect(JSON.parse(listed.out)).toMatchObject([{ name: 'ada' }]);
  });
});

describe.runIf(isNginxInstalled)('a leader behind nginx', () => {
  let leader: LeaderUnderTest;
  let proxy: Awaited<ReturnType<typeof startNginx>>;
  let ca = '';
  const folders: AsyncDisposable[] = [];
  beforeAll(async () => {
    const folder = await temporaryFolder('proxied');
    folders.push(folder);
    await mkdir(join(folder.path, 'data'), { mode: 0o700 });
    const dataFolder = join(folder.path, 'data');
    await writeFile(join(dataFolder, 'leader.ini'), '[network]\nnames = lab.example\ntrusted_proxies = 127.0.0.1\n');
    leader = await startLeader({ dataFolder });
    await leader.client.createPerson({ body: { ...person, role: 'administrator' } });
    const certificate = new OwnCertificate({
      folder: join(folder.path, 'proxy'),
      owner: 'proxy',
      names: () => ['127.0.0.1', 'lab.example'],
      clock: realClock(),
      log: memoryLog(),
    });
    await certificate.start();
    await certificate.stop();
    ca = await readFile(join(folder.path, 'proxy', 'ca.pem'), 'utf8');
    proxy = await startNginx(Number(new URL(leader.url).port), certificate.current());
  });
  afterAll(async () => {
    await proxy[Symbol.asyncDispose]();
    await leader[Symbol.asyncDispose]();
    for (const folder of folders) await folder[Symbol.asyncDispose]();
  });

  it('knows the address of the client, whatever the client writes, and that the connection is encrypted', async () => {
    const headers = { 'x-forwarded-for': '198.51.100.9', host: 'lab.example' };
    const session = await signedIn(proxy.url, { ca, headers });
    expect(session.cookie).toMatch(/^__Host-/);
    const seen = await call(`${proxy.url}/api/sessions`, { ca, headers: session });
    expect(seen.json).toContainEqual(expect.objectContaining({ address: '127.0.0.2', is_current: true }));
    expect(seen.headers['strict-transport-security']).toContain('max-age=');
    expect(await call(`${proxy.url}/api/experiments`, { ca })).toMatchObject({ status: 401 });
    const foreign = await call(`${proxy.url}/api/experiments`, { ca, headers: { host: 'other.example' } });
    expect(foreign).toMatchObject({ json: { code: 'foreign_host' } });
  });

  it('sends live events and MQTT over WebSocket through it', async () => {
    const session = await signedIn(proxy.url, { ca });
    const live = await agentFetch(new Agent({ ca }))(`${proxy.url}/api/live`, { headers: session });
    const events = live.body?.getReader();
    const first = await events?.read();
    expect(new TextDecoder().decode(first?.value)).toContain('event: ');
    await events?.cancel();
    const client = await connectAsync(`${proxy.url.replace('https:', 'wss:')}/mqtt`, {
      wsOptions: { ca, headers: { ...session, origin: proxy.url } },
    });
    expect(client.connected).toBe(true);
    await client.endAsync();
    const foreign = connectAsync(
      `${proxy.url.replace('https:', 'wss:')}/mqtt`,
      { reconnectPeriod: 0, wsOptions: { ca, headers: { ...session, origin: 'https://evil.example' } } },
      false,
    );
    await expect(foreign).rejects.toThrow();
  });

  it.each([
    ['two lengths', 'Content-Length: 4\r\nContent-Length: 40\r\n'],
    ['a length and chunks', 'Content-Length: 4\r\nTransfer-Encoding: chunked\r\n'],
    ['an unknown coding', 'Transfer-Encoding: xchunked\r\n'],
    ['a coding with a control character', 'Transfer-Encoding:\x0bchunked\r\n'],
  ])('receives no second request hidden in one with %s', async (_, headers) => {
    const hidden = 'GET /api/hidden HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n';
    const answer = await new Promise<string>((resolve, reject) => {
      const socket = connectTls({ port: proxy.port, host: '127.0.0.1', ca });
      let received = '';
      socket.setEncoding('utf8');
      socket.on('data', (chunk: string) => {
        received += chunk;
      });
      socket.once('error', reject);
      socket.once('close', () => resolve(received));
      socket.end(`POST /api/session HTTP/1.1\r\nHost: 127.0.0.1\r\n${headers}\r\n0\r\n\r\n${hidden}`);
    });
    expect(answer.match(/^HTTP\/1\.1 (\d+)/gm)).toHaveLength(1);
    expect(answer).toMatch(/^HTTP\/1\.1 (400|501)/);
  });
});
