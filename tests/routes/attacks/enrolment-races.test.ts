import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { createClient, type Enrolment, leaderApi } from '@lcs/contract';
import { publicKeyText } from '@lcs/platform';
import { signIn, startLeader } from '@lcs/testkit';
import { httpEnrolCall } from '@lcs/unit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { observe } from '../../observe.ts';

const password = 'three brown horses';

async function leaderWithPerson() {
  const leader = await startLeader({ observe });
  onTestFinished(() => leader[Symbol.asyncDispose]());
  await leader.client.createPerson({ body: { name: 'ada', role: 'administrator', password } });
  const headers = await signIn(leader.url, 'ada', password);
  return { leader, headers, client: createClient(leaderApi, { baseUrl: leader.url, headers }) };
}

/** The node of a machine whose program somebody else has written: it answers the leader when `answer` says so. */
async function machineAt(leaderUrl: string) {
  const { privateKey } = generateKeyPairSync('ed25519');
  const identityKey = { privateKey, publicKey: publicKeyText(privateKey), fingerprint: '' };
  const state = { answer: (response: ServerResponse): void => void response.writeHead(404).end() };
  const server = createServer((_request, response) => state.answer(response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const call = httpEnrolCall({
    leader: () => new URL(leaderUrl),
    identityKey,
    certificate: () => Promise.reject(new Error('There is no TLS here.')),
  });
  const own = { reactor_unit: 'unit1', machine_id: randomUUID(), epoch: randomUUID(), base_url: null, port };
  const enrol = ({ code, ...more }: Partial<Enrolment> & { readonly code?: string } = {}) => {
    const body = { ...own, protocol: 1, app_version: '1', boot: 1, model: null, ...more };
    return call(body, { leaderKey: undefined, code }, AbortSignal.timeout(10_000));
  };
  return { state, enrol, machineId: own.machine_id };
}

describe('a machine that is revoked while it enrols', () => {
  it('stays revoked, however long it delays its enrolment', async () => {
    const { leader, headers, client } = await leaderWithPerson();
    const { state, enrol } = await machineAt(leader.url);
    const { code } = await client.createEnrolmentCode({ body: {} });
    const { credentials } = await enrol({ code });
    const asUnit = { authorization: `Bearer ${credentials?.unit_token}` };
    (await leader.api.call('listUnits', { headers: asUnit })).expect(403, 'not_allowed');

    const asked = Promise.withResolvers<ServerResponse>();
    state.answer = asked.resolve;
    const again = enrol().catch((error: unknown) => error);
    const open = await asked.promise;
    await client.revokeCredentials({ params: { reactor_unit: 'unit1' } });
    open.writeHead(404).end();
    expect(await again).toMatchObject({ status: 403, code: 'unit_revoked' });
    (await leader.api.call('listUnits', { headers: asUnit })).expect(401, 'not_signed_in');
    const revokeAgain = { params: { reactor_unit: 'unit1' }, headers };
    (await leader.api.call('revokeCredentials', revokeAgain)).expect(404, 'unit_without_credentials');
  });
});

describe('a machine that delays its enrolment', () => {
  it('does not replace the machine that has got the name meanwhile', async () => {
    const { leader, client } = await leaderWithPerson();
    const slow = await machineAt(leader.url);
    const { code } = await client.createEnrolmentCode({ body: { reactor_unit: 'unit1' } });
    const asked = Promise.withResolvers<ServerResponse>();
    slow.state.answer = asked.resolve;
    const late = slow.enrol({ code, replace: true }).catch((error: unknown) => error);
    const open = await asked.promise;
    const other = await machineAt(leader.url);
    const { code: next } = await client.createEnrolmentCode({ body: { reactor_unit: 'unit1' } });
    const { credentials } = await other.enrol({ code: next });
    open.writeHead(404).end();
    expect(await late).toMatchObject({ status: 409, code: 'unit_name_taken' });
    const headers = { authorization: `Bearer ${credentials?.unit_token}` };
    (await leader.api.call('listUnits', { headers })).expect(403, 'not_allowed');
  });
});

describe('a machine with credentials', () => {
  it('needs an approval for another name', async () => {
    const { leader, client } = await leaderWithPerson();
    const machine = await machineAt(leader.url);
    const { code } = await client.createEnrolmentCode({ body: { reactor_unit: 'unit2' } });
    await machine.enrol({ code, reactor_unit: 'unit2' });
    await machine.enrol({ reactor_unit: 'unit2' });
    await expect(machine.enrol()).rejects.toMatchObject({ code: 'enrol_approval_needed' });
    expect(await client.listJoinRequests()).toMatchObject([{ reactor_unit: 'unit1', replaces: false }]);
  });
});

describe('a machine whose name another one has', () => {
  it('is refused, waits among the requests to join, and takes over the name when a person approves', async () => {
    const { leader, client } = await leaderWithPerson();
    const first = await machineAt(leader.url);
    const { code } = await client.createEnrolmentCode({ body: {} });
    await first.enrol({ code });
    const other = await machineAt(leader.url);
    await expect(other.enrol()).rejects.toMatchObject({ code: 'unit_name_taken' });
    const [join] = await client.listJoinRequests();
    expect(join).toMatchObject({ reactor_unit: 'unit1', replaces: true, is_approved: false });
    await client.approveJoinRequest({ params: { join_id: join?.join_id ?? '' } });
    expect(await other.enrol()).toMatchObject({ credentials: { unit_token: expect.any(String) } });
    await expect(first.enrol()).rejects.toMatchObject({ code: 'unit_replaced' });
    expect(await client.listJoinRequests()).toEqual([]);
  });
});

describe('a machine with the ID of another one', () => {
  it('is shown as its replacement to whoever approves it', async () => {
    const { leader, client } = await leaderWithPerson();
    const first = await machineAt(leader.url);
    const { code } = await client.createEnrolmentCode({ body: {} });
    await first.enrol({ code });
    const other = await machineAt(leader.url);
    const stolen = { machine_id: first.machineId };
    await expect(other.enrol(stolen)).rejects.toMatchObject({ code: 'enrol_approval_needed' });
    expect(await client.listJoinRequests()).toMatchObject([{ reactor_unit: 'unit1', replaces: true }]);
  });

  it('is refused when it is that of the leader', async () => {
    const { leader, client } = await leaderWithPerson();
    const first = await machineAt(leader.url);
    const { code } = await client.createEnrolmentCode({ body: {} });
    const { leader: name, leader_id: machine_id } = await first.enrol({ code });
    const other = await machineAt(leader.url);
    const asLeader = other.enrol({ machine_id, reactor_unit: name });
    await expect(asLeader).rejects.toMatchObject({ code: 'unit_name_taken' });
    const { code: next } = await client.createEnrolmentCode({ body: {} });
    const withCode = other.enrol({ machine_id, reactor_unit: name, code: next });
    await expect(withCode).rejects.toMatchObject({ code: 'unit_name_taken' });
    expect(await client.listJoinRequests()).toEqual([]);
  });
});
