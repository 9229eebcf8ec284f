import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createClient, leaderApi } from '@lcs/contract';
import { type LeaderUnderTest, signIn, startLeader, type TemporaryFolder, temporaryFolder } from '@lcs/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { observe } from '../observe.ts';
import { clientSecret, OidcProvider, oidcSection } from '../oidc-provider.ts';

const password = 'three brown horses';
type Headers = Record<string, string>;

let folder: TemporaryFolder;
let leader: LeaderUnderTest;
let provider: OidcProvider;
let ada: Headers;

const as = (headers: Headers) => createClient(leaderApi, { baseUrl: leader.url, headers });
const call = (operation: keyof typeof leaderApi, options: object = {}) => leader.api.call(operation, options);
const lab = (sub: string, name: string, more: object = {}) => ({
  sub,
  preferred_username: name,
  groups: ['lab'],
  ...more,
});

/** What a browser does at the provider: opens the address and follows the link. */
async function visit(url: string): Promise<string> {
  const page = await (await fetch(url)).text();
  return (/href="([^"]+)"/.exec(page)?.[1] ?? '').replaceAll('&amp;', '&');
}

/** A sign-in of the account that the provider has now; the last answer of the leader. */
async function signInThere() {
  const { url, secret } = await as({}).startOidcSignIn();
  return call('signInWithOidc', { body: { secret, callback_url: await visit(url) } });
}

async function personAfterSignIn(name: string, role: string) {
  (await signInThere()).expect(200);
  const person = (await as(ada).listPeople()).find((one) => one.name === name);
  expect(person).toMatchObject({ name, role });
  return { person_id: person?.person_id ?? '' };
}

