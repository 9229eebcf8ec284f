import {
  argon2,
  createHash,
  createHmac,
  createPublicKey,
  type KeyObject,
  randomBytes,
  sign,
  timingSafeEqual,
  verify,
} from 'node:crypto';
import type { EnrolmentChallenge } from '@lcs/contract';
import type { PublicKeyText } from '@lcs/platform';

/** What unit and leader know of each other when they prove their keys: both sign all of it. */
export interface EnrolmentTranscript {
  readonly challenge: string;
  readonly unit: string;
  readonly machineId: string;
  readonly unitKey: PublicKeyText;
  readonly leaderKey: PublicKeyText;
  readonly unitNonce: string;
  readonly leaderNonce: string;
}

/** Who proves: a proof of one side is none of the other. */
type Prover = 'unit' | 'leader';

export type CodeCost = EnrolmentChallenge['argon2'];

/** A machine in between cannot try 2⁴⁰ codes of 15 minutes' life at this cost: 64 MiB each. */
export const codeCost: CodeCost = { memory: 65_536, passes: 2, parallelism: 1 };

const nonceBytes = 32;
const keyBytes = 32;
/** Of the SHA-256 of both keys, for people to compare. */
const pairingDigits = 32;

export const newNonce = (): string => randomBytes(nonceBytes).toString('base64url');

function contentOf(prover: Prover, transcript: EnrolmentTranscript): Buffer {
  const { challenge, unit, machineId, unitKey, leaderKey, unitNonce, leaderNonce } = transcript;
  return Buffer.from(
    JSON.stringify(['lcs enrolment 1', prover, challenge, unit, machineId, unitKey, leaderKey, unitNonce, leaderNonce]),
  );
}

export const signTranscript = (key: KeyObject, prover: Prover, transcript: EnrolmentTranscript): string =>
  sign(null, contentOf(prover, transcript), key).toString('base64url');

/** Whether the holder of this key has signed. False also for what is not an Ed25519 key. */
export function isSigned(key: PublicKeyText, prover: Prover, transcript: EnrolmentTranscript, signature: string) {
  try {
    const publicKey = createPublicKey({ key: Buffer.from(key, 'base64'), format: 'der', type: 'spki' });
    const bytes = Buffer.from(signature, 'base64url');
    return publicKey.asymmetricKeyType === 'ed25519' && verify(null, contentOf(prover, transcript), publicKey, bytes);
  } catch {
    return false;
  }
}

const normalised = (code: string): string => code.toUpperCase().replaceAll(/[\s-]/g, '');

/** The key that both sides derive from a one-time code. */
export const deriveCodeKey = (code: string, salt: string, cost: CodeCost): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const input = { message: normalised(code), nonce: Buffer.from(salt, 'base64url'), tagLength: keyBytes, ...cost };
    argon2('argon2id', input, (error, key) => {
      if (error === null) resolve(key);
      else reject(error);
    });
  });

export const proveCode = (codeKey: Buffer, prover: Prover, transcript: EnrolmentTranscript): string =>
  createHmac('sha256', codeKey).update(contentOf(prover, transcript)).digest('base64url');

export function isCodeProved(codeKey: Buffer, prover: Prover, transcript: EnrolmentTranscript, proof: string): boolean {
  const expected = Buffer.from(proveCode(codeKey, prover, transcript));
  const given = Buffer.from(proof);
  return expected.length === given.length && timingSafeEqual(expected, given);
}

/** 128 bits over the keys of both: whoever sits between has another key on each side, and so another fingerprint. */
export function pairingFingerprint(unitKey: PublicKeyText, leaderKey: PublicKeyText): string {
  const digest = createHash('sha256')
    .update(JSON.stringify(['lcs pairing 1', unitKey, leaderKey]))
    .digest('hex');
  return digest.slice(0, pairingDigits).match(/.{4}/g)?.join(' ') ?? '';
}
