import { generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runProgram } from '@lcs/cli/testing';
import { createClient, leaderApi, unitApi } from '@lcs/contract';
import { publicKeyText } from '@lcs/platform';
import {
  type LeaderUnderTest,
  signIn,
  startLeader,
  startUnit,
  temporaryFolder,
  type UnitUnderTest,
} from '@lcs/testkit';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { observe } from '../observe.ts';

const password = 'three brown horses';
type Headers = Readonly<Record<string, string>>;

async function leaderWithoutPeople(dataFolder?: string): Promise<LeaderUnderTest> {
  const leader = await startLeader({ observe, ...(dataFolder && { dataFolder }) });
  onTestFinished(() => leader[Symbol.asyncDispose]());
  return leader;
}

async function firstPerson(leader: LeaderUnderTest): Promise<Headers> {
  await leader.client.createPerson({ body: { name: 'ada', role: 'administrator', password } });
  return signIn(leader.url, 'ada', password);
}

const unitOf = async (leaderUrl: string, options: Partial<Parameters<typeof startUnit>[0]> = {}) => {
  const unit = await startUnit({ leaderUrl, ...options });
  onTestFinished(() => unit[Symbol.asyncDispose]());
  return unit;
};

/** The status of a route that only the leader and this machine's owner may use. */
const statusAt = async (unit: UnitUnderTest, headers: Headers = {}): Promise<number> =>
  (await fetch(`${unit.url}/unit_api/jobs/running`, { headers })).status;

const enrolled = (unit: UnitUnderTest, code: string) =>
  vi.waitFor(() => expect(unit.log.lines.map((line) => JSON.stringify(line)).join()).toContain(code), {
    timeout: 10_000,
    interval: 20,
  });

const follows = (leader: LeaderUnderTest, headers: Headers, unit: string) =>
  vi.waitFor(
    async () => {
      const units = await createClient(leaderApi, { baseUrl: leader.url, headers }).listUnits();
      const status = units.find(({ reactor_unit }) => reactor_unit === unit);
      expect([status?.liveness, status?.trouble, status?.applied_version === status?.desired_version]).toEqual([
        'online',
        null,
        true,
      ]);
    },
    { timeout: 10_000, interval: 50 },
  );

const readLink = (unit: UnitUnderTest): Promise<string> =>
  readFile(join(unit.dataFolder, 'storage', 'credentials.json'), 'utf8');

const worker = { reactor_unit: 'unit1', model_name: 'reactor_20ml', model_version: '1.5' };

describe('units of a leader on this computer', () => {
  it('are closed to everybody but their leader from its first person on, and stay so; the Unix socket stops their jobs', async () => {
    const leader = await leaderWithoutPeople();
    await using folder = await temporaryFolder('unit');
    const unit = await startUnit({ leaderUrl: leader.url, dataFolder: folder.path });
    await enrolled(unit, 'Enrolled');
    await leader.client.registerWorker({ body: worker });
    await follows(leader, {}, 'unit1');
    expect(await statusAt(unit)).toBe(200);
    const headers = await firstPerson(leader);
    await vi.waitFor(async () => expect(await statusAt(unit)).toBe(401), { timeout: 5_000, interval: 20 });
    expect(await statusAt(unit, { authorization: 'Bearer of-somebody-else' })).toBe(401);
    expect(await statusAt(unit, headers)).toBe(401);
    expect((await fetch(`${unit.url}/unit_api/health`)).status).toBe(200);
    await follows(leader, headers, 'unit1');
    await unit[Symbol.asyncDispose]();

    await leader.node.stop();
    const again = await unitOf(leader.url, { dataFolder: folder.path });
    expect(await statusAt(again)).toBe(401);
    const { code, out } = await runProgram(['stop', '--all', '--data-dir', folder.path, '--json']);
    expect([code, JSON.parse(out)]).toMatchObject([0, { still_running: [] }]);
    expect((await runProgram(['stop', '--all', '--data-dir', join(folder.path, 'no')])).code).toBe(1);
    expect((await runProgram(['stop', 'stirring'])).code).toBe(1);
  });
});

