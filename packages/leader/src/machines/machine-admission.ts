import type { KeyObject } from 'node:crypto';
import { ApiError, type Enrolment, type EnrolmentChallenge, type LeaderProof } from '@lcs/contract';
import {
  type CodeCost,
  codeCost,
  type EnrolmentTranscript,
  isSigned,
  pairingFingerprint,
  proveCode,
  signTranscript,
} from '@lcs/node';
import { isLoopback } from '@lcs/platform';
import type { LeaderContext } from '../core/leader-context.ts';
import { type AdmissionReason, admissionOf } from './admission.ts';
import { EnrolmentChallenges } from './enrolment-challenges.ts';
import { JoinRequests } from './join-requests.ts';
import type { MachineRegistry } from './machine-registry.ts';
import type { MachineRecord } from './machine-store.ts';
import { OneTimeCodes, type UsedCode } from './one-time-codes.ts';

export interface MachineAdmissionOptions {
  readonly context: Pick<LeaderContext, 'clock' | 'wire' | 'newId'>;
  readonly leaderId: string;
  readonly identityKey: { readonly privateKey: KeyObject; readonly publicKey: string };
  readonly machines: MachineRegistry;
  readonly hasPeople: () => boolean;
  /** Called after each change of the requests to join; must not throw. */
  readonly onJoinsChange: () => void;
  /** Lower in tests. */
  readonly cost?: CodeCost;
}

/** A request to enrol, as its connection shows it. */
export interface EnrolmentRequest {
  readonly enrolment: Enrolment;
  readonly remoteAddress: string | undefined;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly origin?: { readonly isSecure: boolean; readonly peerKey: string | undefined } | undefined;
}

/** A machine that has proved its key. */
export interface ProvedMachine {
  readonly publicKey: string;
  readonly transcript: EnrolmentTranscript;
  readonly challenge: EnrolmentChallenge;
  readonly codeProof: string | undefined;
}

/** What the store knows of the machine and its name. */
export interface AdmissionNames {
  readonly hasEnrolled: boolean;
  readonly isTaken: boolean;
  readonly isReplaced: boolean;
}

/** A machine that may enrol. */
export interface Admitted {
  readonly reason: AdmissionReason | 'approval';
  readonly proof: LeaderProof | undefined;
  /** The key of the machine; undefined: it has none. */
  readonly key: string | undefined;
  /**
   * To be stored with the enrolment, read in its transaction; undefined: the machine has no key.
   * @throws ApiError unit_revoked, enrol_proof_wrong: it may not enrol any more
   */
  readonly machine: () => MachineRecord | undefined;
  /** The enrolment has succeeded, or failed. */
  readonly end: (hasEnrolled: boolean) => void;
}

/** How long a machine waits before it asks again for its approval. */
const askAgainS = 5;
const forwardingHeaders = ['forwarded', 'x-forwarded-for', 'x-real-ip'];

const isForwarded = ({ headers }: EnrolmentRequest): boolean =>
  forwardingHeaders.some((name) => headers[name] !== undefined);

const isPlainLoopback = (request: EnrolmentRequest): boolean =>
  request.origin?.isSecure !== true && isLoopback(request.remoteAddress ?? '') && !isForwarded(request);

/** Decides which machines may enrol: challenges, one-time codes, requests to join. */
export class MachineAdmission {
  readonly challenges: EnrolmentChallenges;
  readonly codes: OneTimeCodes;
  readonly joins: JoinRequests;
  readonly #options: MachineAdmissionOptions;

  constructor(options: MachineAdmissionOptions) {
    const { context, leaderId, identityKey, onJoinsChange, cost = codeCost } = options;
    const { clock, wire, newId } = context;
    this.#options = options;
    this.challenges = new EnrolmentChallenges({ wire, newId, leaderId, leaderKey: identityKey.publicKey, cost });
    this.codes = new OneTimeCodes({ clock, newId, cost });
    this.joins = new JoinRequests({ clock, newId, onChange: onJoinsChange });
  }

  get hasPeople(): boolean {
    return this.#options.hasPeople();
  }

  /**
   * The key that the machine has proved; undefined: an older program on this computer.
   * @throws ApiError enrol_proof_wrong, enrol_code_needed, enrol_code_wrong
   */
  prove(request: EnrolmentRequest): ProvedMachine | undefined {
    const { enrolment, origin } = request;
    const { proof, code } = enrolment;
    // A code in the clear is worth nothing any more.
    if (code !== undefined && code !== null) throw new ApiError('enrol_code_wrong', {});
    if (proof === undefined) {
      if (!isPlainLoopback(request)) throw new ApiError('enrol_code_needed', {});
      return undefined;
    }
    const { request: asked, challenge } = this.challenges.take(proof.challenge);
    const { public_key: publicKey, machine_id: machineId, reactor_unit: unit, nonce: unitNonce } = asked;
    const transcript: EnrolmentTranscript = {
      challenge: challenge.challenge,
      unit,
      machineId,
      unitKey: publicKey,
      leaderKey: challenge.public_key,
      unitNonce,
      leaderNonce: challenge.nonce,
    };
    if (unit !== enrolment.reactor_unit || machineId !== enrolment.machine_id)
      throw new ApiError('enrol_proof_wrong', { cause: 'The challenge was issued to another machine.' });
    if (origin?.isSecure && origin.peerKey !== publicKey)
      throw new ApiError('enrol_proof_wrong', { cause: 'The connection has another key than the machine.' });
    if (!isSigned(publicKey, 'unit', transcript, proof.signature))
      throw new ApiError('enrol_proof_wrong', { cause: 'The signature is not of the key of the machine.' });
    return { publicKey, transcript, challenge, codeProof: proof.code_proof };
  }

