import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { request } from 'node:http';
import { fileURLToPath } from 'node:url';
import { runProgram } from '@lcs/cli/testing';
import {
  createClient,
  isErrorBody,
  leaderApi,
  nodeApi,
  publicPermissions,
  type RouteDeclaration,
  rolePermissions,
} from '@lcs/contract';
import { type LeaderUnderTest, signedInClient, signIn, startLeader, temporaryFolder } from '@lcs/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { observe } from '../observe.ts';

const passwords = { ada: 'three brown horses', olga: 'seven white cats', vera: 'nine yellow birds' };
type Name = keyof typeof passwords;
type Headers = Readonly<Record<string, string>>;

let leader: LeaderUnderTest;
const sessions = new Map<Name, Headers>();

const attemptAt = (url: string, name: string, password: string): Promise<Response> =>
  fetch(`${url}/api/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name, password }),
  });

const attempt = (name: string, password: string) => attemptAt(leader.url, name, password);

const as = (name: Name) => createClient(leaderApi, { baseUrl: leader.url, headers: sessions.get(name) ?? {} });

beforeAll(async () => {
  leader = await startLeader({ observe });
  await leader.client.createPerson({ body: { name: 'ada', role: 'administrator', password: passwords.ada } });
  sessions.set('ada', await signIn(leader.url, 'ada', passwords.ada));
  await as('ada').createPerson({ body: { name: 'olga', role: 'operator', password: passwords.olga } });
  await as('ada').createPerson({ body: { name: 'vera', role: 'viewer', password: passwords.vera } });
  for (const name of ['olga', 'vera'] as const) sessions.set(name, await signIn(leader.url, name, passwords[name]));
});
afterAll(() => leader[Symbol.asyncDispose]());

const routes: readonly RouteDeclaration[] = [...Object.values(leaderApi), ...Object.values(nodeApi)];

/** Sent only where a refusal is expected: it comes before anything else of the request is read. */
async function refusal({ method, path }: RouteDeclaration, headers: Headers): Promise<unknown> {
  const response = await fetch(leader.url + path.replaceAll(/\{\w+\}/g, 'x'), { method, headers });
  const body: unknown = await response.json();
  return [method, path, response.status, isErrorBody(body) ? body.code : undefined];
}

const expected = ({ method, path }: RouteDeclaration, status: number, code: string) => [method, path, status, code];

describe('every route refuses', () => {
  it.each<[string, Headers]>([
    ['nobody', {}],
    ['a wrong token', { authorization: 'Bearer nonsense' }],
    ['a wrong cookie', { cookie: 'lcs_session=nonsense' }],
    ['a forwarded request', { 'x-forwarded-for': '127.0.0.1' }],
  ])('%s', async (_, headers) => {
    const closed = routes.filter(({ permission }) => !publicPermissions.has(permission));
    const answers = await Promise.all(closed.map((route) => refusal(route, headers)));
    expect(answers).toEqual(closed.map((route) => expected(route, 401, 'not_signed_in')));
    expect(closed.length).toBeGreaterThan(300);
  });

  it.each([
    ['vera', 'viewer'],
    ['olga', 'operator'],
  ] as const)('%s where the role %s has no permission', async (name, role) => {
    const closed = routes.filter(({ permission }) => !rolePermissions[role].has(permission));
    const answers = await Promise.all(closed.map((route) => refusal(route, sessions.get(name) ?? {})));
    expect(answers).toEqual(closed.map((route) => expected(route, 403, 'not_allowed')));
    expect(closed.length).toBeGreaterThan(30);
  });

  it('a session without its CSRF token, where something changes', async () => {
    const { cookie = '' } = sessions.get('ada') ?? {};
    const changing = routes.filter(({ method }) => method !== 'GET');
    const answers = await Promise.all(changing.map((route) => refusal(route, { cookie })));
    expect(answers).toEqual(changing.map((route) => expected(route, 403, 'csrf_token_wrong')));
    const refusals = () => as('ada').listAudit({ query: { kind: 'refusal', caller: 'ada', limit: 1 } });
    await expect.poll(refusals).toMatchObject([{ caller_kind: 'person', code: 'csrf_token_wrong' }]);
  });

  it('a token where it has no permission, and one that was revoked everywhere', async () => {
    const body = { name: 'script', permissions: ['jobs.read', 'experiments.read'], days: 1 };
    const token = await as('ada').createToken({ body });
    const headers = { authorization: `Bearer ${token.secret}` };
    const program = createClient(leaderApi, { baseUrl: leader.url, headers });
    expect(await program.listExperiments()).toEqual([]);
    expect(await program.getSession()).toMatchObject({ kind: 'token', name: 'script' });
    const closed = routes.filter(({ permission }) => !publicPermissions.has(permission));
    const withoutIt = closed.filter(({ permission }) => !body.permissions.includes(permission));
    expect(await Promise.all(withoutIt.map((route) => refusal(route, headers)))).toEqual(
      withoutIt.map((route) => expected(route, 403, 'not_allowed')),
    );
    await as('ada').revokeToken({ params: { token_id: token.token_id } });
    expect(await Promise.all(closed.map((route) => refusal(route, headers)))).toEqual(
      closed.map((route) => expected(route, 401, 'not_signed_in')),
    );
  });
});

it('everybody learns which routes they may use, with the refusals of these routes', async () => {
  const check = (query: { operation: string; experiment?: string }, headers: Headers = {}) =>
    leader.api.call('checkAccess', { query, headers });
  const ofAda = sessions.get('ada') ?? {};
  const ofVera = sessions.get('vera') ?? {};
  const reading = { operation: 'getOdReadings', experiment: 'a' };
  expect((await check(reading, ofVera)).expect(200)).toEqual({ is_allowed: true });
  (await check({ operation: 'nothing' }, ofAda)).expect(404, 'operation_unknown');
  (await check(reading)).expect(401, 'not_signed_in');
  (await check({ operation: 'createExperiment' }, ofVera)).expect(403, 'not_allowed');
  const body = { name: 'limited', permissions: ['experiments.read'], days: 1, experiments: ['b'] };
  const { secret, token_id } = await as('ada').createToken({ body });
  const ofProgram = { authorization: `Bearer ${secret}` };
  expect((await check({ ...reading, experiment: 'b' }, ofProgram)).expect(200)).toEqual({ is_allowed: true });
  (await check(reading, ofProgram)).expect(403, 'outside_token_limits');
  await as('ada').revokeToken({ params: { token_id } });
});

it('a browser without a session loads the files of the sign-in page', async () => {
  const { status } = await fetch(`${leader.url}/static/missing.js`);
  expect(status).toBe(404);
});

describe('a person', () => {
  it('signs in with a cookie that scripts and other sites cannot use, and out again', async () => {
    const response = await attempt('vera', passwords.vera);
    const cookie = response.headers.get('set-cookie') ?? '';
    expect(cookie).toMatch(/^lcs_session_\w+=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/);
    expect(await response.json()).toMatchObject({ kind: 'person', name: 'vera', role: 'viewer' });
    const headers = await signIn(leader.url, 'vera', passwords.vera);
    const client = createClient(leaderApi, { baseUrl: leader.url, headers });
    expect(await client.getSession()).toMatchObject({ name: 'vera', csrf_token: headers['x-csrf-token'] });
    await client.signOut();
    expect(
      await createClient(leaderApi, { baseUrl: leader.url, headers: { cookie: headers.cookie ?? '' } }).getSession(),
    ).toMatchObject({
      kind: 'anonymous',
    });
  });

  it('sees only the own sessions and tokens, except an administrator', async () => {
    const people = async (name: Name) =>
      [...new Set((await as(name).listSessions()).map(({ person }) => person))].sort();
    expect(await people('vera')).toEqual(['vera']);
    expect(await people('ada')).toEqual(['ada', 'olga', 'vera']);
    const body = { name: 'reading', permissions: ['jobs.read'], days: 1 };
    const token = await as('vera').createToken({ body });
    const headers = { authorization: `Bearer ${token.secret}` };
    const program = createClient(leaderApi, { baseUrl: leader.url, headers });
    expect([await program.listTokens(), await program.listSessions()]).toEqual([[], []]);
    await expect(program.createToken({ body })).rejects.toMatchObject({ body: { code: 'person_needed' } });
    await program.revokeToken({ params: { token_id: token.token_id } });
    await expect(program.listTokens()).resolves.toEqual([]);
  });

  it('is not told by an error whether a name exists', async () => {
    const wrong = [
      attempt('vera', 'wrong password'),
      attempt('vera', passwords.ada),
      attempt('nobody', 'wrong password'),
    ];
    const bodies = await Promise.all((await Promise.all(wrong)).map((answer) => answer.json()));
    expect(new Set(bodies.map((body) => JSON.stringify(body))).size).toBe(1);
    expect(bodies[0]).toMatchObject({ status: 401, code: 'sign_in_failed' });
  });
});

describe('what is not a route', () => {
  it('the broker is closed to a page without a session', async () => {
    const statusOf = (headers: Headers) =>
      new Promise<unknown>((resolve, reject) => {
        const upgrade = {
          connection: 'Upgrade',
          upgrade: 'websocket',
          'sec-websocket-version': '13',
          'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
          'sec-websocket-protocol': 'mqtt',
        };
        const sent = request(`${leader.url}/mqtt`, { headers: { ...upgrade, ...headers } }).end();
        sent.on('response', ({ statusCode }) => resolve(statusCode));
        sent.on('upgrade', ({ statusCode }, socket) => {
          socket.destroy();
          resolve(statusCode);
        });
        sent.on('error', reject);
      });
    const { cookie = '' } = sessions.get('olga') ?? {};
    const { cookie: viewing = '' } = sessions.get('vera') ?? {};
    expect([await statusOf({}), await statusOf({ cookie: viewing }), await statusOf({ cookie })]).toEqual([
      401, 101, 101,
    ]);
  });

  it('MCP offers a token the tools that it may call, and calls them with its permissions', async () => {
    const ask = async (permissions: readonly string[], method: string, params: object = {}) => {
      const { secret } = await as('ada').createToken({
        body: { name: 'model', permissions: [...permissions], days: 1 },
      });
      const response = await fetch(`${leader.url}/mcp/`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${secret}`,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      });
      const { result }: { result?: { tools?: { name: string }[]; isError?: boolean } } = JSON.parse(
        await response.text(),
      );
      return { status: response.status, result };
    };
    const call = { name: 'get_experiments', arguments: {} };
    const few = await ask(['mcp.use', 'jobs.read'], 'tools/list');
    const names = few.result?.tools?.map(({ name }) => name);
    expect(names).toContain('get_jobs_running_on_reactor_unit');
    expect(names).not.toContain('get_experiments');
    expect((await ask(['mcp.use', 'experiments.read'], 'tools/call', call)).result?.isError ?? false).toBe(false);
    expect((await ask(['jobs.read'], 'tools/list')).status).toBe(403);
  });
});