describe('with people a unit', () => {
  const api = (leader: LeaderUnderTest, headers: Headers) => ({
    headers,
    client: createClient(leaderApi, { baseUrl: leader.url, headers }),
  });

  it('joins with a one-time code, once', async () => {
    const leader = await leaderWithoutPeople();
    const { headers, client } = api(leader, await firstPerson(leader));
    const { code, code_id } = await client.createEnrolmentCode({ body: { reactor_unit: 'unit1' } });
    const nameless = await leader.api.call('createEnrolmentCode', { body: { reactor_unit: '…' }, headers });
    nameless.expect(400, 'unit_name_invalid');
    const codes = (await leader.api.call('listEnrolmentCodes', { headers })).expect(200);
    expect(codes).toMatchObject([{ code_id, reactor_unit: 'unit1' }]);
    const public_key = publicKeyText(generateKeyPairSync('ed25519').privateKey);
    const nonce = randomBytes(32).toString('base64url');
    const begun = { reactor_unit: 'unit1', machine_id: randomUUID(), public_key, nonce };
    (await leader.api.call('beginEnrolment', { body: begun })).expect(200);
    (await leader.api.call('beginEnrolment', { body: { ...begun, nonce: '' } })).expect(400, 'invalid_body');
    const unit = await unitOf(leader.url, { configure: { code } });
    await enrolled(unit, 'Enrolled');
    expect(await client.listEnrolmentCodes()).toEqual([]);
    (await leader.api.call('voidEnrolmentCode', { params: { code_id }, headers })).expect(404, 'enrol_code_not_found');
    await client.registerWorker({ body: worker });
    await follows(leader, headers, 'unit1');
    expect(await statusAt(unit)).toBe(401);
    const other = await unitOf(leader.url, { name: 'unit2', configure: { code } });
    await enrolled(other, 'enrol_code_wrong');
  });

  it('joins with an approval; its credentials can be changed and revoked', async () => {
    const leader = await leaderWithoutPeople();
    const { headers, client } = api(leader, await firstPerson(leader));
    const unit = await unitOf(leader.url);
    await enrolled(unit, 'enrol_approval_needed');
    (await leader.api.call('listJoinRequests', { headers })).expect(200);
    const [join] = await client.listJoinRequests();
    expect(join).toMatchObject({ reactor_unit: 'unit1', address: '127.0.0.1', is_approved: false });
    await enrolled(unit, join?.fingerprint ?? '-');
    const params = { join_id: join?.join_id ?? '' };
    (await leader.api.call('approveJoinRequest', { params, headers })).expect(200);
    await createClient(unitApi, { baseUrl: unit.url, headers: {} }).enrolNow();
    await enrolled(unit, 'Enrolled');
    (await leader.api.call('approveJoinRequest', { params, headers })).expect(404, 'join_request_not_found');
    (await leader.api.call('refuseJoinRequest', { params, headers })).expect(404, 'join_request_not_found');
    await client.registerWorker({ body: worker });
    await follows(leader, headers, 'unit1');

    const { credentials } = JSON.parse(await readLink(unit));
    const asUnit = { authorization: `Bearer ${credentials.unit_token}` };
    (await leader.api.call('listUnits', { headers: asUnit })).expect(403, 'not_allowed');
    const mayRotate = { params: { reactor_unit: 'unit1' }, headers };
    (await leader.api.call('rotateCredentials', mayRotate)).expect(200);
    await vi.waitFor(
      async () => (await leader.api.call('listUnits', { headers: asUnit })).expect(401, 'not_signed_in'),
      {
        timeout: 10_000,
        interval: 50,
      },
    );
    await vi.waitFor(async () => expect(JSON.parse(await readLink(unit)).credentials).not.toEqual(credentials), {
      timeout: 5_000,
    });
    await follows(leader, headers, 'unit1');

    const rotated = JSON.parse(await readLink(unit)).credentials;
    (await leader.api.call('revokeCredentials', mayRotate)).expect(200);
    const revoked = { authorization: `Bearer ${rotated.unit_token}` };
    (await leader.api.call('listUnits', { headers: revoked })).expect(401, 'not_signed_in');
    (await leader.api.call('revokeCredentials', mayRotate)).expect(404, 'unit_without_credentials');
    (await leader.api.call('rotateCredentials', mayRotate)).expect(404, 'unit_without_credentials');
  });

  it('is replaced with a one-time code: the former machine is refused and leaves', async () => {
    const leader = await leaderWithoutPeople();
    const first = await unitOf(leader.url);
    await enrolled(first, 'Enrolled');
    const { headers, client } = api(leader, await firstPerson(leader));
    const { unit_token } = JSON.parse(await readLink(first)).credentials;
    const { code } = await client.createEnrolmentCode({ body: { reactor_unit: 'unit1' } });
    const second = await unitOf(leader.url, { configure: { code, replace: true } });
    await enrolled(second, 'Enrolled');
    const former = await leader.api.call('listUnits', { headers: { authorization: `Bearer ${unit_token}` } });
    former.expect(401, 'not_signed_in');
    await client.registerWorker({ body: worker });
    await follows(leader, headers, 'unit1');
  });

  it('that was refused may not ask again, and five codes can be open', async () => {
    const leader = await leaderWithoutPeople();
    const { headers, client } = api(leader, await firstPerson(leader));
    const unit = await unitOf(leader.url);
    await enrolled(unit, 'enrol_approval_needed');
    (await leader.api.call('listJoinRequests', { headers })).expect(200);
    const [join] = await client.listJoinRequests();
    const params = { join_id: join?.join_id ?? '' };
    (await leader.api.call('refuseJoinRequest', { params, headers })).expect(200);
    await createClient(unitApi, { baseUrl: unit.url, headers: {} }).enrolNow();
    await enrolled(unit, 'enrol_refused');
    const plain = {
      reactor_unit: 'unit2',
      machine_id: crypto.randomUUID(),
      epoch: crypto.randomUUID(),
      model: null,
      protocol: 1,
      app_version: '1',
      base_url: null,
      port: 4999,
      boot: 1,
    };
    (await leader.api.call('enrolUnit', { body: plain })).expect(400, 'enrol_code_needed');
    (await leader.api.call('enrolUnit', { body: { ...plain, code: 'K7M2PX9A' } })).expect(400, 'enrol_code_wrong');
    const create = () => leader.api.call('createEnrolmentCode', { body: {}, headers });
    for (let open = 0; open < 5; open += 1) (await create()).expect(201);
    (await create()).expect(409, 'enrol_codes_full');
    const [{ code_id } = { code_id: '' }] = await client.listEnrolmentCodes();
    (await leader.api.call('voidEnrolmentCode', { params: { code_id }, headers })).expect(200);
    (await create()).expect(201);
  });
});
