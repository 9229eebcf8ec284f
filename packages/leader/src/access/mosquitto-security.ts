import type { BrokerCheck, BrokerSecurity, brokerRoutes, Caller, Handlers, UnitCredentials } from '@lcs/contract';
import type { AccountRights } from '@lcs/domain';
import type { Clock } from '@lcs/platform';
import type { BrokerSettings } from '../broker/broker-settings.ts';
import { brokerFindings } from '../broker/check/broker-findings.ts';
import { type BrokerCheckStage, readBrokerFacts } from '../broker/check/read-broker-facts.ts';
import { type BrokerAccount, dynamicSecurity } from '../broker/dynamic-security.ts';
import { mosquittoPassword } from '../broker/mosquitto-password.ts';
import type { AccessControl } from './access-control.ts';
import { tokenUsername } from './broker-accounts.ts';

interface MosquittoSources {
  readonly access: Pick<AccessControl, 'tokens' | 'current'>;
  readonly machines: {
    /** Names of the units with credentials. */
    readonly units: readonly string[];
    credentialsOf(unit: string): Pick<UnitCredentials, 'mqtt'> | undefined;
  };
  readonly settings: BrokerSettings;
}

interface BrokerSources extends MosquittoSources {
  /** The leader's unit name. */
  readonly leader: string;
  readonly wire: Clock;
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

/** Units with credentials, and their accounts. */
const enrolled = (machines: MosquittoSources['machines']) =>
  machines.units.flatMap((unit) => {
    const mqtt = machines.credentialsOf(unit)?.mqtt;
    return mqtt === undefined ? [] : [{ unit, mqtt }];
  });

async function unitAccounts(machines: MosquittoSources['machines']): Promise<readonly BrokerAccount[]> {
  return Promise.all(
    enrolled(machines).map(async ({ unit, mqtt }) => ({
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

/** The configuration of an external broker, and its check. */
export function brokerHandlers(sources: BrokerSources): Handlers<typeof brokerRoutes> {
  const { machines, settings, leader, wire } = sources;
  let running: Promise<unknown> = Promise.resolve();
  const check = async (stage: BrokerCheckStage): Promise<BrokerCheck> => {
    const units = enrolled(machines).map(({ unit, mqtt }) => ({ unit, account: mqtt }));
    const facts = await readBrokerFacts({ settings, leader, units, wire }, stage);
    return { findings: [...brokerFindings(facts, wire.now())] };
  };
  return {
    makeBrokerSecurity: async () => ({ status: 200, body: await mosquittoSecurity(sources) }),
    checkBroker: async ({ body: { restart } }) => {
      const stage = restart === undefined ? 'now' : (`${restart} restart` as const);
      // Two at once would take each other's sessions.
      const mine = running.then(() => check(stage));
      running = mine.catch(() => undefined);
      return { status: 200, body: await mine };
    },
  };
}
