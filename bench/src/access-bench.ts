import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { createClient, leaderApi } from '@lcs/contract';
import { signIn } from '@lcs/testkit';
import autocannon from 'autocannon';
import type { Figure } from './figures.ts';
import { type LeaderUnderLoad, startLeaderUnderLoad } from './leader-under-load.ts';

const seconds = 5;
const connections = 20;
const experimentsStored = 100;
const password = 'three brown horses';
const ada = { name: 'ada', password };
type Headers = Readonly<Record<string, string>>;

/** Sign-ins of a busy institute. */
const signInsPerMinute = 50;
const signInSeconds = 12;
/** Requests that people and pages send meanwhile. */
const readsPerSecond = 100;

/** Each connection has headers of its own: what one caller may send in a second is limited. */
async function reads(url: string, headers: readonly Headers[], tlsOptions: { readonly ca?: string } = {}) {
  let made = 0;
  const { requests, latency, non2xx, errors } = await autocannon({
    url: `${url}/api/experiments`,
    connections,
    duration: seconds,
    tlsOptions,
    setupClient: (client) => {
      client.setHeaders({ ...headers[made % headers.length] });
      made += 1;
    },
  });
  if (non2xx + errors > 0) throw new Error('some requests failed');
  return { perSecond: requests.average, p99Ms: latency.p99 };
}

/** One for each connection, made one after the other. */
async function forEachConnection<Made>(make: () => Promise<Made>): Promise<readonly Made[]> {
  const all: Made[] = [];
  while (all.length < connections) all.push(await make());
  return all;
}

const residentMb = async (leader: LeaderUnderLoad): Promise<number> => (await leader.measure()).residentBytes / 1e6;

/** On loopback: without people, then in a session. */
async function onLoopback(folder: string) {
  await using leader = await startLeaderUnderLoad(folder);
  const { url } = leader;
  const local = createClient(leaderApi, { baseUrl: url });
  for (let index = 0; index < experimentsStored; index += 1)
    await local.createExperiment({ body: { experiment: `experiment ${index}` } });
  const open = await reads(url, [{}]);
  await local.createPerson({ body: { ...ada, role: 'administrator' } });
  const headers = await signIn(url, ada.name, password);
  const signedIn = await forEachConnection(() => signIn(url, ada.name, password));
  const inSession = await reads(url, signedIn);
  const memoryMb = await residentMb(leader);
  const whileSigningIn = await delayOfSignIns(leader, headers);
  const { createToken } = createClient(leaderApi, { baseUrl: url, headers });
  const body = { name: 'bench', permissions: ['experiments.read'], days: 1 };
  const tokens = await forEachConnection(async () => (await createToken({ body })).secret);
  return { open, inSession, memoryMb, whileSigningIn, tokens };
}

/** A sign-in over TLS: the certificate is that of the leader's own authority. */
function signInOver(url: string, ca: string): Promise<Headers> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json' };
    const sent = request(`${url}/api/session`, { method: 'POST', ca, headers }, async (response) => {
      const [cookie = ''] = response.headers['set-cookie'] ?? [];
      await text(response);
      resolve({ cookie: cookie.split(';')[0] ?? '' });
    });
    sent.once('error', reject);
    sent.end(JSON.stringify(ada));
  });
}

async function overTls(folder: string, tokens: readonly string[]) {
  await using leader = await startLeaderUnderLoad(folder, 0, ['--host', '0.0.0.0', '--mqtt-tls-port', '0']);
  const { url } = leader;
  const ca = await readFile(join(folder, 'storage', 'ca.pem'), 'utf8');
  const inSession = await reads(url, await forEachConnection(() => signInOver(url, ca)), { ca });
  const withToken = await reads(
    url,
    tokens.map((secret) => ({ authorization: `Bearer ${secret}` })),
    { ca },
  );
  return { inSession, withToken, memoryMb: await residentMb(leader) };
}

/** How long the event loop is held while people sign in, one after the other, and others read. */
async function delayOfSignIns(leader: LeaderUnderLoad, headers: Headers) {
  await leader.measure();
  const others = autocannon({
    url: `${leader.url}/api/experiments`,
    headers,
    connections: 4,
    overallRate: readsPerSecond,
    duration: signInSeconds,
  });
  const pauseMs = 60_000 / signInsPerMinute;
  for (let sent = 0; sent < (signInsPerMinute * signInSeconds) / 60; sent += 1) {
    const until = performance.now() + pauseMs;
    await signIn(leader.url, ada.name, password);
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, until - performance.now())));
  }
  const { latency } = await others;
  return { delayP99Ms: (await leader.measure()).eventLoopDelayP99Ms, readP99Ms: latency.p99 };
}

/** What people, sessions and encryption cost. */
export async function accessBench(): Promise<Figure[]> {
  const folder = await mkdtemp(join(tmpdir(), 'lcs-bench-'));
  try {
    const plain = await onLoopback(folder);
    const tls = await overTls(folder, plain.tokens);
    const what = `GET /api/experiments, ${experimentsStored} experiments`;
    return [
      { name: `${what}, without people`, value: plain.open.perSecond, unit: '/s' },
      { name: 'the same in a session', value: plain.inSession.perSecond, unit: '/s' },
      { name: 'the same in a session over TLS', value: tls.inSession.perSecond, unit: '/s' },
      { name: 'the same with a token over TLS', value: tls.withToken.perSecond, unit: '/s' },
      { name: 'the same in a session, p99', value: plain.inSession.p99Ms, unit: 'ms' },
      { name: 'the same in a session over TLS, p99', value: tls.inSession.p99Ms, unit: 'ms' },
      { name: 'resident memory after these, without TLS', value: plain.memoryMb, unit: 'MB' },
      { name: 'resident memory after these, with TLS', value: tls.memoryMb, unit: 'MB' },
      {
        name: `event-loop delay p99 at ${signInsPerMinute} sign-ins a minute and ${readsPerSecond} reads/s`,
        value: plain.whileSigningIn.delayP99Ms,
        unit: 'ms',
        aim: { atMost: 20 },
      },
      { name: 'these reads, p99', value: plain.whileSigningIn.readP99Ms, unit: 'ms' },
    ];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
