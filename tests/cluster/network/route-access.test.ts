import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import type { Agent, IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request } from 'node:https';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { isErrorBody, leaderApi, type NodeApi, nodeApi, type RouteDeclaration } from '@lcs/contract';
import { keyFingerprint, machineCertificate, PinnedAgent, publicKeyText, VirtualClock } from '@lcs/platform';
import { type LeaderUnderTest, startLeader } from '@lcs/testkit';
import { httpEnrolCall } from '@lcs/unit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { harmlessMachine } from '../generated/harmless.ts';
import { expectedAnswer, type Identity, identities, meaning } from './expected-access.ts';

const password = 'three brown horses';
const dayMs = 86_400_000;
type Headers = Readonly<Record<string, string>>;

/** How an identity sends its requests. */
interface Sender {
  readonly agent: Agent;
  readonly headers: Headers;
}

interface Seen {
  readonly status: number;
  readonly code: string | undefined;
  readonly json: unknown;
}

let leader: LeaderUnderTest;
let ca = '';
const senders = new Map<Identity, Sender>();

const contentOf = async (response: IncomingMessage): Promise<Seen> => {
  const { statusCode: status = 0 } = response;
  if (/event-stream|multipart/.test(response.headers['content-type'] ?? '')) {
    response.destroy();
    return { status, code: undefined, json: undefined };
  }
  const received = await text(response);
  const isJson = response.headers['content-type']?.includes('json') === true;
  const json: unknown = isJson && received !== '' ? JSON.parse(received) : undefined;
  return { status, code: isErrorBody(json) ? json.code : undefined, json };
};

const send = ({ agent, headers }: Sender, method: string, path: string, body?: unknown): Promise<Seen> =>
  new Promise((resolve, reject) => {
    const sent = request(leader.url + path, {
      method,
      agent,
      headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
    });
    sent.once('error', reject);
    sent.once('response', (response) => contentOf(response).then(resolve, reject));
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });

const own = (): HttpsAgent => new HttpsAgent({ ca, keepAlive: true, maxSockets: 1 });
const nobody = (): Sender => ({ agent: own(), headers: {} });

async function expectSuccess(sender: Sender, method: string, path: string, body?: unknown): Promise<unknown> {
  const { status, json } = await send(sender, method, path, body);
  if (status >= 300) throw new Error(`${method} ${path}: ${status} ${JSON.stringify(json)}`);
  return json;
}

/** Signs in, and keeps cookie and CSRF token. */
function session(name: string): Promise<Sender> {
  const agent = own();
  return new Promise((resolve, reject) => {
    const sent = request(`${leader.url}/api/session`, {
      method: 'POST',
      agent,
      headers: { 'content-type': 'application/json' },
    });
    sent.once('error', reject);
    sent.once('response', async (response) => {
      const [cookie = ''] = response.headers['set-cookie'] ?? [];
      const { csrf_token = '' } = JSON.parse(await text(response));
      resolve({ agent, headers: { cookie: cookie.split(';')[0] ?? '', 'x-csrf-token': csrf_token } });
    });
    sent.end(JSON.stringify({ name, password }));
  });
}

async function tokenOf(maker: Sender, what: object) {
  const made = Object(await expectSuccess(maker, 'POST', '/api/tokens', { name: 'script', days: 1, ...what }));
  const sender: Sender = { agent: own(), headers: { authorization: `Bearer ${made.secret}` } };
  return { sender, id: String(made.token_id) };
}

