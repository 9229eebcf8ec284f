import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { ApiError, type Enrolled, type Enrolment as EnrolmentBody, enrolmentRoutes, localCaller } from '@lcs/contract';
import {
  deriveCodeKey,
  type EnrolmentTranscript,
  isSigned,
  newNonce,
  pairingFingerprint,
  proveCode,
  signTranscript,
} from '@lcs/node';
import {
  HttpServer,
  keyFingerprint,
  machineCertificate,
  memoryLog,
  publicKeyText,
  realClock,
  serve,
  silentLog,
  VirtualClock,
} from '@lcs/platform';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { NewNote } from '../outbox/new-record.ts';
import { EnrolmentRefused, type ExpectedLeader, httpEnrolCall } from './enrol-call.ts';
import { Enrolment, type EnrolmentOptions } from './enrolment.ts';
import type { LeaderLinkState } from './leader-link.ts';

const leaderId = '3d0e6c52-9a44-4b19-8a3e-7a8e2f6b5c01';
const machineId = 'e5a1f2c9-0c7d-4f57-9a53-2b8f6f0a7d44';
const epoch = '7c1e4f0a-58d2-4b0e-9b6c-2f6b1f0f8a11';
const tokens = { unit_token: 'u_1', leader_token: 'l_1', mqtt: { username: 'unit1', password: 'x' } };
const accepted: Enrolled = {
  leader: 'lead',
  leader_id: leaderId,
  leader_time: 1_795_252_443_120,
  protocol: 1,
  worker: true,
  desired_version: 12,
  reachable: true,
  credentials: null,
};
const never = new AbortController().signal;
const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

interface EnrolmentRequest {
  readonly body: EnrolmentBody;
  readonly expected: ExpectedLeader;
}

/** A unit that asks; `answer` decides about each request. */
function testEnrolment(respond: () => Enrolled, changes: Partial<EnrolmentOptions> = {}) {
  const wire = new VirtualClock();
  const requests: EnrolmentRequest[] = [];
  const notes: NewNote[] = [];
  const link: { current: LeaderLinkState | undefined; bind: (enrolled: Enrolled) => Promise<void> } = {
    current: undefined,
    bind: async ({ leader, leader_id, credentials }) => {
      link.current = { leader, leader_id, standing: 'member', credentials };
    },
  };
  const enrolment = new Enrolment({
    unit: 'unit1',
    machineId,
    appVersion: '26.11.0',
    boot: 17,
    epoch: () => epoch,
    address: () => ({ baseUrl: null, port: 4999 }),
    link,
    call: async (body, expected) => {
      requests.push({ body, expected });
      return respond();
    },
    wire,
    log: memoryLog(),
    random: () => 0.5,
    note: (note) => notes.push(note),
    ...changes,
  });
  return { wire, requests, notes, link, enrolment };
}

async function advance(wire: VirtualClock, milliseconds: number): Promise<void> {
  await settled();
  await wire.advance(milliseconds);
  await settled();
}

