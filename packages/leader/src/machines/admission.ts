import { ApiError } from '@lcs/contract';
import type { MachineRecord } from './machine-store.ts';

/** Why a machine may enrol. */
export type AdmissionReason = 'own node' | 'one-time code' | 'known machine' | 'open leader' | 'older program';

/** What is known of a machine that wants to enrol, and of its request. */
export interface AdmissionFacts {
  readonly unit: string;
  /** Both ends are on this machine, without TLS and without a proxy. */
  readonly isPlainLoopback: boolean;
  readonly hasPeople: boolean;
  /** The key that the machine has proved; undefined: its program is older and proves none. */
  readonly provedKey: string | undefined;
  readonly isLeadersKey: boolean;
  /** It calls itself the machine of the leader. */
  readonly isLeadersId: boolean;
  readonly hasCode: boolean;
  /** The machine with this ID. */
  readonly known: MachineRecord | undefined;
  /** It has enrolled under this name before. */
  readonly hasEnrolled: boolean;
  /** Another machine has the name. */
  readonly isTaken: boolean;
  /** Another machine has got its name. */
  readonly isReplaced: boolean;
}

/**
 * Pure: why this machine may enrol; undefined: a person must approve it.
 * @throws ApiError enrol_code_needed, unit_revoked, unit_name_taken
 */
export function admissionOf(facts: AdmissionFacts): AdmissionReason | undefined {
  const { unit, provedKey, known, isPlainLoopback, hasPeople } = facts;
  if (facts.isLeadersKey) return 'own node';
  if (facts.isLeadersId && provedKey !== undefined) throw new ApiError('unit_name_taken', { unit });
  if (facts.hasCode) return 'one-time code';
  const isRevoked = known !== undefined && known.revokedAt !== null;
  // Another name needs an approval, too: a person decides which machine is which unit.
  const isSame = known !== undefined && provedKey === known.publicKey && known.unit === unit;
  if (isSame && !isRevoked && !facts.isTaken) return 'known machine';
  if (isPlainLoopback && !hasPeople) {
    if (isRevoked && !facts.isReplaced) throw new ApiError('unit_revoked', { unit });
    return 'open leader';
  }
  if (provedKey === undefined) throw new ApiError('enrol_code_needed', {});
  // It enrolled on this computer before units had keys.
  if (isPlainLoopback && known === undefined && facts.hasEnrolled) return 'older program';
  return undefined;
}
