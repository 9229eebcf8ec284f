import { createClient, leaderApi } from '@lcs/contract';
import { Caller, type LeaderUnderTest, signIn, startLeader } from '@lcs/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { observe } from '../observe.ts';
import { SoftAuthenticator } from './soft-authenticator.ts';

const password = 'three brown horses';
type Headers = Record<string, string>;

let leader: LeaderUnderTest;
/** A passkey needs a host name. */
let url: string;
let ada: Headers;
let vera: Headers;

const as = (headers: Headers) => createClient(leaderApi, { baseUrl: url, headers });
const codeOf = (result: Promise<unknown>) =>
  result.then(
    () => 'none',
    (error: { body?: { code?: string } }) => error.body?.code,
  );

beforeAll(async () => {
  leader = await startLeader({ observe });
  url = leader.url.replace('127.0.0.1', 'localhost');
  await leader.client.createPerson({ body: { name: 'ada', role: 'administrator', password } });
  ada = await signIn(leader.url, 'ada', password);
  await as(ada).createPerson({ body: { name: 'vera', role: 'viewer', password } });
  vera = await signIn(leader.url, 'vera', password);
});
afterAll(() => leader[Symbol.asyncDispose]());

const call = (operation: keyof typeof leaderApi, headers: Headers, options: object = {}) =>
  new Caller(leaderApi, url, observe).call(operation, { headers, ...options });

async function registered(headers: Headers, authenticator: SoftAuthenticator, name = 'laptop') {
  const options = await as(headers).startPasskeyRegistration({ body: { password } });
  return as(headers).registerPasskey({ body: { name, credential: authenticator.create(options) } });
}
const signInWith = async (authenticator: SoftAuthenticator) =>
  as({}).signInWithPasskey({ body: { credential: authenticator.get(await as({}).startPasskeySignIn()) } });

describe('a passkey', () => {
  it('signs its person in, until it is deleted', async () => {
    const authenticator = new SoftAuthenticator(url);
    const passkey = await registered(vera, authenticator);
    expect(passkey).toMatchObject({ name: 'laptop', person: 'vera', host: 'localhost', last_used_at: null });
    expect(await signInWith(authenticator)).toMatchObject({ kind: 'person', name: 'vera', role: 'viewer' });
    expect(await as(vera).listPasskeys()).toEqual([{ ...passkey, last_used_at: expect.any(String) }]);
    const params = { passkey_id: passkey.passkey_id };
    await as(vera).renamePasskey({ params, body: { name: 'phone' } });
    expect((await as(ada).listPasskeys()).map(({ name, person }) => [name, person])).toEqual([['phone', 'vera']]);
    await as(ada).deletePasskey({ params });
    expect(await codeOf(signInWith(authenticator))).toBe('passkey_refused');
    expect(leader.storedRows('passkeys')).toEqual([]);
  });

  it('is stored as a public key, and does not work for a disabled person', async () => {
    const authenticator = new SoftAuthenticator(url);
    const { passkey_id } = await registered(vera, authenticator);
    const person = (await as(ada).listPeople()).find(({ name }) => name === 'vera')?.person_id ?? '';
    await as(ada).updatePerson({ params: { person_id: person }, body: { is_disabled: true } });
    expect(await codeOf(signInWith(authenticator))).toBe('sign_in_failed');
    await as(ada).updatePerson({ params: { person_id: person }, body: { is_disabled: false } });
    // Their sessions have ended.
    vera = await signIn(url, 'vera', password);
    const [row] = leader.storedRows('passkeys');
    expect(row).toMatchObject({ id: passkey_id, host: 'localhost', name: 'laptop' });
    await as(ada).deletePasskey({ params: { passkey_id } });
  });

  it('is refused with a challenge that was used, of another origin, or without a verified person', async () => {
    const authenticator = new SoftAuthenticator(url);
    const { passkey_id } = await registered(ada, authenticator);
    const options = await as({}).startPasskeySignIn();
    const credential = authenticator.get(options);
    await as({}).signInWithPasskey({ body: { credential } });
    expect(await codeOf(as({}).signInWithPasskey({ body: { credential } }))).toBe('passkey_refused');
    const elsewhere = new SoftAuthenticator('https://evil.example');
    const foreign = await as(ada).startPasskeyRegistration({ body: { password } });
    const body = { name: 'x', credential: elsewhere.create(foreign) };
    expect(await codeOf(as(ada).registerPasskey({ body }))).toBe('passkey_refused');
    // The challenge of one person does not register a passkey of another.
    const ofVera = await as(vera).startPasskeyRegistration({ body: { password } });
    const stolen = { name: 'x', credential: new SoftAuthenticator(url).create(ofVera) };
    expect(await codeOf(as(ada).registerPasskey({ body: stolen }))).toBe('passkey_refused');
    authenticator.verifies = false;
    expect(await codeOf(signInWith(authenticator))).toBe('passkey_refused');
    await as(ada).deletePasskey({ params: { passkey_id } });
  });
});

it('each route answers each of its statuses', async () => {
  const { api } = leader;
  const params = { passkey_id: 'x' };
  const credential = new SoftAuthenticator(url).get({
    rpId: '',
    challenge: 'x',
    timeout: 1,
    userVerification: 'required',
  });
  (await api.call('startPasskeySignIn')).expect(409, 'passkeys_unavailable');
  (await api.call('signInWithPasskey', { body: { credential } })).expect(409, 'passkeys_unavailable');
  (await call('startPasskeySignIn', {})).expect(200);
  (await call('signInWithPasskey', {}, { body: { credential } })).expect(401, 'passkey_refused');
  (await call('listPasskeys', ada)).expect(200);
  (await call('renamePasskey', ada, { params, body: { name: 'y' } })).expect(404, 'passkey_not_found');
  (await call('deletePasskey', ada, { params })).expect(404, 'passkey_not_found');
  (await call('startPasskeyRegistration', {}, { body: { password } })).expect(409, 'person_needed');
  (await call('startPasskeyRegistration', ada, { body: { password: 'wrong' } })).expect(401, 'sign_in_failed');
  const options = await as(ada).startPasskeyRegistration({ body: { password } });
  const made = { name: 'key', credential: new SoftAuthenticator(url).create(options) };
  (await call('registerPasskey', {}, { body: made })).expect(409, 'person_needed');
  (await call('registerPasskey', ada, { body: made })).expect(201);
  (await call('registerPasskey', ada, { body: made })).expect(401, 'passkey_refused');
  (await call('startPasskeyRegistration', ada, { body: { password } })).expect(200);
  const key = new SoftAuthenticator(url);
  const known = { params: { passkey_id: (await registered(vera, key)).passkey_id } };
  const signed = { credential: key.get(await as({}).startPasskeySignIn()) };
  (await call('signInWithPasskey', {}, { body: signed })).expect(200);
  (await call('renamePasskey', vera, { ...known, body: { name: 'y' } })).expect(200);
  (await call('deletePasskey', vera, known)).expect(200);
  for (let count = (await as(ada).listPasskeys()).length; count < 20; count += 1)
    await registered(ada, new SoftAuthenticator(url));
  (await call('registerPasskey', ada, { body: made })).expect(409, 'too_many_passkeys');
});