describe('the audit', () => {
  it('has each change and each refusal, with caller and result, and no password', async () => {
    await as('olga').createExperiment({ body: { experiment: 'audited' } });
    await expect(as('vera').createExperiment({ body: { experiment: 'no' } })).rejects.toMatchObject({ status: 403 });
    await as('ada').updatePerson({ params: { person_id: await idOf('vera') }, body: { password: passwords.vera } });
    sessions.set('vera', await signIn(leader.url, 'vera', passwords.vera));
    await as('ada').listExperiments();
    const [signedIn, changed, refused, created] = await as('ada').listAudit({ query: { limit: 4 } });
    expect(created).toMatchObject({
      caller: 'olga',
      operation: 'createExperiment',
      path: '/api/experiments',
      status: 201,
      code: null,
    });
    expect(JSON.parse(created?.body ?? '')).toEqual({ experiment: 'audited' });
    expect(refused).toMatchObject({
      caller: 'vera',
      caller_kind: 'person',
      status: 403,
      code: 'not_allowed',
      body: null,
    });
    expect(changed).toMatchObject({ caller: 'ada', operation: 'updatePerson', body: '{"password":"(secret)"}' });
    expect(signedIn).toMatchObject({ caller_kind: 'anonymous', operation: 'signIn', status: 200 });
  });

  it('has the state before and after, the reason, sign-outs and refused reads', async () => {
    await as('ada').createExperiment({ body: { experiment: 'changed', description: 'old' } });
    await as('ada').updateExperiment({ params: { experiment: 'changed' }, body: { description: 'new' } });
    const reason = 'Verwechslung: 培养 zwei';
    await as('ada').deleteExperiment({ params: { experiment: 'changed' }, reason });
    await expect(as('vera').listAudit({ query: {} })).rejects.toMatchObject({ status: 403 });
    const headers = await signIn(leader.url, 'vera', passwords.vera);
    await createClient(leaderApi, { baseUrl: leader.url, headers }).signOut();
    const entryOf = async (operation: string) =>
      (await as('ada').listAudit({ query: { experiment: 'changed', operation } }))[0];
    const [deleted, updated] = [await entryOf('deleteExperiment'), await entryOf('updateExperiment')];
    expect(deleted).toMatchObject({ operation: 'deleteExperiment', reason, after: null });
    expect(JSON.parse(deleted?.before ?? '')).toMatchObject({ experiment: 'changed', description: 'new' });
    expect(updated).toMatchObject({ before: '{"description":"old"}', after: '{"description":"new"}', reason: null });
    const [signedOut, signedIn] = await as('ada').listAudit({ query: { kind: 'sign_in' } });
    expect([signedOut, signedIn]).toMatchObject([{ operation: 'signOut', caller: 'vera' }, { operation: 'signIn' }]);
    const [refused] = await as('ada').listAudit({ query: { kind: 'refusal', caller: 'vera' } });
    expect(refused).toMatchObject({ method: 'GET', path: '/api/audit', status: 403 });
    expect(await as('ada').listAudit({ query: { kind: 'failure', unit: 'x' } })).toEqual([]);
  });

  it('is exported as a file whose chain can be followed', async () => {
    await as('olga').createExperiment({ body: { experiment: 'exported' }, reason: '=1+1' });
    const lines = (await as('ada').exportAudit({ query: { format: 'json' } })).trim().split('\n');
    const all: { readonly seq: number; readonly hash: string; readonly previous_hash: string }[] = lines.map((line) =>
      JSON.parse(line),
    );
    expect(all.map(({ previous_hash }) => previous_hash)).toEqual(['', ...all.map(({ hash }) => hash)].slice(0, -1));
    const [newest] = await as('ada').listAudit({ query: { limit: 1, experiment: 'exported' } });
    const csv = await as('ada').exportAudit({ query: { since: newest?.timestamp ?? '' } });
    expect(csv).toContain(",'=1+1,");
    expect(await as('ada').exportAudit({ query: { until: '2020-01-01T00:00:00Z' } })).toMatch(/^timestamp,seq,/);
  });

  it('is shown page by page, filtered, to administrators', async () => {
    const client = as('ada');
    // Refusals are stored after their answer, and after all earlier entries.
    await expect(as('olga').listAudit({ query: { limit: 7 } })).rejects.toMatchObject({ status: 403 });
    const last = async () => (await client.listAudit({ query: { limit: 1 } }))[0];
    await expect.poll(last).toMatchObject({ caller: 'olga', operation: 'listAudit', status: 403 });
    const all = await client.listAudit({ query: { limit: 1000 } });
    const [newest, next, third] = all;
    expect([next?.seq, third?.seq]).toEqual([(newest?.seq ?? 0) - 1, (newest?.seq ?? 0) - 2]);
    expect(await client.listAudit({ query: { before: String(next?.seq), limit: 1 } })).toEqual([third]);
    const [first] = await client.listAudit({ query: { before: '2' } });
    expect(first).toMatchObject({ seq: 1, operation: 'createPerson', caller_kind: 'local' });
    expect(await client.listAudit({ query: { operation: 'createPerson' } })).toContainEqual(first);
    expect((await client.listAudit({ query: { caller: 'olga' } })).every(({ caller }) => caller === 'olga')).toBe(true);
    expect(await client.listAudit({ query: { until: '2020-01-01T00:00:00Z' } })).toEqual([]);
    await expect(client.listAudit({ query: { before: 'x' } })).rejects.toMatchObject({
      body: { code: 'invalid_query' },
    });
    const verified = await client.verifyAudit({ query: { contains: first?.hash ?? '' } });
    expect(verified).toMatchObject({ entries: newest?.seq, is_intact: true, contains: true });
    expect(await client.verifyAudit({ query: { contains: 'abc' } })).toMatchObject({ contains: false });
  });
});

