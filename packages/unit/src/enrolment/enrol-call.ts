import type { Agent, IncomingMessage } from 'node:http';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { text } from 'node:stream/consumers';
import {
  Enrolled,
  type Enrolment,
  EnrolmentChallenge,
  type EnrolmentChallengeRequest,
  enrolmentRoutes,
  isErrorBody,
} from '@lcs/contract';
import {
  deriveCodeKey,
  type EnrolmentTranscript,
  type IdentityKey,
  isCodeProved,
  isSigned,
  newNonce,
  pairingFingerprint,
  proveCode,
  signTranscript,
} from '@lcs/node';
import { type KeyedCertificate, PeerKeyDiffers, PinnedAgent } from '@lcs/platform';
import { Value } from 'typebox/value';

/** The leader rejected the enrolment, or the unit rejected the leader. */
export class EnrolmentRefused extends Error {
  readonly status: number;
  /** A code of the error table, or `invalid_answer`. */
  readonly code: string;
  /** The pause before a retry, if the leader has set one. */
  readonly retryAfterMs: number | undefined;

  constructor(status: number, code: string, message: string, retryAfterMs?: number) {
    super(message);
    this.name = 'EnrolmentRefused';
    this.status = status;
    this.code = code;
    this.retryAfterMs = retryAfterMs;
  }
}

/** What the unit expects of its leader. */
export interface ExpectedLeader {
  /** Base64 of its public key; undefined: the unit does not know it yet. */
  readonly leaderKey: string | undefined;
  /** One-time code. It is not sent: both sides prove that they know it. */
  readonly code: string | undefined;
}

/** Sends one enrolment request. Rejects with EnrolmentRefused, or with the error of the connection. */
export type EnrolCall = (enrolment: Enrolment, expected: ExpectedLeader, signal: AbortSignal) => Promise<Enrolled>;

export interface EnrolCallOptions {
  /** Read at each call. */
  readonly leader: () => URL;
  readonly identityKey: IdentityKey;
  /** The certificate that the unit presents over TLS; made at the first use. */
  readonly certificate: () => Promise<KeyedCertificate>;
}

const { enrolUnit, beginEnrolment } = enrolmentRoutes;

const otherLeader = (): EnrolmentRefused =>
  new EnrolmentRefused(
    409,
    'foreign_leader',
    'Another leader than the one of this unit answers at this address: its key differs. To leave the former leader, start this unit with --release.',
  );

const isReset = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'ECONNRESET';

/** A server with TLS closes connections without it. */
const withoutTls = ({ host }: URL): Error =>
  new Error(
    `${host} has closed the connection. A leader on a network uses TLS: start this unit with --leader https://${host}.`,
  );

interface Answer {
  readonly status: number;
  readonly body: unknown;
  readonly retryAfterMs: number | undefined;
}

/** The call over HTTP. It uses new connections each time, because calls are rare. */
export const httpEnrolCall = ({ leader, identityKey, certificate }: EnrolCallOptions): EnrolCall => {
  return async (enrolment, expected, signal) => {
    const base = leader();
    const machine = base.protocol === 'https:' ? await certificate() : undefined;
    try {
      return await enrolOver({ base, machine, identityKey, signal }, enrolment, expected);
    } catch (error) {
      if (error instanceof PeerKeyDiffers) throw otherLeader();
      throw base.protocol === 'http:' && isReset(error) ? withoutTls(base) : error;
    }
  };
};

interface Line {
  readonly base: URL;
  /** The certificate of this unit; undefined: without TLS. */
  readonly machine: KeyedCertificate | undefined;
  readonly identityKey: IdentityKey;
  readonly signal: AbortSignal;
}