describe('enrolment', () => {
  it('sends the unit’s identity and address, and binds it to the leader', async () => {
    const { requests, link, enrolment } = testEnrolment(() => accepted);
    await enrolment.start();
    await settled();
    expect(requests).toEqual([
      {
        expected: { leaderKey: undefined, code: undefined },
        body: {
          reactor_unit: 'unit1',
          machine_id: machineId,
          protocol: 1,
          app_version: '26.11.0',
          base_url: null,
          port: 4999,
          epoch,
          boot: 17,
          model: null,
        },
      },
    ]);
    expect(link.current?.leader_id).toBe(leaderId);
    expect(enrolment.state).toEqual({ kind: 'enrolled', leader: 'lead', isWorker: true, isReachable: true });
    await enrolment.stop();
  });

  it('repeats the request after ten minutes without contact, and not while the leader is in contact', async () => {
    const { wire, requests, enrolment } = testEnrolment(() => accepted);
    await enrolment.start();
    await advance(wire, 599_000);
    enrolment.noteContact();
    await advance(wire, 599_000);
    expect(requests).toHaveLength(1);
    await advance(wire, 1_000);
    expect(requests).toHaveLength(2);
    await enrolment.stop();
  });

  it('repeats the request at once when its epoch or address has changed', async () => {
    const { requests, enrolment } = testEnrolment(() => accepted);
    await enrolment.start();
    await settled();
    enrolment.changed();
    await settled();
    expect(requests).toHaveLength(2);
    await enrolment.stop();
  });

  it('never gives up on a leader that does not answer, at growing intervals up to a minute', async () => {
    const { wire, requests, enrolment } = testEnrolment(() => {
      throw new Error('connect ECONNREFUSED');
    });
    await enrolment.start();
    const counts: number[] = [];
    for (const milliseconds of [0, 500, 1_000, 2_000, 3_600_000]) {
      await settled();
      for (let leftMs = milliseconds; leftMs > 0; leftMs -= 500) await advance(wire, 500);
      counts.push(requests.length);
    }
    expect(counts.slice(0, 4)).toEqual([1, 2, 3, 4]);
    expect(counts[4]).toBeGreaterThan(60);
    expect(counts[4]).toBeLessThan(80);
    expect(enrolment.state).toMatchObject({ kind: 'failed', reason: 'connect ECONNREFUSED', retryMs: 60_000 });
    await enrolment.stop();
  });

  it('reports the leader’s refusal, and waits longer, at least as long as requested', async () => {
    let refusal = new EnrolmentRefused(409, 'unit_name_taken', 'The name unit1 is taken.');
    const { wire, requests, enrolment } = testEnrolment(() => {
      throw refusal;
    });
    await enrolment.start();
    await settled();
    expect(enrolment.state).toMatchObject({ kind: 'refused', code: 'unit_name_taken', retryMs: 10_000 });
    refusal = new EnrolmentRefused(429, 'too_many_requests', 'Too many requests.', 60_000);
    await advance(wire, 10_000);
    expect(requests).toHaveLength(2);
    expect(enrolment.state).toMatchObject({ kind: 'refused', code: 'too_many_requests', retryMs: 60_000 });
    await enrolment.stop();
  });

  it('uses its one-time code once, and expects the key of its leader from then on', async () => {
    const proof = { public_key: 'A'.repeat(60), signature: 'B'.repeat(60) };
    const { wire, requests, link, enrolment } = testEnrolment(() => ({ ...accepted, credentials: tokens, proof }), {
      code: 'ABCD2345',
    });
    link.bind = async ({ leader, leader_id, credentials, proof: proved }) => {
      const leader_key = proved?.public_key ?? '';
      link.current = { leader, leader_id, standing: 'member', credentials, leader_key };
    };
    await enrolment.start();
    await settled();
    enrolment.changed();
    await advance(wire, 1);
    expect(requests.map(({ expected }) => expected)).toEqual([
      { leaderKey: undefined, code: 'ABCD2345' },
      { leaderKey: proof.public_key, code: undefined },
    ]);
    await enrolment.stop();
  });

  it('asks again every few seconds while it waits for an approval, and does not repeat a wrong code', async () => {
    const refusals = ['enrol_code_wrong', 'enrol_approval_needed', 'enrol_approval_needed'];
    const { wire, requests, enrolment } = testEnrolment(
      () => {
        const code = refusals.shift();
        if (code !== undefined) throw new EnrolmentRefused(403, code, code, 5_000);
        return accepted;
      },
      { code: 'WRONG234' },
    );
    await enrolment.start();
    await settled();
    await advance(wire, 10_000);
    for (const _ of refusals) await advance(wire, 5_000);
    await advance(wire, 5_000);
    expect(requests.map(({ expected }) => expected.code)).toEqual(['WRONG234', undefined, undefined, undefined]);
    expect(enrolment.state).toMatchObject({ kind: 'enrolled' });
    await enrolment.stop();
  });

  it('lets the unit go when another machine has its name', async () => {
    let isReplaced = false;
    const { enrolment } = testEnrolment(
      () => {
        throw new EnrolmentRefused(409, 'unit_replaced', 'unit1 is another machine now.');
      },
      {
        onReplaced: async () => {
          isReplaced = true;
        },
      },
    );
    await enrolment.start();
    await settled();
    expect(isReplaced).toBe(true);
    await enrolment.stop();
  });

  it('warns when the leader cannot reach the unit', async () => {
    const { notes, enrolment } = testEnrolment(() => ({ ...accepted, reachable: false }));
    await enrolment.start();
    await settled();
    expect(notes).toMatchObject([{ kind: 'log', level: 'WARNING', task: 'enrolment' }]);
    await enrolment.stop();
  });

  it('limits the wait for a response, and ends at once when the node stops', async () => {
    const { wire, enrolment } = testEnrolment(() => accepted, {
      call: (_body, _token, signal) =>
        new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    });
    await enrolment.start();
    await advance(wire, 10_000);
    expect(enrolment.state).toMatchObject({ kind: 'failed', reason: 'The leader did not respond in time.' });
    await advance(wire, 500);
    expect(enrolment.state).toMatchObject({ kind: 'asking', attempt: 2 });
    await enrolment.stop();
  });
});