const idOf = async (name: string): Promise<string> =>
  (await as('ada').listPeople()).find((person) => person.name === name)?.person_id ?? '';

it('each route answers each of its statuses', async () => {
  await using other = await startLeader({ observe });
  const { api, url } = other;
  const body = { name: 'ada', role: 'administrator', password: passwords.ada };
  (await api.call('getSession')).expect(200);
  (await api.call('changeOwnPassword', { body: { password: 'x', new_password: 'y' } })).expect(409, 'person_needed');
  (await api.call('createToken', { body: { name: 'x', permissions: ['jobs.read'], days: 1 } })).expect(
    409,
    'person_needed',
  );
  (await api.call('createPerson', { body: { ...body, password: 'short' } })).expect(400, 'password_unsuitable');
  (await api.call('createPerson', { body })).expect(201);
  (await api.call('signIn', { body: { name: 'ada', password: 'wrong' } })).expect(401, 'sign_in_failed');
  (await api.call('signIn', { body: { name: 'ada', password: passwords.ada } })).expect(200);
  const headers = await signIn(url, 'ada', passwords.ada);
  const call = (operation: Parameters<typeof api.call>[0], options: Parameters<typeof api.call>[1] = {}) =>
    api.call(operation, { headers, ...options });
  (await call('createPerson', { body })).expect(409, 'person_name_taken');
  // Records use these words where nobody is signed in.
  for (const name of ['User', 'ui', 'local'])
    (await call('createPerson', { body: { ...body, name } })).expect(409, 'person_name_taken');
  const [ada] = await createClient(leaderApi, { baseUrl: url, headers }).listPeople();
  (await call('listPeople')).expect(200);
  const params = { person_id: ada?.person_id ?? '' };
  (await call('updatePerson', { params, body: {} })).expect(400, 'nothing_to_change');
  (await call('updatePerson', { params, body: { role: 'viewer' } })).expect(409, 'last_administrator');
  (await call('updatePerson', { params, body: { display_name: 'Ada' } })).expect(200);
  (await call('updatePerson', { params: { person_id: 'x' }, body: { role: 'viewer' } })).expect(
    404,
    'person_not_found',
  );
  (await call('deletePerson', { params })).expect(409, 'last_administrator');
  (await call('deletePerson', { params: { person_id: 'x' } })).expect(404, 'person_not_found');
  (await call('createPerson', { body: { ...body, name: 'bert' } })).expect(201);
  // A program must not pass for another person in records.
  const disguised = { name: ' BERT ', permissions: ['jobs.read'], days: 1 };
  (await call('createToken', { body: disguised })).expect(409, 'person_name_taken');
  const people = await createClient(leaderApi, { baseUrl: url, headers }).listPeople();
  (await call('deletePerson', { params: { person_id: people.at(-1)?.person_id ?? '' } })).expect(200);

  const change = { password: passwords.ada, new_password: passwords.ada };
  (await call('changeOwnPassword', { body: { ...change, new_password: 'short' } })).expect(400, 'password_unsuitable');
  (await call('changeOwnPassword', { body: { ...change, password: 'wrong' } })).expect(401, 'sign_in_failed');
  (await call('changeOwnPassword', { body: change })).expect(200);

  (await call('listTokens')).expect(200);
  const token = { name: 'x', permissions: ['jobs.read'], days: 1 };
  (await call('createToken', { body: { ...token, permissions: ['nonsense'] } })).expect(
    403,
    'token_permission_missing',
  );
  (await call('createToken', { body: token })).expect(201);
  const [made] = await createClient(leaderApi, { baseUrl: url, headers }).listTokens();
  (await call('revokeToken', { params: { token_id: made?.token_id ?? '' } })).expect(200);
  (await call('revokeToken', { params: { token_id: 'x' } })).expect(404, 'token_not_found');

  (await call('listSessions')).expect(200);
  await signIn(url, 'ada', passwords.ada);
  const sessionIds = await createClient(leaderApi, { baseUrl: url, headers }).listSessions();
  const others = sessionIds.find(({ is_current }) => !is_current)?.session_id ?? '';
  (await call('endSession', { params: { session_id: others } })).expect(200);
  (await call('endSession', { params: { session_id: 'x' } })).expect(404, 'person_session_not_found');

  (await call('listAudit')).expect(200);
  (await call('listAudit', { query: { since: 'yesterday' } })).expect(400, 'invalid_query');
  (await call('verifyAudit')).expect(200);
  (await call('exportAudit')).expect(200);
  (await call('exportAudit', { query: { since: 'yesterday' } })).expect(400, 'invalid_query');
  const unknown = { params: { experiment: 'x' } };
  (await call('deleteExperiment', unknown)).expect(400, 'reason_missing');
  (await call('deleteExperiment', { ...unknown, headers: { ...headers, 'x-reason': 'over' } })).expect(404);
  (await call('removeWorker', { params: { reactor_unit: 'x' } })).expect(400, 'reason_missing');
  (await call('importUnitData', { params: { reactor_unit: 'x' } })).expect(400, 'reason_missing');
  const dosing = { reactor_unit: '$broadcast', job: 'dosing_automation', experiment: 'x' };
  const confirmed = { params: dosing, body: { confirm_dilution: true } };
  (await call('runWorkerJob', confirmed)).expect(400, 'reason_missing');
  (await call('runWorkerJob', { ...confirmed, headers: { ...headers, 'x-reason': 'too dense' } })).expect(404);
  (await call('updateWorkerJob', { params: dosing, body: { settings: {}, confirm_dilution: true } })).expect(
    400,
    'reason_missing',
  );
  (await call('runJob', { params: { job: 'none' }, body: { confirm_dilution: true } })).expect(400, 'reason_missing');
  (await call('signOut')).expect(200);
  for (let failure = 0; failure < 5; failure += 1) await attemptAt(url, 'eve', 'wrong');
  (await api.call('signIn', { body: { name: 'eve', password: 'wrong' } })).expect(429, 'sign_in_delayed');
});