/** Enrols a unit as its program does; `own unit` has its key and its token, `stolen token` the token and another key. */
async function enrolUnit(admin: Sender): Promise<void> {
  const { code } = Object(await expectSuccess(admin, 'POST', '/api/units/enrolment-codes', { reactor_unit: 'rx7' }));
  const { privateKey } = generateKeyPairSync('ed25519');
  const publicKey = publicKeyText(privateKey);
  const enrol = httpEnrolCall({
    leader: () => new URL(leader.url),
    identityKey: { privateKey, publicKey, fingerprint: keyFingerprint(publicKey) },
    certificate: () => machineCertificate(privateKey),
  });
  const address = { base_url: null, port: 4999, epoch: randomUUID(), boot: 1, model: null };
  const who = { reactor_unit: 'rx7', machine_id: randomUUID(), protocol: 1 as const, app_version: '26.11.0' };
  const { credentials } = await enrol(
    { ...who, ...address },
    { leaderKey: undefined, code },
    AbortSignal.timeout(20_000),
  );
  const headers = { authorization: `Bearer ${credentials?.unit_token ?? ''}` };
  const withKey = async (key: typeof privateKey): Promise<Sender> => ({
    agent: new PinnedAgent({ peerKey: undefined, machine: await machineCertificate(key), keepAlive: true }),
    headers,
  });
  senders.set('own unit', await withKey(privateKey));
  senders.set('stolen token', await withKey(generateKeyPairSync('ed25519').privateKey));
}

/** `closed` is a protected experiment: `otto` owns it and `mia` is its member; `rx1` is its unit. */
async function preparePeople(): Promise<void> {
  const clock = leader.clock;
  const body = { name: 'ada', password, code: leader.node.setUpCode };
  await expectSuccess(nobody(), 'POST', '/api/setup', body);
  let admin = await session('ada');
  const permissions = ['experiments.read', 'jobs.read'];
  senders.set('expired token', (await tokenOf(admin, { permissions })).sender);
  await clock.advance(2 * dayMs);
  admin = await session('ada');
  senders.set('administrator', admin);
  const roles = { vera: 'viewer', olga: 'operator', otto: 'operator', mia: 'operator' };
  for (const [name, role] of Object.entries(roles))
    await expectSuccess(admin, 'POST', '/api/people', { name, role, password });
  senders.set('anonymous', nobody()).set('viewer', await session('vera'));
  senders.set('operator', await session('olga')).set('owner', await session('otto'));
  senders.set('member', await session('mia'));
}

const assign = (admin: Sender) =>
  expectSuccess(admin, 'PUT', '/api/experiments/closed/workers', { reactor_unit: 'rx1' });

async function prepareTokens(): Promise<void> {
  const [admin, owner] = [senders.get('administrator') ?? nobody(), senders.get('owner') ?? nobody()];
  await expectSuccess(admin, 'PUT', '/api/workers', {
    reactor_unit: 'rx1',
    model_name: 'reactor_20ml',
    model_version: '1.5',
  });
  for (const experiment of ['open', 'closed']) await expectSuccess(owner, 'POST', '/api/experiments', { experiment });
  await assign(admin);
  const access = { is_protected: true, members: ['mia'] };
  await expectSuccess(owner, 'PATCH', '/api/experiments/closed/access', access);
  const all = { permissions: Object(await expectSuccess(owner, 'GET', '/api/session')).permissions };
  senders.set('token', (await tokenOf(owner, all)).sender);
  senders.set('token that reads', (await tokenOf(owner, { permissions: ['experiments.read', 'jobs.read'] })).sender);
  senders.set('token for another experiment', (await tokenOf(owner, { ...all, experiments: ['open'] })).sender);
  const revoked = await tokenOf(owner, all);
  senders.set('revoked token', revoked.sender);
  await expectSuccess(owner, 'DELETE', `/api/tokens/${revoked.id}`);
  await enrolUnit(admin);
}

beforeAll(async () => {
  // OpenSSL reads the real time.
  const clock = new VirtualClock({ startMs: Date.now() });
  const configure = { host: '0.0.0.0', machine: harmlessMachine() };
  leader = await startLeader({ clock, configure });
  ca = await readFile(join(leader.dataFolder, 'storage', 'ca.pem'), 'utf8');
  await preparePeople();
  await prepareTokens();
});
afterAll(async () => {
  for (const { agent } of senders.values()) agent.destroy();
  await leader[Symbol.asyncDispose]();
});

interface Operation {
  readonly operation: string;
  readonly route: RouteDeclaration;
}

const operationsOf = (api: Readonly<Record<string, RouteDeclaration>>): readonly Operation[] =>
  Object.entries(api).map(([operation, route]) => ({ operation, route }));