async function enrolOver(line: Line, enrolment: Enrolment, expected: ExpectedLeader): Promise<Enrolled> {
  const { identityKey } = line;
  const { reactor_unit, machine_id } = enrolment;
  const asked: EnrolmentChallengeRequest = {
    reactor_unit,
    machine_id,
    public_key: identityKey.publicKey,
    nonce: newNonce(),
  };
  const begun = await send(line, beginEnrolment.path, asked, expected.leaderKey);
  const isOlder = begun.status === 404 && line.machine === undefined && expected.leaderKey === undefined;
  // A leader without keys; it accepts machines of its own computer only.
  if (isOlder) return enrolledIn(await send(line, enrolUnit.path, enrolment, undefined));
  const challenge = begun.body;
  if (begun.status !== 200 || !Value.Check(EnrolmentChallenge, challenge)) throw refusal(begun);
  const leaderKey = challenge.public_key;
  if (expected.leaderKey !== undefined && expected.leaderKey !== leaderKey) throw otherLeader();
  const transcript: EnrolmentTranscript = {
    challenge: challenge.challenge,
    unit: reactor_unit,
    machineId: machine_id,
    unitKey: identityKey.publicKey,
    leaderKey,
    unitNonce: asked.nonce,
    leaderNonce: challenge.nonce,
  };
  const { code } = expected;
  const codeKey = code === undefined ? undefined : await deriveCodeKey(code, challenge.salt, challenge.argon2);
  const proof = {
    challenge: challenge.challenge,
    signature: signTranscript(identityKey.privateKey, 'unit', transcript),
    ...(codeKey && { code_proof: proveCode(codeKey, 'unit', transcript) }),
  };
  // Over TLS only the holder of the key that was signed receives this.
  const answer = await send(line, enrolUnit.path, { ...enrolment, proof }, leaderKey);
  const enrolled = enrolledIn(answer, pairingFingerprint(identityKey.publicKey, leaderKey));
  expectLeader(enrolled, transcript, codeKey);
  return enrolled;
}

/** The answer of the leader that has the key and knows the code. @throws EnrolmentRefused */
function expectLeader({ proof }: Enrolled, transcript: EnrolmentTranscript, codeKey: Buffer | undefined): void {
  const isLeader = proof !== undefined && isSigned(transcript.leaderKey, 'leader', transcript, proof.signature);
  const hasCode = codeKey === undefined || isCodeProved(codeKey, 'leader', transcript, proof?.code_proof ?? '');
  if (isLeader && hasCode) return;
  throw new EnrolmentRefused(409, 'leader_not_proved', 'The leader has not proved its key or the one-time code.');
}

/** @throws EnrolmentRefused */
function enrolledIn(answer: Answer, fingerprint?: string): Enrolled {
  if (answer.status === 200 && Value.Check(Enrolled, answer.body)) return answer.body;
  throw refusal(answer, fingerprint);
}

/** @param fingerprint computed here: a machine in between could send another one */
function refusal({ status, body, retryAfterMs }: Answer, fingerprint?: string): EnrolmentRefused {
  if (!isErrorBody(body))
    return new EnrolmentRefused(
      status,
      'invalid_answer',
      `The response (status ${status}) is not from a leader.`,
      retryAfterMs,
    );
  const message =
    body.code === 'enrol_approval_needed' && fingerprint !== undefined
      ? `An administrator has to let this unit join. Pairing fingerprint: ${fingerprint}. It must be the one in the web UI under Inventory, or of \`lcs units joins\`.`
      : `${body.error} ${body.cause} ${body.remediation}`;
  return new EnrolmentRefused(status, body.code, message, retryAfterMs);
}

/** @param peerKey over TLS nobody else receives anything; undefined: whoever is there */
async function send(line: Line, path: string, content: object, peerKey: string | undefined): Promise<Answer> {
  const { base, machine, signal } = line;
  const agent = machine && new PinnedAgent({ peerKey, machine });
  try {
    const response = await responseTo(new URL(path, base), agent, JSON.stringify(content), signal);
    const seconds = Number(response.headers['retry-after'] ?? Number.NaN);
    return {
      status: response.statusCode ?? 0,
      body: parsed(await text(response)),
      retryAfterMs: Number.isFinite(seconds) ? seconds * 1_000 : undefined,
    };
  } finally {
    agent?.destroy();
  }
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

function responseTo(url: URL, agent: Agent | undefined, content: string, signal: AbortSignal) {
  return new Promise<IncomingMessage>((resolve, reject) => {
    const request = agent === undefined ? httpRequest : httpsRequest;
    const outgoing = request(url, {
      method: 'POST',
      agent: agent ?? false,
      signal,
      headers: {
        accept: 'application/json',
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(content),
      },
    });
    outgoing.on('error', reject);
    outgoing.on('response', resolve);
    outgoing.end(content);
  });
}
