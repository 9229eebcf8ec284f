import type { BrokerSecurity, brokerRoutes, Caller, Handlers, UnitCredentials } from '@lcs/contract';
import type { AccountRights } from '@lcs/domain';
import type { BrokerSettings } from '../broker/broker-settings.ts';
import { type BrokerAccount, dynamicSecurity } from '../broker/dynamic-security.ts';
import { mosquittoPassword } from '../broker/mosquitto-password.ts';
import type { AccessControl } from './access-control.ts';
import { tokenUsername } from './broker-accounts.ts';

export interface MosquittoSources {
  readonly access: Pick<AccessControl, 'tokens' | 'current'>;
  readonly machines: {
    /** Names of the units with credentials. */
    readonly units: readonly string[];
    credentialsOf(unit: string): Pick<UnitCredentials, 'mqtt'> | undefined;
  };
  readonly settings: BrokerSettings;
}

type Omitted = BrokerSecurity['omitted'][number];

/** The account with which the leader itself uses an external broker. */
async function leaderAccount(settings: BrokerSettings): Promise<BrokerAccount | Omitted> {
  const { username, password } = settings.mode === 'external' ? settings : {};
  if (username === undefined || password === undefined) {
    const cause = 'Enter mode = external, url, username and password in section [broker] of leader.ini.';
    return { account: 'leader', cause };
  }
  const hashed = await mosquittoPassword(password, 'chosen');
  return { username, description: 'The leader', password: hashed, may: { is: 'unlimited' } };
}

async function unitAccounts(machines: MosquittoSources['machines']): Promise<readonly BrokerAccount[]> {
  const known = machines.units.flatMap((unit) => {
    const mqtt = machines.credentialsOf(unit)?.mqtt;
    return mqtt === undefined ? [] : [{ unit, mqtt }];
  });
  return Promise.all(
    known.map(async ({ unit, mqtt }) => ({
      username: mqtt.username,
      description: `The unit ${unit}`,
      password: await mosquittoPassword(mqtt.password, 'secret'),
      may: { is: 'unit', unit } as const,
    })),
  );
}

const rightsOf = ({ permissions, limits }: Caller): AccountRights => ({
  is: 'client',
  permissions,
  ...(limits && { limits }),
});

function tokenAccounts(access: MosquittoSources['access']): readonly (BrokerAccount | Omitted)[] {
  return access.tokens().flatMap(({ id, name, mosquittoHash }): readonly (BrokerAccount | Omitted)[] => {
    const caller = access.current({ kind: 'token', id });
    // It has ended, or its maker is disabled.
    if (caller === undefined) return [];
    const username = `${tokenUsername}:${id}`;
    if (mosquittoHash === undefined)
      return [{ account: username, cause: `The token ${name} is of an earlier version: make it again.` }];
    return [{ username, description: `The token ${name}`, password: mosquittoHash, may: rightsOf(caller) }];
  });
}

/**
 * Everybody with an account who may use Mosquitto. People are not among them: their passwords are kept as Argon2id only, because a hash that
 * Mosquitto understands would be weaker. They use a token.
 */
async function mosquittoSecurity({ access, machines, settings }: MosquittoSources): Promise<BrokerSecurity> {
  const all = [await leaderAccount(settings), ...(await unitAccounts(machines)), ...tokenAccounts(access)];
  const accounts = all.filter((one) => 'username' in one);
  return {
    dynamic_security: dynamicSecurity(accounts),
    omitted: all.filter((one) => 'cause' in one),
  };
}

/** The configuration of an external broker. */
export const brokerHandlers = (sources: MosquittoSources): Handlers<typeof brokerRoutes> => ({
  makeBrokerSecurity: async () => ({ status: 200, body: await mosquittoSecurity(sources) }),
});
