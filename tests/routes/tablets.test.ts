import { createClient, hasShape, leaderApi, Session } from '@lcs/contract';
import { type LeaderUnderTest, signIn, startLeader } from '@lcs/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { observe } from '../observe.ts';

const password = 'three brown horses';
/** Long enough that no hash or id of the audit contains it by chance. */
const pin = '47110815';
type Headers = Record<string, string>;

let leader: LeaderUnderTest;
let ada: Headers;
let otto: Headers;
let tablet: Headers;

const as = (headers: Headers) => createClient(leaderApi, { baseUrl: leader.url, headers });
const call = (operation: keyof typeof leaderApi, headers: Headers, options: object = {}) =>
  leader.api.call(operation, { headers, ...options });
const codeOf = (result: Promise<unknown>) =>
  result.then(
    () => 'none',
    (error: { body?: { code?: string } }) => error.body?.code,
  );

/** Makes a device with a session of `ada` a shared tablet. */
async function startTablet(name: string): Promise<Headers> {
  const headers = await signIn(leader.url, 'ada', password);
  const response = await fetch(`${leader.url}/api/session/tablet`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ name }),
  });
  const session: unknown = await response.json();
  const cookie = response.headers.get('set-cookie') ?? '';
  expect(cookie).toContain('Max-Age=31622400');
  if (!hasShape(Session, session)) throw new Error(`No tablet: ${JSON.stringify(session)}`);
  expect(session).toMatchObject({ kind: 'tablet', name, tablet: name, role: 'viewer' });
  return { cookie: cookie.split(';')[0] ?? '', 'x-csrf-token': session.csrf_token ?? '' };
}

/** The headers of requests of the page on which somebody has entered a PIN. */
async function acting(name: string, pin: string): Promise<Headers> {
  const session = await as(tablet).enterPin({ body: { name, pin } });
  return { ...tablet, 'x-csrf-token': session.csrf_token ?? '' };
}

beforeAll(async () => {
  leader = await startLeader({ observe });
  await leader.client.createPerson({ body: { name: 'ada', role: 'administrator', password } });
  ada = await signIn(leader.url, 'ada', password);
  for (const [name, role] of [
    ['otto', 'operator'],
    ['vera', 'viewer'],
  ] as const)
    await as(ada).createPerson({ body: { name, role, password } });
  otto = await signIn(leader.url, 'otto', password);
  await as(ada).setPin({ body: { password, pin: '83157' } });
  await as(otto).setPin({ body: { password, pin } });
  const vera = await signIn(leader.url, 'vera', password);
  await as(vera).setPin({ body: { password, pin: '9028' } });
  tablet = await startTablet('bench 2');
});
afterAll(() => leader[Symbol.asyncDispose]());

describe('a PIN', () => {
  it('is set with the password, stored as a hash, and gone with a new password of an administrator', async () => {
    const body = { password, pin };
    (await call('setPin', otto, { body })).expect(200);
    for (const pin of ['471', '471108154', '47a1', '1111', '1234', '9876'])
      (await call('setPin', otto, { body: { ...body, pin } })).expect(400, 'pin_unsuitable');
    (await call('setPin', otto, { body: { ...body, password: 'wrong' } })).expect(401, 'sign_in_failed');
    expect(JSON.stringify(leader.storedRows('people'))).not.toContain(pin);
    expect(await as(otto).listPeople()).toMatchObject([{ has_pin: true }, { has_pin: true }, { has_pin: true }]);
    await as(ada).createPerson({ body: { name: 'mia', role: 'operator', password } });
    const mia = await signIn(leader.url, 'mia', password);
    await as(mia).setPin({ body: { password, pin: '5082' } });
    const known = (await as(ada).listPeople()).find(({ name }) => name === 'mia');
    const params = { person_id: known?.person_id ?? '' };
    expect(await as(ada).updatePerson({ params, body: { password: 'seven white cats' } })).toMatchObject({
      has_pin: false,
    });
    expect(await codeOf(acting('mia', '5082'))).toBe('pin_wrong');
  });

  it('works at a shared tablet only, and not for a disabled person or after its deletion', async () => {
    const body = { name: 'otto', pin };
    (await call('enterPin', otto, { body })).expect(409, 'tablet_needed');
    (await call('endActing', otto)).expect(409, 'tablet_needed');
    (await call('setPin', {}, { body: { password, pin } })).expect(409, 'person_needed');
    (await call('deletePin', {})).expect(409, 'person_needed');
    await as(ada).createPerson({ body: { name: 'nina', role: 'operator', password } });
    const nina = await signIn(leader.url, 'nina', password);
    await as(nina).setPin({ body: { password, pin: '6093' } });
    expect(await codeOf(acting('nina', '6093'))).toBe('none');
    (await call('deletePin', nina)).expect(200);
    expect(await codeOf(acting('nina', '6093'))).toBe('pin_wrong');
    await as(nina).setPin({ body: { password, pin: '6093' } });
    const known = (await as(ada).listPeople()).find(({ name }) => name === 'nina');
    await as(ada).updatePerson({ params: { person_id: known?.person_id ?? '' }, body: { is_disabled: true } });
    expect(await codeOf(acting('nina', '6093'))).toBe('pin_wrong');
  });

  it('is delayed after wrong ones, for the person at every tablet, without a delay of their password', async () => {
    await as(ada).createPerson({ body: { name: 'rosa', role: 'operator', password } });
    const rosa = await signIn(leader.url, 'rosa', password);
    await as(rosa).setPin({ body: { password, pin: '2764' } });
    const other = await startTablet('bench 3');
    const enter = (pin: string, name = 'rosa') => call('enterPin', other, { body: { name, pin } });
    for (let attempt = 0; attempt < 5; attempt += 1) (await enter('0001')).expect(403, 'pin_wrong');
    (await enter('2764')).expect(429, 'sign_in_delayed');
    (await enter(pin, 'otto')).expect(429, 'sign_in_delayed');
    expect(await codeOf(acting('rosa', '2764'))).toBe('sign_in_delayed');
    expect(await codeOf(acting('otto', pin))).toBe('none');
    await signIn(leader.url, 'rosa', password);
  });
});

