import { ApiError, type Enrolment, unitProtocol } from '@lcs/contract';
import { validateUnitName } from '@lcs/domain';

/** Stored facts about the name and the machine of an enrolment. */
export interface EnrolmentFacts {
  readonly leader: string;
  /** Identity of the leader's own machine, whose unit role has the leader's name. */
  readonly leaderId: string;
  /** The machine that has the name. */
  readonly holder: { readonly machine_id: string } | undefined;
  /** The name that the machine has. */
  readonly known: { readonly reactor_unit: string } | undefined;
  /** Whether that name is in the inventory. */
  readonly isKnownWorker: boolean;
  /** The name that was taken from the machine. */
  readonly replaced: { readonly reactor_unit: string } | undefined;
}

/** The effect of an enrolment on the stored enrolments. */
export type EnrolmentKind = 'first' | 'again' | 'replaces';

/**
 * Pure: whether this machine may have this name. Run before anything that takes time, and again in the transaction.
 * @throws ApiError unit_name_taken, machine_registered, unit_replaced
 */
export function validateEnrolment(enrolment: Enrolment, facts: EnrolmentFacts): EnrolmentKind {
  const { reactor_unit: unit, machine_id, replace = false } = enrolment;
  const { leader, leaderId, holder, known, isKnownWorker, replaced } = facts;
  if (unit === leader && machine_id !== leaderId) throw new ApiError('unit_name_taken', { unit });
  if (known && known.reactor_unit !== unit && isKnownWorker) {
    throw new ApiError('machine_registered', { unit: known.reactor_unit });
  }
  if (holder && holder.machine_id !== machine_id && !replace) {
    throw new ApiError(replaced?.reactor_unit === unit ? 'unit_replaced' : 'unit_name_taken', { unit });
  }
  if (holder?.machine_id === machine_id) return 'again';
  return holder ? 'replaces' : 'first';
}

/**
 * Checks that need no stored facts.
 * @throws ApiError unit_name_invalid, protocol_unsupported
 */
export function checkEnrolment({ reactor_unit, protocol }: Enrolment): void {
  const validation = validateUnitName(reactor_unit);
  if (!validation.ok) throw new ApiError('unit_name_invalid', { cause: validation.cause });
  if (protocol !== unitProtocol) {
    throw new ApiError('protocol_unsupported', { protocol }, [{ lowest: unitProtocol, highest: unitProtocol }]);
  }
}
