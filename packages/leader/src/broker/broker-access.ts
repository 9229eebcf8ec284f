import type { Caller } from '@lcs/contract';
import type { TopicCaller } from '@lcs/domain';

/** The account of a CONNECT packet. */
export interface Account {
  readonly username: string;
  /** Undefined: there is none. */
  readonly password: string | undefined;
}

/** A connection before its first packet. */
export interface ConnectionOrigin {
  /** Of the machine at the other end; empty if unknown. */
  readonly address: string;
  /** Who sent the HTTP request of a WebSocket. */
  readonly caller?: Caller;
}

/** Who uses a connection. */
export interface BrokerCaller {
  /** Sessions of MQTT belong to it: nobody else continues or ends them. */
  readonly owner: string;
  /** What it may do at this moment; undefined: its credentials are no longer valid. Called for every message that it publishes. */
  readonly rights: () => TopicCaller | undefined;
}

/** Who connects, or why nobody does: an unknown account, or none. Reads memory only. */
export type BrokerAccess = (
  origin: ConnectionOrigin,
  account: Account | undefined,
) => BrokerCaller | 'wrongAccount' | 'notAllowed';

const unlimited: TopicCaller = { is: 'unlimited' };
const everybody: BrokerCaller = { owner: '', rights: () => unlimited };

/** Everybody may do everything. */
export const openAccess: BrokerAccess = () => everybody;

/** Whether both may do the same. */
export function haveSameRights(one: TopicCaller, other: TopicCaller): boolean {
  if (one === other) return true;
  if (one.is === 'unit' && other.is === 'unit') return one.unit === other.unit;
  if (one.is !== 'client' || other.is !== 'client') return one.is === other.is && one.is === 'unlimited';
  const { permissions } = one;
  return permissions.size === other.permissions.size && [...permissions].every((name) => other.permissions.has(name));
}
