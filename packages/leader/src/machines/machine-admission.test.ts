import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { type Enrolment, hourMs, minuteMs } from '@lcs/contract';
import {
  deriveCodeKey,
  type EnrolmentTranscript,
  isCodeProved,
  isSigned,
  newNonce,
  pairingFingerprint,
  proveCode,
  signTranscript,
} from '@lcs/node';
import { publicKeyText, VirtualClock } from '@lcs/platform';
import { describe, expect, it, onTestFinished } from 'vitest';
import { errorOf, startTestLeader } from '../testing/test-leader.ts';
import {
  type AdmissionNames,
  type EnrolmentRequest,
  MachineAdmission,
  type MachineAdmissionOptions,
} from './machine-admission.ts';
import { MachineRegistry } from './machine-registry.ts';

const keyPair = () => {
  const { privateKey } = generateKeyPairSync('ed25519');
  return { privateKey, publicKey: publicKeyText(privateKey) };
};
type KeyPair = ReturnType<typeof keyPair>;

const leader = keyPair();
const leaderId = '3d0e6c52-9a44-4b19-8a3e-7a8e2f6b5c01';
/** Of a code. */
const leastCost = { memory: 8, passes: 1, parallelism: 1 };
const free: AdmissionNames = { hasEnrolled: false, isTaken: false, isReplaced: false };

interface Try {
  readonly unit?: string;
  readonly machineId?: string;
  readonly key?: KeyPair;
  readonly code?: string;
  /** Of the connection; default: loopback without TLS. */
  readonly origin?: EnrolmentRequest['origin'];
  readonly remoteAddress?: string;
  readonly headers?: EnrolmentRequest['headers'];
  readonly names?: Partial<AdmissionNames>;
}

async function startAdmission(hasPeople = true, chosen: Pick<MachineAdmissionOptions, 'cost'> = { cost: leastCost }) {
  const { context, ...store } = await startTestLeader();
  onTestFinished(() => store[Symbol.asyncDispose]());
  const machines = new MachineRegistry({ context, leaderKey: leader.privateKey });
  await machines.start();
  const clock = new VirtualClock();
  let changes = 0;
  const admission = new MachineAdmission({
    context: { clock, wire: clock, newId: randomUUID },
    leaderId,
    identityKey: leader,
    machines,
    hasPeople: () => hasPeople,
    onJoinsChange: () => {
      changes += 1;
    },
    ...chosen,
  });
  const request = async (sent: Try) => {
    const { unit = 'unit1', machineId = 'e5a1f2c9-0c7d-4f57-9a53-2b8f6f0a7d44', key = keyPair(), code } = sent;
    const asked = { reactor_unit: unit, machine_id: machineId, public_key: key.publicKey, nonce: newNonce() };
    const challenge = admission.challenges.issue(asked);
    const transcript: EnrolmentTranscript = {
      challenge: challenge.challenge,
      unit,
      machineId,
      unitKey: key.publicKey,
      leaderKey: leader.publicKey,
      unitNonce: asked.nonce,
      leaderNonce: challenge.nonce,
    };
    const codeKey = code === undefined ? undefined : await deriveCodeKey(code, challenge.salt, challenge.argon2);
    const proof = {
      challenge: challenge.challenge,
      signature: signTranscript(key.privateKey, 'unit', transcript),
      ...(codeKey && { code_proof: proveCode(codeKey, 'unit', transcript) }),
    };
    const enrolment: Enrolment = {
      reactor_unit: unit,
      machine_id: machineId,
      protocol: 1,
      app_version: '1',
      base_url: null,
      port: 4999,
      epoch: leaderId,
      boot: 1,
      model: null,
      proof,
    };
    const { origin, remoteAddress = '127.0.0.1', headers = {} } = sent;
    return { enrolment, remoteAddress, headers, origin, codeKey, transcript };
  };
  const admit = async (sent: Try) => {
    const made = await request(sent);
    const admitted = await admission.admit(made, admission.prove(made), { ...free, ...sent.names });
    const machine = admitted.machine();
    if (machine) await context.change((transaction, effects) => machines.write(transaction, effects, machine));
    admitted.end(true);
    return { ...admitted, ...made };
  };
  return { admission, machines, clock, request, admit, changes: () => changes };
}

