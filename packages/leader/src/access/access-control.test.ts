import { ApiError, type Caller, dayMs, hourMs, type PersonCreation } from '@lcs/contract';
import { describe, expect, it, onTestFinished } from 'vitest';
import { errorOf, startTestLeader } from '../testing/test-leader.ts';
import { AccessControl } from './access-control.ts';

const password = 'three brown horses';
const ada: PersonCreation = { name: 'ada', role: 'administrator', password };
const bert: PersonCreation = { name: 'bert', role: 'viewer', password: 'seven white cats' };
/** The least that the algorithm allows: 8 KiB. */
const cost = { memory: 8, passes: 1, parallelism: 1 };
const origin = { address: '127.0.0.1', userAgent: 'test' };

type Headers = Readonly<Record<string, string>>;

async function startAccess(options: Parameters<typeof startTestLeader>[0] = {}) {
  const leader = await startTestLeader(options);
  onTestFinished(() => leader[Symbol.asyncDispose]());
  const access = new AccessControl({ context: leader.context, cookieSuffix: 'lead', cost });
  await access.start();
  const identify = (headers: Headers = {}, method = 'GET', remoteAddress = '127.0.0.1'): Caller =>
    access.identify({ method, headers, socket: { remoteAddress } });
  const cookie = (secret: string): Headers => ({ cookie: `theme=dark; ${access.cookieName}=${secret}` });
  return { ...leader, access, identify, cookie };
}

describe('a leader without people', () => {
  it.each([
    ['127.0.0.1', {}, 'local'],
    ['::ffff:127.0.0.1', {}, 'local'],
    ['::1', {}, 'local'],
    ['192.0.2.7', {}, 'anonymous'],
    ['127.0.0.1', { 'x-forwarded-for': '192.0.2.7' }, 'anonymous'],
    ['127.0.0.1', { forwarded: 'for=192.0.2.7' }, 'anonymous'],
  ])('identifies a caller at %s with %j as %s', async (address, headers, kind) => {
    const { identify } = await startAccess();
    expect(identify(headers, 'GET', address).kind).toBe(kind);
  });

  it('accepts only an administrator as its first person', async () => {
    const { access } = await startAccess();
    expect(await errorOf(access.createPerson(bert))).toMatchObject({ code: 'first_person_not_administrator' });
  });
});

describe('people', () => {
  it('make the machine itself as untrusted as any other', async () => {
    const { access, identify } = await startAccess();
    await access.createPerson(ada);
    const caller = identify();
    expect([caller.kind, [...caller.permissions].sort()]).toEqual([
      'anonymous',
      ['health.read', 'node.enrol', 'pages.read', 'session.use'],
    ]);
  });

  it.each([
    ['', 'password_unsuitable'],
    ['short', 'password_unsuitable'],
    ['aaaaaaaaaaaaaaaa', 'password_unsuitable'],
    ['my name is Ada forever', 'password_unsuitable'],
    ['x'.repeat(300), 'password_unsuitable'],
  ])('cannot have the password %j', async (unsuitable, code) => {
    const { access } = await startAccess();
    expect(await errorOf(access.createPerson({ ...ada, password: unsuitable }))).toMatchObject({ status: 400, code });
    expect(access.people).toEqual([]);
  });

  it('have names that differ in more than upper and lower case, also when two are created at once', async () => {
    const { access } = await startAccess();
    const both = await Promise.allSettled([access.createPerson(ada), access.createPerson({ ...ada, name: 'ADA' })]);
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(access.people).toHaveLength(1);
  });

  it('always include an administrator who can sign in', async () => {
    const { access } = await startAccess();
    const { id } = await access.createPerson(ada);
    await access.createPerson(bert);
    for (const change of [{ role: 'operator' } as const, { is_disabled: true }])
      expect(await errorOf(access.updatePerson(id, change))).toMatchObject({ code: 'last_administrator' });
    expect(await errorOf(access.deletePerson(id))).toMatchObject({ code: 'last_administrator' });
    const second = await access.createPerson({ ...ada, name: 'carl' });
    const both = await Promise.allSettled([access.deletePerson(id), access.deletePerson(second.id)]);
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  });

  it('survive a restart, with sessions and tokens', async () => {
    const first = await startAccess();
    await first.access.createPerson(ada);
    const { secret, caller } = await first.access.signIn('Ada', password, origin);
    const token = await first.access.createToken(caller, { name: 'script', permissions: ['jobs.read'], days: 1 });
    const second = new AccessControl({ context: first.context, cookieSuffix: 'lead', cost });
    await second.start();
    const again = (headers: Headers) =>
      second.identify({ method: 'GET', headers, socket: { remoteAddress: '192.0.2.7' } });
    expect(again(first.cookie(secret))).toMatchObject({ kind: 'person', name: 'ada' });
    expect(again({ authorization: `Bearer ${token.secret}` })).toMatchObject({ kind: 'token', name: 'script' });
    const stored = await first.context.database.read.selectFrom('people').selectAll().execute();
    expect(JSON.stringify(stored)).not.toContain(password);
  });
});