/** These end what the others need: they come last. */
const last = ['unassignExperimentWorkers', 'unassignWorker', 'unassignAllWorkers', 'signOut'];
const operations = [...operationsOf(leaderApi), ...operationsOf(nodeApi satisfies NodeApi)].sort(
  (a, b) => last.indexOf(a.operation) - last.indexOf(b.operation),
);

const places: Readonly<Record<string, string>> = { experiment: 'closed', reactor_unit: 'rx1' };
const pathOf = ({ path }: RouteDeclaration): string => path.replaceAll(/\{(\w+)\}/g, (_, name) => places[name] ?? 'x');

/** What these change depends on the body; the others are refused before theirs is read. */
const bodies: Readonly<Record<string, object>> = {
  assignWorker: { reactor_unit: 'rx1' },
  updateWorkerJob: { settings: { target_rpm: 400 } },
  updateUnitJob: { settings: { target_rpm: 400 } },
};

/** Whoever is refused asks first: what the others are allowed to do may change something. */
const bySuccess = (operation: Operation) => (a: Identity, b: Identity) =>
  Number(expectedAnswer(operation, a) === 'allowed') - Number(expectedAnswer(operation, b) === 'allowed');

function answerOf({ status, code }: Seen): string {
  const isRefusal = status === 401 || status === 403;
  return isRefusal && code !== undefined && code in meaning ? `${status} ${code}` : 'allowed';
}

it('each route admits exactly those whom it should, over TLS', async () => {
  const seen = new Map<string, ReadonlyMap<Identity, string>>();
  const unexpected: string[] = [];
  for (const operation of operations) {
    const row = new Map<Identity, string>();
    for (const identity of [...identities].sort(bySuccess(operation))) {
      const sender = senders.get(identity);
      if (sender === undefined) throw new Error(`${identity} sends nothing.`);
      const { method } = operation.route;
      const received = await send(sender, method, pathOf(operation.route), bodies[operation.operation]);
      const answer = answerOf(received);
      const expected = expectedAnswer(operation, identity);
      row.set(identity, answer);
      if (answer !== expected)
        unexpected.push(`${operation.operation} ${identity}: ${answer} (${received.status}), expected ${expected}`);
      if (received.status === 500) unexpected.push(`${operation.operation} ${identity}: ${received.status}`);
      if (operation.operation.startsWith('unassign') && received.status < 300)
        await assign(senders.get('administrator') ?? sender);
    }
    seen.set(operation.operation, row);
  }
  expect(unexpected).toEqual([]);
  const file = new URL('../../../docs/reference/route-access.md', import.meta.url);
  const made = tableOf(seen);
  if (process.env.LCS_WRITE_COVERAGE === '1') await writeFile(file, made);
  expect(await readFile(file, 'utf8')).toBe(made);
});

/** Routes with the same answers for everybody share a row. */
function tableOf(seen: ReadonlyMap<string, ReadonlyMap<Identity, string>>): string {
  const short = (answer: string): string =>
    answer === 'allowed' ? '✓' : (meaning[answer.split(' ')[1] ?? ''] ?? answer);
  const rows = operations.map(({ operation, route }) => {
    const answers = identities.map((identity) => short(seen.get(operation)?.get(identity) ?? ''));
    return `| ${route.method} ${route.path} | ${route.permission} | ${answers.join(' | ')} |`;
  });
  return [
    '# Who may call which route',
    '',
    'Written by `tests/cluster/network/route-access.test.ts` with `LCS_WRITE_COVERAGE=1`, from the answers of a leader with TLS; `npm test` compares',
    'them with this page and with the rules of [permissions](../interfaces/permissions.md). The routes concern a protected experiment and its unit.',
    '✓: admitted. Otherwise:',
    '',
    ...Object.entries(meaning).map(([code, sign]) => `- ${sign}: \`${code}\``),
    '',
    `| route | permission | ${identities.join(' | ')} |`,
    `|---|---|${identities.map(() => '---|').join('')}`,
    ...rows.sort(),
    '',
  ].join('\n');
}