beforeAll(async () => {
  provider = await OidcProvider.start();
  folder = await temporaryFolder('leader');
  await writeFile(join(folder.path, 'leader.ini'), oidcSection(provider.issuer));
  leader = await startLeader({ observe, dataFolder: folder.path });
});
afterAll(async () => {
  await leader[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
  await provider[Symbol.asyncDispose]();
});

describe('the sign-in with an OpenID provider', () => {
  it('is not offered before the first person exists, and its secret is encrypted on disk', async () => {
    expect(await leader.client.getIdentityProvider()).toEqual({ name: null });
    (await call('startOidcSignIn')).expect(403, 'setup_needed');
    await leader.client.createPerson({ body: { name: 'ada', role: 'administrator', password } });
    ada = await signIn(leader.url, 'ada', password);
    expect((await call('getIdentityProvider')).expect(200)).toEqual({ name: 'Institute' });
    const file = await readFile(join(folder.path, 'leader.ini'), 'utf8');
    expect(file).not.toContain(clientSecret);
    expect(file).toMatch(/client_secret ?= ?encrypted:/);
  });

  it('creates a person at the first one, and finds them by issuer and subject at the next', async () => {
    const { url } = await as({}).startOidcSignIn();
    const asked = new URL(url).searchParams;
    expect(Object.fromEntries(asked)).toMatchObject({ response_type: 'code', code_challenge_method: 'S256' });
    expect([asked.get('state'), asked.get('nonce')].every((text) => (text?.length ?? 0) > 20)).toBe(true);
    expect(asked.get('redirect_uri')).toBe(`${leader.url}/sign-in`);
    provider.claims = lab('77', 'otto', { name: 'Otto L.' });
    const answer = await signInThere();
    expect(answer.expect(200)).toMatchObject({ kind: 'person', name: 'otto', role: 'operator' });
    expect(answer.headers.get('set-cookie')).toContain('SameSite=Strict');
    provider.claims = lab('77', 'renamed', { groups: ['guests'] });
    expect((await signInThere()).expect(200)).toMatchObject({ name: 'otto', role: 'viewer' });
    expect((await as(ada).listPeople()).map(({ name, display_name }) => [name, display_name])).toEqual([
      ['ada', 'ada'],
      ['otto', 'Otto L.'],
    ]);
  });

  it('ends a role with the group that has given it, and keeps one that an administrator has given', async () => {
    const mail = { email: 'kim@bio.example', email_verified: true };
    provider.claims = lab('90', 'kim', { ...mail, groups: ['lab-admins'] });
    const { person_id } = await personAfterSignIn('kim', 'administrator');
    provider.claims = lab('90', 'kim', { ...mail, groups: [] });
    await personAfterSignIn('kim', 'viewer');
    await as(ada).updatePerson({ params: { person_id }, body: { role: 'operator' } });
    await personAfterSignIn('kim', 'operator');
    provider.claims = lab('90', 'kim', { ...mail, groups: ['guests'] });
    await personAfterSignIn('kim', 'viewer');
  });

  it('never takes over a person with the same name or address', async () => {
    provider.claims = lab('78', 'Ada', { email: 'ada', email_verified: true, groups: ['lab-admins'] });
    expect((await signInThere()).expect(200)).toMatchObject({ name: 'Ada-2', role: 'administrator' });
    provider.claims = lab('79', 'ada', { groups: undefined, email: 'a@bio.example', email_verified: true });
    expect((await signInThere()).expect(200)).toMatchObject({ name: 'ada-3', role: 'viewer' });
    await signIn(leader.url, 'ada', password);
    await expect(signIn(leader.url, 'Ada-2', password)).rejects.toThrow();
    await expect(signIn(leader.url, 'Ada-2', '')).rejects.toThrow();
  });

  it('refuses who has no admitted group or domain, and who is disabled', async () => {
    provider.claims = lab('80', 'eve', { groups: ['others'], email: 'eve@bio.example', email_verified: false });
    (await signInThere()).expect(403, 'oidc_person_not_allowed');
    provider.claims = lab('81', 'nina');
    (await signInThere()).expect(200);
    const nina = (await as(ada).listPeople()).find(({ name }) => name === 'nina');
    await as(ada).updatePerson({ params: { person_id: nina?.person_id ?? '' }, body: { is_disabled: true } });
    (await signInThere()).expect(401, 'sign_in_failed');
  });

  it('refuses answers that are not for this sign-in', async () => {
    provider.claims = lab('82', 'mia');
    const { url, secret } = await as({}).startOidcSignIn();
    const callback_url = await visit(url);
    const end = (body: object) => call('signInWithOidc', { body });
    (await end({ secret: 'x', callback_url })).expect(401, 'oidc_refused');
    const other = await as({}).startOidcSignIn();
    (await end({ secret: other.secret, callback_url })).expect(401, 'oidc_refused');
    const third = await as({}).startOidcSignIn();
    const elsewhere = callback_url.replace('/sign-in', '/elsewhere');
    (await end({ secret: third.secret, callback_url: elsewhere })).expect(401, 'oidc_refused');
    (await end({ secret, callback_url })).expect(200);
    (await end({ secret, callback_url })).expect(401, 'oidc_refused');
    for (const fault of ['nonce', 'signature', 'issuer', 'audience', 'denied'] as const) {
      provider.fault = fault;
      (await signInThere()).expect(401, 'oidc_refused');
    }
    provider.fault = 'none';
  });

  it('names itself in the audit without code and secret', async () => {
    const [entry] = await as(ada).listAudit({ query: { operation: 'signInWithOidc', kind: 'sign_in' } });
    expect(entry).toMatchObject({ status: expect.any(Number) });
    expect(entry?.body).not.toMatch(/code=|state=/);
  });

  it('reports a provider that is away, settings that are wrong, and none', async () => {
    const write = (text: string) => writeFile(join(folder.path, 'leader.ini'), text);
    (await call('startOidcSignIn')).expect(200);
    const { url, secret } = await as({}).startOidcSignIn();
    const callback_url = await visit(url);
    await provider.close();
    (await call('signInWithOidc', { body: { secret, callback_url } })).expect(503, 'oidc_unavailable');
    await write(oidcSection('http://127.0.0.1:9/other'));
    (await call('startOidcSignIn')).expect(503, 'oidc_unavailable');
    await write(oidcSection('http://provider.example'));
    (await call('startOidcSignIn')).expect(503, 'oidc_unavailable');
    expect(await leader.client.getIdentityProvider()).toEqual({ name: null });
    await write('');
    (await call('startOidcSignIn')).expect(409, 'oidc_not_configured');
    const late = { secret: 'x', callback_url: 'x' };
    (await call('signInWithOidc', { body: late })).expect(401, 'oidc_refused');
  });
});