describe('sessions', () => {
  const signedIn = async () => {
    const leader = await startAccess();
    const person = await leader.access.createPerson(ada);
    const session = await leader.access.signIn('ada', password, origin);
    return { ...leader, person, session };
  };

  it('identify their person, from any address', async () => {
    const { identify, cookie, session, person } = await signedIn();
    expect(identify(cookie(session.secret), 'GET', '192.0.2.7')).toMatchObject({
      kind: 'person',
      personId: person.id,
      name: 'ada',
    });
  });

  it.each([undefined, '', 'wrong'])('need their CSRF token for a change: %s', async (token) => {
    const { identify, cookie, session } = await signedIn();
    const headers = { ...cookie(session.secret), ...(token !== undefined && { 'x-csrf-token': token }) };
    expect(() => identify(headers, 'POST')).toThrow(ApiError);
    expect(identify({ ...headers, 'x-csrf-token': session.csrfToken }, 'POST').kind).toBe('person');
  });

  it('end after twelve hours without use, and after seven days in any case', async () => {
    const { identify, cookie, session, clock } = await signedIn();
    const kind = () => identify(cookie(session.secret)).kind;
    for (let used = 0; used < 13; used += 1) {
      await clock.advance(12 * hourMs - 1);
      expect(kind()).toBe('person');
    }
    await clock.advance(12 * hourMs);
    expect(kind()).toBe('anonymous');
    const { access } = await signedIn();
    expect(access.sessions()).toHaveLength(1);
  });

  it('end at once when they are ended, their person is disabled or deleted, or gets a new password', async () => {
    const { access, identify, cookie } = await signedIn();
    const { id } = await access.createPerson(bert);
    const kindAfter = async (change: (sessionId: string) => Promise<unknown>) => {
      const { secret, caller } = await access.signIn('bert', bert.password, origin);
      expect(identify(cookie(secret)).kind).toBe('person');
      await change(caller.id);
      return identify(cookie(secret)).kind;
    };
    expect(await kindAfter((session) => access.endSession(session))).toBe('anonymous');
    const disabledForAMoment = async () => {
      await access.updatePerson(id, { is_disabled: true });
      await access.updatePerson(id, { is_disabled: false });
    };
    expect(await kindAfter(disabledForAMoment)).toBe('anonymous');
    expect(await kindAfter(() => access.updatePerson(id, { password: bert.password }))).toBe('anonymous');
    expect(await kindAfter(() => access.deletePerson(id))).toBe('anonymous');
  });

  it('of other people cannot be ended without permission', async () => {
    const { access, session } = await signedIn();
    const other = await access.createPerson(bert);
    expect(await errorOf(access.endSession(session.caller.id, other.id))).toMatchObject({
      code: 'person_session_not_found',
    });
  });

  it('end when their person changes the password, except the one that does', async () => {
    const { access, identify, cookie, session } = await signedIn();
    const other = await access.signIn('ada', password, origin);
    await access.changePassword(session.caller, password, 'four green rivers', origin.address);
    expect([identify(cookie(session.secret)).kind, identify(cookie(other.secret)).kind]).toEqual([
      'person',
      'anonymous',
    ]);
    expect(await errorOf(access.signIn('ada', password, origin))).toMatchObject({ code: 'sign_in_failed' });
  });
});

describe('sign-in', () => {
  it('fails alike for an unknown name, a wrong password and a disabled person', async () => {
    const { access } = await startAccess();
    await access.createPerson(ada);
    const { id } = await access.createPerson(bert);
    await access.updatePerson(id, { is_disabled: true });
    for (const [name, tried] of [
      ['nobody', password],
      ['ada', 'wrong'],
      ['bert', bert.password],
    ] as const)
      expect(await errorOf(access.signIn(name, tried, origin))).toMatchObject({ status: 401, code: 'sign_in_failed' });
  });

  it('waits longer after each failure, for a name and for an address', async () => {
    const { access, wire } = await startAccess();
    await access.createPerson(ada);
    const from = (address: string) => ({ ...origin, address });
    for (let failure = 0; failure < 5; failure += 1)
      expect(await errorOf(access.signIn('ada', 'wrong', from(`192.0.2.${failure}`)))).toMatchObject({ status: 401 });
    const delayed = { status: 429, code: 'sign_in_delayed' };
    expect(await errorOf(access.signIn('ADA', password, from('192.0.2.9')))).toMatchObject(delayed);
    await wire.advance(1000);
    expect(await errorOf(access.signIn('ada', 'wrong', from('192.0.2.9')))).toMatchObject({ status: 401 });
    await wire.advance(1999);
    expect(await errorOf(access.signIn('ada', password, from('192.0.2.10')))).toMatchObject(delayed);
    await wire.advance(1);
    expect((await access.signIn('ada', password, from('192.0.2.10'))).caller.name).toBe('ada');
    for (let failure = 0; failure < 5; failure += 1)
      expect(await errorOf(access.signIn(`no-${failure}`, 'wrong', from('192.0.2.20')))).toMatchObject({ status: 401 });
    expect(await errorOf(access.signIn('ada', password, from('192.0.2.20')))).toMatchObject(delayed);
    await wire.advance(dayMs);
    expect((await access.signIn('ada', password, from('192.0.2.20'))).caller.name).toBe('ada');
  });
});

