import type { Caller, UnitCredentials } from '@lcs/contract';
import type { TopicCaller, TopicScope } from '@lcs/domain';
import {
  type Account,
  type BrokerAccess,
  type BrokerCaller,
  type ConnectionOrigin,
  everybody,
  unlimited,
  withoutAccount,
} from '../broker/broker-access.ts';
import type { AccessControl } from './access-control.ts';

/** The accounts of units. Reads memory only. */
interface UnitAccounts {
  /** The unit with this account; undefined: the account is not valid, or the connection is that of another machine. */
  unitOfAccount(username: string, password: string, origin: ConnectionOrigin): string | undefined;
  /** The credentials that a unit has at this moment; undefined: none. */
  credentialsOf(unit: string): Pick<UnitCredentials, 'mqtt'> | undefined;
}

export interface BrokerAccountsOptions {
  readonly access: Pick<AccessControl, 'hasPeople' | 'bearer' | 'current'>;
  readonly units: UnitAccounts;
  /** Whether clients without an account are admitted while no person exists: the broker listens on loopback only. */
  readonly isOpen: boolean;
  /** The scope of a person or token; undefined: none. */
  readonly scopeOf?: (caller: Caller) => TopicScope | undefined;
}

/** User name of tokens, with the token as the password. The ID of the token may follow: brokers that know accounts by name need it. */
export const tokenUsername = 'token';
/** User name of the leader itself. */
const leaderUsername = 'leader';

const noScope = (): undefined => undefined;

/** Who uses the broker: units with their credentials, people with their session (WebSocket), programs with their tokens, the leader. */
export function brokerAccounts({ access, units, isOpen, scopeOf = noScope }: BrokerAccountsOptions): BrokerAccess {
  const rightsOf = (caller: Caller): TopicCaller => {
    if (caller.kind === 'leader' || caller.kind === 'local') return unlimited;
    const scope = scopeOf(caller);
    return { is: 'client', permissions: caller.permissions, ...(scope && { scope }) };
  };

  const ofCaller = (caller: Caller): BrokerCaller => {
    const { kind, id, personId, name } = caller;
    return {
      identity: { kind, id, personId, name },
      owner: kind === 'local' ? withoutAccount : `${kind}:${kind === 'person' ? personId : id}`,
      rights: () => {
        const now = access.current(caller);
        return now && rightsOf(now);
      },
    };
  };

  const ofUnit = (unit: string, password: string): BrokerCaller => ({
    identity: { kind: 'unit', id: unit, personId: '', name: unit },
    owner: `unit:${unit}`,
    rights: () => (units.credentialsOf(unit)?.mqtt.password === password ? { is: 'unit', unit } : undefined),
  });

  const ofAccount = (origin: ConnectionOrigin, { username, password = '' }: Account): BrokerCaller | undefined => {
    const unit = units.unitOfAccount(username, password, origin);
    if (unit !== undefined) return ofUnit(unit, password);
    const bearer = access.bearer(password);
    if (bearer === undefined) return undefined;
    const names = bearer.kind === 'leader' ? [leaderUsername] : [tokenUsername, `${tokenUsername}:${bearer.id}`];
    return names.includes(username) ? ofCaller(bearer) : undefined;
  };

  /** Loses its rights when the first person exists. */
  const openCaller = (): BrokerCaller | undefined => {
    if (!isOpen || access.hasPeople) return undefined;
    return { ...everybody, rights: () => (access.hasPeople ? undefined : unlimited) };
  };

  return (origin, account) => {
    const known = account && ofAccount(origin, account);
    if (known !== undefined) return known;
    const open = openCaller();
    if (open !== undefined) return open;
    if (account !== undefined) return 'wrongAccount';
    const { caller } = origin;
    if (caller === undefined || caller.kind === 'anonymous') return 'notAllowed';
    // Whoever is local although people exist works on the machine itself, through a socket that only its user may open.
    return caller.kind === 'local' && access.hasPeople ? { ...everybody, owner: 'local' } : ofCaller(caller);
  };
}