describe('a machine may enrol', () => {
  it('on this computer while no person exists, and again with its key afterwards', async () => {
    const key = keyPair();
    const open = await startAdmission(false);
    const { reason, proof, transcript } = await open.admit({ key });
    expect(reason).toBe('open leader');
    expect(isSigned(leader.publicKey, 'leader', transcript, proof?.signature ?? '')).toBe(true);
    expect((await open.admit({ key, remoteAddress: '192.0.2.7' })).reason).toBe('known machine');
  });

  it.each<Try>([{ remoteAddress: '192.0.2.7' }, { headers: { 'x-forwarded-for': '192.0.2.7' } }])(
    'elsewhere only with an approval: %j',
    async (sent) => {
      const { admit } = await startAdmission(false);
      expect(await errorOf(admit(sent))).toMatchObject({ status: 403, code: 'enrol_approval_needed' });
    },
  );

  it('once, when it enrolled on this computer before units had keys', async () => {
    const { admit } = await startAdmission();
    const names = { hasEnrolled: true };
    expect(await errorOf(admit({ names, remoteAddress: '192.0.2.7' }))).toMatchObject({
      code: 'enrol_approval_needed',
    });
    expect((await admit({ names })).reason).toBe('older program');
    expect(await errorOf(admit({ names }))).toMatchObject({ code: 'enrol_approval_needed' });
  });

  it('not with the ID of another machine and another key', async () => {
    const { admit, admission } = await startAdmission();
    const { code } = admission.codes.create(null);
    await admit({ code });
    expect(await errorOf(admit({}))).toMatchObject({ code: 'enrol_approval_needed' });
  });
});

describe('a proof', () => {
  it('is valid once, for a minute, for the machine that requested its challenge', async () => {
    const { admission, request, clock } = await startAdmission(false);
    const made = await request({});
    admission.prove(made);
    const wrong = { status: 400, code: 'enrol_proof_wrong' };
    expect(await errorOf(Promise.resolve().then(() => admission.prove(made)))).toMatchObject(wrong);
    const late = await request({});
    await clock.advance(minuteMs);
    expect(await errorOf(Promise.resolve().then(() => admission.prove(late)))).toMatchObject(wrong);
    const other = await request({});
    other.enrolment.reactor_unit = 'unit2';
    expect(await errorOf(Promise.resolve().then(() => admission.prove(other)))).toMatchObject(wrong);
  });

  it('must be signed with the key of the machine, which is the key of the connection', async () => {
    const { admission, request } = await startAdmission();
    const key = keyPair();
    const secure = { isSecure: true, peerKey: key.publicKey };
    const right = await request({ key, origin: secure });
    expect(admission.prove(right)).toMatchObject({ publicKey: key.publicKey });
    const between = await request({ key, origin: { isSecure: true, peerKey: keyPair().publicKey } });
    const forged = await request({ key, origin: secure });
    const stranger = await request({});
    if (forged.enrolment.proof && stranger.enrolment.proof)
      forged.enrolment.proof.signature = stranger.enrolment.proof.signature;
    for (const each of [between, forged])
      expect(await errorOf(Promise.resolve().then(() => admission.prove(each)))).toMatchObject({
        code: 'enrol_proof_wrong',
      });
  });

  it('is needed elsewhere, and a code in the clear is refused', async () => {
    const { admission, request } = await startAdmission();
    const { enrolment, ...from } = await request({ remoteAddress: '192.0.2.7' });
    const { proof: _, ...plain } = enrolment;
    const sent = (body: Enrolment) => Promise.resolve().then(() => admission.prove({ ...from, enrolment: body }));
    expect(await errorOf(sent(plain))).toMatchObject({ code: 'enrol_code_needed' });
    expect(await errorOf(sent({ ...enrolment, code: 'ABCD2345' }))).toMatchObject({ code: 'enrol_code_wrong' });
  });
});