describe('at the same moment', () => {
  it('many attempts to sign in do not get around the delay', async () => {
    const { access } = await startAccess();
    await access.createPerson(ada);
    const tries = Array.from({ length: 40 }, () => errorOf(access.signIn('ada', 'wrong', origin)));
    const codes = (await Promise.all(tries)).map(({ code }) => code);
    expect(codes.filter((code) => code === 'sign_in_failed').length).toBeLessThanOrEqual(6);
  });

  it('the use and the end of a session or token leave nothing in the store', async () => {
    const { access, identify, cookie, clock, context } = await startAccess();
    await access.createPerson(ada);
    const { secret, caller } = await access.signIn('ada', password, origin);
    const made = await access.createToken(caller, { name: 'script', permissions: ['jobs.read'], days: 1 });
    await clock.advance(hourMs);
    identify(cookie(secret));
    identify({ authorization: `Bearer ${made.secret}` });
    const { read } = context.database;
    await Promise.all([access.endSession(caller.id), access.revokeToken(made.token.id)]);
    await access.createPerson(bert);
    expect(await read.selectFrom('sessions').select('id').execute()).toEqual([]);
    expect(await read.selectFrom('tokens').select('id').execute()).toEqual([]);
  });

  it('a session that has ended by itself is removed with the next sign-in', async () => {
    const { access, clock, context } = await startAccess();
    await access.createPerson(ada);
    await access.signIn('ada', password, origin);
    await clock.advance(13 * hourMs);
    await access.signIn('ada', password, origin);
    expect(await context.database.read.selectFrom('sessions').select('id').execute()).toHaveLength(1);
  });
});

it('a leader without people ignores credentials', async () => {
  const { identify } = await startAccess();
  expect(identify({ authorization: 'Bearer of-another-program' }).kind).toBe('local');
});

describe('tokens', () => {
  const made = async (creation: PersonCreation, permissions: string[]) => {
    const leader = await startAccess();
    await leader.access.createPerson(ada);
    if (creation !== ada) await leader.access.createPerson(creation);
    const { caller } = await leader.access.signIn(creation.name, creation.password, origin);
    const { token, secret } = await leader.access.createToken(caller, { name: 'script', permissions, days: 30 });
    const bearer = { authorization: `Bearer ${secret}` };
    return { ...leader, caller, token, bearer };
  };

  it('have the permissions that they list and their maker still has', async () => {
    const { access, identify, bearer, caller } = await made({ ...bert, role: 'operator' }, ['jobs.run', 'jobs.read']);
    expect(identify(bearer, 'POST').permissions.has('jobs.run')).toBe(true);
    expect(identify(bearer, 'POST').permissions.has('jobs.stop')).toBe(false);
    await access.updatePerson(caller.personId, { role: 'viewer' });
    expect(identify(bearer, 'POST').permissions.has('jobs.run')).toBe(false);
    expect(identify(bearer, 'POST').permissions.has('jobs.read')).toBe(true);
    await access.updatePerson(caller.personId, { is_disabled: true });
    expect(identify(bearer).kind).toBe('anonymous');
  });

  it.each(['jobs.run', 'nonsense', 'constructor'])('cannot have %s from a viewer', async (permission) => {
    const { access, caller } = await made(bert, ['jobs.read']);
    const creation = { name: 'x', permissions: [permission], days: 1 };
    expect(await errorOf(access.createToken(caller, creation))).toMatchObject({ code: 'token_permission_missing' });
  });

  it('end, and can be revoked', async () => {
    const { access, identify, bearer, token, clock } = await made(ada, ['jobs.read']);
    await clock.advance(30 * dayMs - 1);
    expect(identify(bearer).kind).toBe('token');
    await clock.advance(1);
    expect(identify(bearer).kind).toBe('anonymous');
    await access.revokeToken(token.id);
    expect(access.tokens()).toEqual([]);
    expect(await errorOf(access.revokeToken(token.id))).toMatchObject({ code: 'token_not_found' });
  });

  it.each(['', 'Bearer', 'Bearer wrong', 'Basic YWRhOmFkYQ=='])('are not %j', async (authorization) => {
    const { identify } = await made(ada, ['jobs.read']);
    expect(identify({ authorization }).kind).toBe('anonymous');
  });
});