it('lcs signs in, uses its token, and signs out', async () => {
  await using home = await temporaryFolder();
  const lcs = (input: string, ...words: string[]) =>
    runProgram([...words, '--url', leader.url], {
      environment: { HOME: home.path },
      input: async function* lines() {
        yield input;
      },
    });
  expect((await lcs('', 'units')).code).toBe(1);
  expect((await lcs('wrong password', 'login', 'ada', '--password-stdin')).code).toBe(1);
  expect(await lcs(passwords.ada, 'login', 'ada', '--password-stdin')).toMatchObject({ code: 0, err: '' });
  expect((await lcs('', 'units')).code).toBe(0);
  expect(
    await lcs('five purple snails', 'people', 'add', 'carl', '--role', 'viewer', '--password-stdin'),
  ).toMatchObject({ code: 0 });
  expect(await lcs('', 'people', 'set', 'carl', '--disable')).toMatchObject({ code: 0, err: '' });
  const { out } = await lcs('', 'people', '--json');
  expect(JSON.parse(out)).toContainEqual(expect.objectContaining({ name: 'carl', is_disabled: true }));
  expect(await lcs('', 'people', 'remove', 'carl')).toMatchObject({ code: 0 });
  const made = await lcs(
    passwords.ada,
    'tokens',
    'make',
    'x',
    '--user',
    'ada',
    '--permission',
    'jobs.read',
    '--password-stdin',
  );
  expect(made).toMatchObject({ code: 0, out: expect.stringMatching(/^[\w-]{43}\n$/) });
  expect(await lcs('', 'audit', '--caller', 'ada')).toMatchObject({
    code: 0,
    out: expect.stringContaining('/api/people'),
  });
  expect(await lcs('', 'audit', 'export', '--format', 'csv')).toMatchObject({
    code: 0,
    out: expect.stringContaining('createPerson'),
  });
  expect(await lcs('', 'audit', 'export', '--since', 'x')).toMatchObject({ code: 1 });
  expect(await lcs('', 'audit', 'verify')).toMatchObject({ code: 0 });
  expect(await lcs('', 'audit', 'verify', '--expect', 'abc')).toMatchObject({ code: 1 });
  expect(await lcs('', 'logout')).toMatchObject({ code: 0 });
  expect((await lcs('', 'units')).code).toBe(1);
});