describe('a shared tablet', () => {
  it('is made by an administrator on this device, and reads only', async () => {
    (await call('startTablet', otto, { body: { name: 'x' } })).expect(403, 'not_allowed');
    (await call('startTablet', await signIn(leader.url, 'ada', password), { body: { name: 'x' } })).expect(200);
    const { secret } = await as(ada).createToken({ body: { name: 't', permissions: ['people.write'], days: 1 } });
    const token = { authorization: `Bearer ${secret}` };
    (await call('startTablet', token, { body: { name: 'x' } })).expect(409, 'person_needed');
    expect(await as(tablet).listExperiments()).toEqual([]);
    (await call('createExperiment', tablet, { body: { experiment: 'a' } })).expect(403, 'not_allowed');
    (await call('createExperiment', { cookie: tablet.cookie ?? '' }, { body: { experiment: 'a' } })).expect(
      403,
      'pin_entry_ended',
    );
    expect(await as(tablet).listSessions()).toEqual([]);
    const body = { name: 't', permissions: ['experiments.read'], days: 1 };
    (await call('createToken', tablet, { body })).expect(409, 'person_needed');
  });

  it('acts as the person whose PIN was entered, until the person leaves; the audit names both', async () => {
    const session = await as(tablet).enterPin({ body: { name: 'Otto', pin } });
    expect(session).toMatchObject({ kind: 'person', name: 'otto', role: 'operator', tablet: 'bench 2' });
    const headers = { ...tablet, 'x-csrf-token': session.csrf_token ?? '' };
    expect(await as(headers).getSession()).toMatchObject({ name: 'otto', csrf_token: session.csrf_token });
    expect(await as(tablet).getSession()).toMatchObject({ kind: 'tablet', csrf_token: tablet['x-csrf-token'] });
    await as(headers).createExperiment({ body: { experiment: 'ramp' } });
    const access = await as(ada).getExperimentAccess({ params: { experiment: 'ramp' } });
    expect(access).toMatchObject({ owner: 'otto', created_by: 'otto' });
    const [entry] = await as(ada).listAudit({ query: { operation: 'createExperiment', kind: 'change' } });
    expect(entry).toMatchObject({ caller_kind: 'person', caller: 'otto', channel: 'tablet bench 2' });
    const entries = await as(ada).listAudit({ query: { operation: 'enterPin' } });
    expect(entries[0]).toMatchObject({ caller_kind: 'tablet', caller: 'bench 2', status: 200 });
    expect(JSON.stringify(entries)).not.toContain(pin);
    // Without the CSRF token of the page where it was entered, the PIN is worth nothing.
    (await call('createExperiment', tablet, { body: { experiment: 'b' } })).expect(403, 'not_allowed');
    (await call('enterPin', tablet, { body: { name: 'otto', pin } })).expect(200);
    (await call('endActing', tablet)).expect(200);
    (await call('createExperiment', headers, { body: { experiment: 'b' } })).expect(403, 'pin_entry_ended');
  });

  it('gives nobody more than an operator may do, and no accounts, tokens and passwords', async () => {
    const administrator = await acting('ada', '83157');
    expect(await as(administrator).getSession()).toMatchObject({ name: 'ada', role: 'operator' });
    const person = { name: 'eve', role: 'administrator', password } as const;
    (await call('createPerson', administrator, { body: person })).expect(403, 'not_allowed');
    (await call('deleteExperiment', administrator, { params: { experiment: 'ramp' } })).expect(403, 'not_allowed');
    const token = { name: 't', permissions: ['experiments.read'], days: 1 };
    (await call('createToken', administrator, { body: token })).expect(409, 'person_needed');
    (await call('setPin', administrator, { body: { password, pin: '4712' } })).expect(409, 'person_needed');
    (await call('deletePin', administrator)).expect(409, 'person_needed');
    const change = { password, new_password: 'seven white cats' };
    (await call('changeOwnPassword', administrator, { body: change })).expect(409, 'person_needed');
    expect(await as(administrator).listSessions()).toEqual([]);
    expect(await as(administrator).listTokens()).toEqual([]);
    const viewer = await acting('vera', '9028');
    (await call('createExperiment', viewer, { body: { experiment: 'c' } })).expect(403, 'not_allowed');
  });

  it('outlives a restart and passwords of its administrator, and ends in the list of sessions', async () => {
    await leader.node.stop();
    await leader.node.start(new AbortController().signal);
    const url = leader.node.url;
    const client = createClient(leaderApi, { baseUrl: url, headers: tablet });
    expect(await client.getSession()).toMatchObject({ kind: 'tablet', name: 'bench 2' });
    const headers = await signIn(url, 'ada', password);
    const administrator = createClient(leaderApi, { baseUrl: url, headers });
    const body = { password, new_password: 'nine yellow birds' };
    await administrator.changeOwnPassword({ body });
    expect(await client.getSession()).toMatchObject({ kind: 'tablet' });
    const shared = (await administrator.listSessions()).find((session) => session.tablet === 'bench 2');
    expect(shared).toMatchObject({ person: 'ada', is_current: false });
    await administrator.endSession({ params: { session_id: shared?.session_id ?? '' } });
    expect(await client.getSession()).toMatchObject({ kind: 'anonymous' });
  });
});
