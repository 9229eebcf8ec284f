import type { Caller } from '@lcs/contract';
import type { TopicCaller } from '@lcs/domain';
import type { PublicKeyText } from '@lcs/platform';

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
  /** The key that the machine at the other end has proved in the TLS handshake. */
  readonly peerKey?: PublicKeyText | undefined;
  /** Both ends are on this machine, without TLS and without a proxy. */
  readonly isPlainLoopback?: boolean;
}

/** Who uses a connection, as records name it. */
export interface BrokerIdentity extends Pick<Caller, 'id' | 'personId' | 'name'> {
  readonly kind: Caller['kind'] | 'unit';
}

/** Who uses a connection. */
export interface BrokerCaller {
  readonly identity: BrokerIdentity;
  /** Sessions of MQTT belong to it: nobody else continues or ends them. Limits of one account count by it. */
  readonly owner: string;
  /** What it may do at this moment; undefined: its credentials are no longer valid. Called for every message that it publishes. */
  readonly rights: () => TopicCaller | undefined;
}

/** Who connects, or why nobody does: an unknown account, or none. Reads memory only. */
export type BrokerAccess = (
  origin: ConnectionOrigin,
  account: Account | undefined,
) => BrokerCaller | 'wrongAccount' | 'notAllowed';

/** The owner of sessions of clients without an account: each of them may continue those of the others. */
export const withoutAccount = '';

export const unlimited: TopicCaller = { is: 'unlimited' };
/** A client without an account, where none is needed. */
export const everybody: BrokerCaller = {
  identity: { kind: 'local', id: '', personId: '', name: 'local' },
  owner: withoutAccount,
  rights: () => unlimited,
};

/** Everybody may do everything. */
export const openAccess: BrokerAccess = () => everybody;

/** Whether both may do the same. Scopes are evaluated for each message. */
export function haveSameRights(one: TopicCaller, other: TopicCaller): boolean {
  if (one === other) return true;
  if (one.is === 'unit' && other.is === 'unit') return one.unit === other.unit;
  if (one.is !== 'client' || other.is !== 'client') return one.is === other.is && one.is === 'unlimited';
  const { permissions } = one;
  return permissions.size === other.permissions.size && [...permissions].every((name) => other.permissions.has(name));
}