it('the program reads a password from its standard input', async () => {
  await using home = await temporaryFolder();
  const program = fileURLToPath(new URL('../../packages/cli/bin/lcs.js', import.meta.url));
  const args = [program, 'login', 'ada', '--password-stdin', '--url', leader.url];
  const child = spawn(process.execPath, args, { env: { ...process.env, HOME: home.path, XDG_CONFIG_HOME: '' } });
  child.stdin.end(`${passwords.ada}\n`);
  const [code] = await once(child, 'exit');
  expect(code).toBe(0);
});

it('a leader with a board measures on after its first person was created', async () => {
  await using both = await startLeader({ configure: { board: { kind: 'here', seed: 1 } }, observe });
  const { client } = both;
  const open = createClient(leaderApi, { baseUrl: both.url });
  await expect.poll(() => open.discoverWorkers()).toEqual([{ reactor_unit: 'lead' }]);
  await client.registerWorker({ body: { reactor_unit: 'lead', model_name: 'reactor_20ml', model_version: '1.5' } });
  await client.createPerson({ body: { name: 'ada', role: 'administrator', password: passwords.ada } });
  const ada = await signedInClient(both.url, 'ada', passwords.ada);
  await ada.createExperiment({ body: { experiment: 'ramp' } });
  await ada.assignWorker({ params: { experiment: 'ramp' }, body: { reactor_unit: 'lead' } });
  const units = async () =>
    (await ada.listUnits()).map(({ liveness, desired_version, applied_version }) => ({
      liveness,
      isApplied: desired_version === applied_version,
    }));
  await expect.poll(units).toEqual([{ liveness: 'online', isApplied: true }]);
});