describe('a one-time code', () => {
  const remote = { remoteAddress: '192.0.2.7' };

  it('lets one machine in, and the leader proves that it knows the code', async () => {
    const { admission, admit } = await startAdmission();
    const { code } = admission.codes.create(null);
    expect(code).toMatch(/^[A-HJ-NP-Z2-9]{8}$/);
    const { reason, proof, transcript, codeKey } = await admit({ ...remote, code });
    expect(reason).toBe('one-time code');
    expect(codeKey && isCodeProved(codeKey, 'leader', transcript, proof?.code_proof ?? '')).toBe(true);
    expect(admission.codes.list()).toEqual([]);
    expect(await errorOf(admit({ ...remote, code, machineId: randomUUID() }))).toMatchObject({
      status: 400,
      code: 'enrol_code_wrong',
    });
  });

  it('is refused for another name, after 15 minutes, and when it is void', async () => {
    const { admission, admit, clock } = await startAdmission();
    const refused = { code: 'enrol_code_wrong' };
    const { code, id } = admission.codes.create('unit1');
    expect(await errorOf(admit({ ...remote, code, unit: 'unit2' }))).toMatchObject(refused);
    admission.codes.void(id);
    expect(await errorOf(admit({ ...remote, code }))).toMatchObject(refused);
    const late = admission.codes.create(null);
    await clock.advance(15 * minuteMs);
    expect(await errorOf(admit({ ...remote, code: late.code }))).toMatchObject(refused);
  });

  it('is void after five wrong ones, also when they come at once', async () => {
    const { admission, admit } = await startAdmission();
    const { code } = admission.codes.create(null);
    const wrong = Array.from({ length: 5 }, () => errorOf(admit({ ...remote, code: 'AAAAAAAA' })));
    for (const error of await Promise.all(wrong)) expect(error).toMatchObject({ code: 'enrol_code_wrong' });
    expect(await errorOf(admit({ ...remote, code }))).toMatchObject({ code: 'enrol_code_wrong' });
  });

  it('can be used again when the enrolment failed for another reason', async () => {
    const { admission, request } = await startAdmission();
    const { code } = admission.codes.create(null);
    const made = await request({ ...remote, code });
    const admitted = await admission.admit(made, admission.prove(made), free);
    expect(admission.codes.list()).toEqual([]);
    admitted.end(false);
    expect(admission.codes.list()).toMatchObject([{ code }]);
  });

  it('is one of five at most', async () => {
    const { admission } = await startAdmission();
    for (let made = 0; made < 5; made += 1) admission.codes.create(null);
    expect(await errorOf(Promise.resolve().then(() => admission.codes.create(null)))).toMatchObject({
      code: 'enrol_codes_full',
    });
  });
});

describe('a request to join', () => {
  const sent = { remoteAddress: '192.0.2.7', key: keyPair() };

  it('shows the fingerprint of both keys, and joins once it is approved under this name', async () => {
    const { admission, admit, changes } = await startAdmission();
    const fingerprint = pairingFingerprint(sent.key.publicKey, leader.publicKey);
    expect(await errorOf(admit(sent))).toMatchObject({ cause: expect.stringContaining(fingerprint) });
    expect(admission.joins.list()).toMatchObject([{ unit: 'unit1', address: '192.0.2.7', fingerprint }]);
    const [{ id } = { id: '' }] = admission.joins.list();
    admission.joins.approve(id);
    expect(await errorOf(admit({ ...sent, key: keyPair() }))).toMatchObject({ code: 'enrol_approval_needed' });
    expect((await admit(sent)).reason).toBe('approval');
    expect(admission.joins.list()).toMatchObject([{ isApproved: false }]);
    expect(changes()).toBe(4);
    expect((await admit(sent)).reason).toBe('known machine');
  });

  it('needs another approval for another name', async () => {
    const { admission, admit } = await startAdmission();
    await errorOf(admit(sent));
    admission.joins.approve(admission.joins.list()[0]?.id ?? '');
    expect(await errorOf(admit({ ...sent, unit: 'unit2' }))).toMatchObject({ code: 'enrol_approval_needed' });
  });

  it('is refused for an hour after a refusal, and forgotten after half an hour of silence', async () => {
    const { admission, admit, clock } = await startAdmission();
    await errorOf(admit(sent));
    admission.joins.refuse(admission.joins.list()[0]?.id ?? '');
    expect(await errorOf(admit(sent))).toMatchObject({ status: 403, code: 'enrol_refused' });
    await clock.advance(hourMs);
    expect(await errorOf(admit(sent))).toMatchObject({ code: 'enrol_approval_needed' });
    await clock.advance(30 * minuteMs);
    expect(admission.joins.list()).toEqual([]);
  });
});

describe('after a revocation a machine', () => {
  it.each([true, false])('needs a code, and gets other credentials (people: %s)', async (hasPeople) => {
    const { admission, machines, admit } = await startAdmission(hasPeople);
    const key = keyPair();
    const machineId = randomUUID();
    const join = () => admit({ key, machineId, code: admission.codes.create(null).code });
    await join();
    const before = machines.credentialsOf('unit1');
    machines.forget(machineId, 1);
    const code = hasPeople ? 'enrol_approval_needed' : 'unit_revoked';
    expect(await errorOf(admit({ key, machineId }))).toMatchObject({ status: 403, code });
    await join();
    expect(machines.credentialsOf('unit1')).toBeDefined();
    expect(machines.credentialsOf('unit1')).not.toEqual(before);
  });
});

it('derives keys from codes at full cost, unless a test chooses a lower one', async () => {
  const { admission } = await startAdmission(true, {});
  expect(admission.codes.cost).toEqual({ memory: 65_536, passes: 2, parallelism: 1 });
});