describe('the call over HTTP', () => {
  const keys = () => {
    const { privateKey } = generateKeyPairSync('ed25519');
    const publicKey = publicKeyText(privateKey);
    return { privateKey, publicKey, fingerprint: keyFingerprint(publicKey) };
  };
  const leaderKey = keys();
  const unitKey = keys();
  const argon2 = { memory: 8, passes: 1, parallelism: 1 };
  const certificateOf = (key: typeof leaderKey) => async () => machineCertificate(key.privateKey);

  interface LeaderChoice {
    /** The leader knows this one-time code. */
    readonly code?: string;
    /** The key that signs; default: that of the leader. */
    readonly signer?: typeof leaderKey;
    /** The key of the TLS connection; undefined: without TLS. */
    readonly tlsKey?: typeof leaderKey;
    readonly refuse?: () => ApiError;
  }

  /** A server with the key of the leader, or one in its place. */
  async function leader({ code, signer = leaderKey, tlsKey, refuse }: LeaderChoice = {}) {
    const proofs: EnrolmentBody['proof'][] = [];
    const peers: unknown[] = [];
    let asked: EnrolmentTranscript | undefined;
    const salt = newNonce();
    const api = serve(enrolmentRoutes, {
      beginEnrolment: ({ body: { public_key, nonce, machine_id, reactor_unit } }) => {
        const challenge = {
          challenge: randomUUID(),
          leader_id: leaderId,
          public_key: leaderKey.publicKey,
          nonce: newNonce(),
        };
        asked = {
          challenge: challenge.challenge,
          unit: reactor_unit,
          machineId: machine_id,
          unitKey: public_key,
          leaderKey: leaderKey.publicKey,
          unitNonce: nonce,
          leaderNonce: challenge.nonce,
        };
        return { status: 200, body: { ...challenge, salt, argon2 } };
      },
      enrolUnit: async ({ body: { proof }, origin }) => {
        proofs.push(proof);
        peers.push(origin?.peerKey);
        if (refuse) throw refuse();
        if (asked === undefined || proof === undefined || !isSigned(unitKey.publicKey, 'unit', asked, proof.signature))
          throw new ApiError('enrol_proof_wrong', { cause: 'test' });
        const codeKey = code === undefined ? undefined : await deriveCodeKey(code, salt, argon2);
        const leaderProof = {
          public_key: leaderKey.publicKey,
          signature: signTranscript(signer.privateKey, 'leader', asked),
          ...(codeKey && { code_proof: proveCode(codeKey, 'leader', asked) }),
        };
        return { status: 200, body: { ...accepted, credentials: tokens, proof: leaderProof } };
      },
    });
    const server = new HttpServer({
      host: '127.0.0.1',
      port: 0,
      log: silentLog(),
      clock: realClock(),
      apis: [api],
      identify: () => localCaller,
      ...(tlsKey && { tls: { machine: await machineCertificate(tlsKey.privateKey) } }),
    });
    await server.start(never);
    onTestFinished(() => server.stop());
    const call = httpEnrolCall({
      leader: () => new URL(server.url),
      identityKey: unitKey,
      certificate: certificateOf(unitKey),
    });
    return { proofs, peers, call };
  }
  const body: EnrolmentBody = {
    reactor_unit: 'unit1',
    machine_id: machineId,
    protocol: 1,
    app_version: '26.11.0',
    base_url: null,
    port: 4999,
    epoch,
    boot: 1,
    model: null,
  };
  const anyLeader: ExpectedLeader = { leaderKey: undefined, code: undefined };

  it('proves the key of the unit and receives the proof of the leader’s, without and with TLS', async () => {
    for (const tlsKey of [undefined, leaderKey]) {
      const { call, peers } = await leader(tlsKey && { tlsKey });
      expect(await call(body, anyLeader, never)).toMatchObject({ credentials: tokens });
      expect(peers).toEqual([tlsKey && unitKey.publicKey]);
    }
  });

  it('never sends the one-time code, and accepts no leader that does not know it', async () => {
    const knowing = await leader({ code: 'abcd-2345' });
    const expected = { leaderKey: undefined, code: 'ABCD2345' };
    expect(await knowing.call(body, expected, never)).toMatchObject({ leader: 'lead' });
    expect(JSON.stringify(knowing.proofs)).not.toMatch(/abcd-?2345/i);
    for (const choice of [{}, { code: 'WXYZ2345' }]) {
      const { call } = await leader(choice);
      await expect(call(body, expected, never)).rejects.toMatchObject({ code: 'leader_not_proved' });
    }
  });

  it('refuses a leader without the key that it shows, and one with another key than the known one', async () => {
    const pretender = await leader({ signer: keys() });
    await expect(pretender.call(body, anyLeader, never)).rejects.toMatchObject({ code: 'leader_not_proved' });
    const other = { leaderKey: keys().publicKey, code: undefined };
    for (const tlsKey of [undefined, leaderKey]) {
      const { call, proofs } = await leader(tlsKey && { tlsKey });
      await expect(call(body, other, never)).rejects.toMatchObject({ code: 'foreign_leader' });
      expect(proofs).toEqual([]);
    }
  });

  it('refuses a machine in between, which has another key in the connection than the leader', async () => {
    const { call, proofs } = await leader({ code: 'ABCD2345', tlsKey: keys() });
    await expect(call(body, { leaderKey: undefined, code: 'ABCD2345' }, never)).rejects.toMatchObject({
      code: 'foreign_leader',
    });
    expect(proofs).toEqual([]);
  });

  it('brings the reason of a refusal, and computes the pairing fingerprint itself', async () => {
    const taken = await leader({ refuse: () => new ApiError('unit_name_taken', { unit: 'unit1' }) });
    await expect(taken.call(body, anyLeader, never)).rejects.toMatchObject({ status: 409, code: 'unit_name_taken' });
    const fingerprint = pairingFingerprint(unitKey.publicKey, leaderKey.publicKey);
    const waiting = await leader({
      refuse: () => new ApiError('enrol_approval_needed', { fingerprint: 'that of somebody else', retryAfterS: 5 }),
    });
    await expect(waiting.call(body, anyLeader, never)).rejects.toMatchObject({
      code: 'enrol_approval_needed',
      message: expect.stringContaining(fingerprint),
      retryAfterMs: 5_000,
    });
  });
});
