import { createClient, leaderApi } from '@lcs/contract';
import { type LeaderUnderTest, startLeader } from '@lcs/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { observe } from '../observe.ts';

const password = 'three brown horses';

let leader: LeaderUnderTest;
beforeAll(async () => {
  leader = await startLeader({ observe });
});
afterAll(() => leader[Symbol.asyncDispose]());

/** As somebody on another machine: this leader trusts the proxies of nobody. */
const remote = { 'x-forwarded-for': '192.0.2.7' };

describe('the set-up of a leader', () => {
  it('is all that callers from elsewhere may use until the first person exists', async () => {
    (await leader.api.call('getSetUp', { headers: remote })).expect(200);
    (await leader.api.call('listExperiments', { headers: remote })).expect(403, 'setup_needed');
    (await leader.api.call('listPeople', { headers: remote })).expect(403, 'setup_needed');
    (await leader.api.call('enrolUnit', { headers: remote, body: {} })).expect(403, 'setup_needed');
    (await leader.api.call('stopAllJobs', { headers: remote, params: { reactor_unit: 'lead' } })).expect(
      403,
      'setup_needed',
    );
    (await leader.api.call('getSession', { headers: remote })).expect(200);
    (await leader.api.call('listExperiments')).expect(200);
  });

  it('refuses a wrong code, with delays from the fifth on, and unsuitable passwords', async () => {
    const code = leader.node.setUpCode ?? '';
    const attempt = (given: string, chosen = password) =>
      leader.api.call('createFirstPerson', { headers: remote, body: { code: given, name: 'ada', password: chosen } });
    (await attempt(code, 'short')).expect(400, 'password_unsuitable');
    for (let tries = 0; tries < 5; tries += 1) (await attempt('AAAA-AAAA')).expect(403, 'setup_code_wrong');
    const delayed = await attempt(code);
    delayed.expect(429, 'sign_in_delayed');
    expect(Number(delayed.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  it('creates one administrator with the code, and no second person', async () => {
    // The delays of the test before last until a restart, which draws another code.
    await using other = await startLeader({ observe });
    const code = other.node.setUpCode?.toLowerCase().replace('-', ' ') ?? '';
    const create = (name: string) =>
      other.api.call('createFirstPerson', { headers: remote, body: { code, name, password } });
    const [first, second] = await Promise.all([create('ada'), create('bert')]);
    const [made, refused] = first.status === 201 ? [first, second] : [second, first];
    expect(made.expect(201)).toMatchObject({ role: 'administrator' });
    refused.expect(409, 'setup_done');
    expect(other.node.setUpCode).toBeUndefined();
    expect((await other.api.call('getSetUp', { headers: remote })).expect(200)).toEqual({ is_needed: false });
    (await other.api.call('listExperiments', { headers: remote })).expect(401, 'not_signed_in');
    (await create('carl')).expect(409, 'setup_done');
    const client = createClient(leaderApi, { baseUrl: other.url });
    await expect(client.listExperiments()).rejects.toMatchObject({ status: 401 });
  });
});