  /**
   * @throws ApiError enrol_code_needed, enrol_code_wrong, enrol_approval_needed, enrol_refused, unit_revoked,
   *   unit_name_taken
   */
  async admit(request: EnrolmentRequest, proved: ProvedMachine | undefined, names: AdmissionNames): Promise<Admitted> {
    const { machines, identityKey, leaderId } = this.#options;
    const { machine_id: machineId, reactor_unit: unit } = request.enrolment;
    const known = machines.machine(machineId);
    const code = await this.#usedCode(proved);
    const reason = admissionOf({
      ...names,
      unit,
      isPlainLoopback: isPlainLoopback(request),
      hasPeople: this.hasPeople,
      provedKey: proved?.publicKey,
      isLeadersKey: machineId === leaderId && proved?.publicKey === identityKey.publicKey,
      isLeadersId: machineId === leaderId,
      hasCode: code !== undefined,
      known,
    });
    if (reason === undefined && proved !== undefined)
      this.#expectApproval(request, proved, names.isTaken || hasOtherKey(known, proved));
    return {
      reason: reason ?? 'approval',
      proof: proved && this.#leaderProof(proved, code),
      key: proved?.publicKey,
      machine: () => proved && this.#machineNow(known, proved),
      end: (hasEnrolled) => {
        if (hasEnrolled && proved !== undefined) this.joins.joined(proved.publicKey);
        if (!hasEnrolled) code?.giveBack();
      },
    };
  }

  /** An administrator may have revoked the machine, or changed its credentials, since it was admitted. */
  #machineNow(admitted: MachineRecord | undefined, proved: ProvedMachine): MachineRecord {
    const { machines, context } = this.#options;
    const { machineId, unit } = proved.transcript;
    const now = machines.machine(machineId);
    if (now !== undefined && now.revokedAt !== null && now.revokedAt !== admitted?.revokedAt)
      throw new ApiError('unit_revoked', { unit });
    if (now?.publicKey !== admitted?.publicKey && hasOtherKey(now, proved))
      throw new ApiError('enrol_proof_wrong', { cause: 'Another machine has enrolled with this ID meanwhile.' });
    return machineAfter(now, proved, context.clock.now());
  }

  async #usedCode(proved: ProvedMachine | undefined): Promise<UsedCode | undefined> {
    if (proved?.codeProof === undefined) return undefined;
    return this.codes.use(proved.transcript, proved.challenge.salt, proved.codeProof);
  }

  /**
   * Whether a person has let this machine take over the name of another one; it waits for that among the requests to join.
   * @throws ApiError enrol_refused
   */
  isReplacementApproved(request: EnrolmentRequest, proved: ProvedMachine): boolean {
    return this.#ask(request, proved, true).isApproved;
  }

  #ask(request: EnrolmentRequest, { publicKey, transcript }: ProvedMachine, replaces: boolean) {
    const fingerprint = pairingFingerprint(publicKey, transcript.leaderKey);
    const isApproved = this.joins.ask({
      machineId: transcript.machineId,
      publicKey,
      unit: transcript.unit,
      address: request.remoteAddress ?? '',
      fingerprint,
      replaces,
    });
    return { isApproved, fingerprint };
  }

  #expectApproval(request: EnrolmentRequest, proved: ProvedMachine, replaces: boolean): void {
    const { isApproved, fingerprint } = this.#ask(request, proved, replaces);
    if (!isApproved) throw new ApiError('enrol_approval_needed', { fingerprint, retryAfterS: askAgainS });
  }

  #leaderProof({ transcript }: ProvedMachine, code: UsedCode | undefined): LeaderProof {
    const { privateKey, publicKey } = this.#options.identityKey;
    return {
      public_key: publicKey,
      signature: signTranscript(privateKey, 'leader', transcript),
      ...(code && { code_proof: proveCode(code.key, 'leader', transcript) }),
    };
  }
}

/** Whether the ID belongs to a machine with another key, which would lose it. */
const hasOtherKey = (known: MachineRecord | undefined, { publicKey }: ProvedMachine): boolean =>
  known !== undefined && known.revokedAt === null && known.publicKey !== publicKey;

/** Another key, and the return after a revocation, result in other credentials. */
function machineAfter(known: MachineRecord | undefined, proved: ProvedMachine, now: number): MachineRecord {
  const { publicKey, transcript } = proved;
  const isSame = known !== undefined && known.publicKey === publicKey && known.revokedAt === null;
  const generation = known === undefined ? 1 : isSame ? known.wantedGeneration : known.wantedGeneration + 1;
  return {
    machineId: transcript.machineId,
    unit: transcript.unit,
    publicKey,
    generation,
    wantedGeneration: generation,
    enrolledAt: known?.enrolledAt ?? now,
    revokedAt: null,
  };
}
