import type { DynamicSecurity, Permission } from '@lcs/contract';
import {
  type AccountRights,
  commandRules,
  mayCommand,
  readRules,
  type TopicRule,
  unitPublishes,
  unitReceives,
} from '@lcs/domain';
import type { MosquittoPassword } from './mosquitto-password.ts';

/** An account of a broker with Mosquitto's plugin for dynamic security. */
export interface BrokerAccount {
  readonly username: string;
  readonly description: string;
  readonly password: MosquittoPassword;
  readonly may: AccountRights;
}

type AclType = 'publishClientSend' | 'publishClientReceive' | 'subscribePattern';

type Role = DynamicSecurity['roles'][number];
type Acl = Role['acls'][number];
type Client = DynamicSecurity['clients'][number];

/** The permissions that some rule by topic names; others have no effect at the broker. */
const usedPermissions: readonly Permission[] = [
  ...new Set([...commandRules, ...readRules].map(({ permission }) => permission)),
].sort();

const allow = (acltype: AclType, topics: readonly string[]): Acl[] =>
  topics.map((topic) => ({ acltype, topic, priority: 0, allow: true }));

/** What may be received may be subscribed to. */
const receives = (topics: readonly string[]): Acl[] => [
  ...allow('publishClientReceive', topics),
  ...allow('subscribePattern', topics),
];

const unlimitedRole: Role = {
  rolename: 'leader',
  textdescription: 'Everything',
  acls: [...allow('publishClientSend', ['#']), ...receives(['#', '$SYS/#'])],
};

const unitRole = (unit: string): Role => ({
  rolename: `unit:${unit}`,
  textdescription: `Below reactor/${unit}`,
  acls: [...allow('publishClientSend', unitPublishes(unit)), ...receives(unitReceives(unit))],
});

/** The first rule with a matching filter decides, so that it has the highest priority. */
const ranked = <Rule extends TopicRule>(
  rules: readonly Rule[],
  acltype: AclType,
  isAllowed: (rule: Rule) => boolean,
  topicsOf: (topics: string) => readonly string[],
): Acl[] =>
  rules.flatMap((rule, index) =>
    topicsOf(rule.topics).map((topic) => ({
      acltype,
      topic,
      priority: rules.length - index,
      allow: isAllowed(rule),
    })),
  );

/** The filter within one unit and one experiment; undefined: all of them. */
function within(topics: string, unit: string | undefined, experiment: string | undefined): string {
  if (unit === undefined && experiment === undefined) return topics;
  const [root = '', first = '+', second = '+', ...others] = topics.split('/');
  const rest = first === '#' ? ['#'] : others;
  return [root, unit ?? (first === '#' ? '+' : first), experiment ?? second, ...rest].join('/');
}

type ClientRights = Extract<AccountRights, { is: 'client' }>;

/** Filters of a rule within the limits of a token. */
function limited({ limits }: ClientRights): (topics: string) => readonly string[] {
  const unitNames = [...(limits?.units ?? [undefined])];
  const experimentNames = [...(limits?.experiments ?? [undefined])];
  return (topics) => unitNames.flatMap((unit) => experimentNames.map((experiment) => within(topics, unit, experiment)));
}

/**
 * A role for each set of permissions, with the rules of the embedded broker. Mosquitto does not read payloads: a command whose payload decides needs
 * the permission for any.
 */
function clientRole(rights: ClientRights, username: string): Role {
  const { permissions, limits } = rights;
  const held = usedPermissions.filter((permission) => permissions.has(permission));
  const isLimited = limits?.units !== undefined || limits?.experiments !== undefined;
  const inLimits = limited(rights);
  const mayRead = ({ permission }: TopicRule) => permissions.has(permission);
  return {
    rolename: isLimited ? `limited:${username}` : `client:${held.join(',')}`,
    textdescription: isLimited ? 'Within the limits of this token' : held.join(', '),
    acls: [
      ...ranked(commandRules, 'publishClientSend', (rule) => mayCommand(rule, permissions, undefined), inLimits),
      ...ranked(readRules, 'publishClientReceive', mayRead, inLimits),
      ...ranked(readRules, 'subscribePattern', mayRead, (topics) => [topics]),
    ],
  };
}

function roleOf({ may, username }: BrokerAccount): Role {
  switch (may.is) {
    case 'unlimited':
      return unlimitedRole;
    case 'unit':
      return unitRole(may.unit);
    case 'client':
      return clientRole(may, username);
  }
}

/** The accounts and rules of the leader for Mosquitto: what no rule allows is refused. */
export function dynamicSecurity(accounts: readonly BrokerAccount[]): DynamicSecurity {
  const roles = new Map<string, Role>();
  const clients = accounts.map((account): Client => {
    const role = roleOf(account);
    roles.set(role.rolename, role);
    const { username, description: textname, password } = account;
    return { username, textname, ...password, roles: [{ rolename: role.rolename, priority: 0 }] };
  });
  return {
    defaultACLAccess: {
      publishClientSend: false,
      publishClientReceive: false,
      subscribe: false,
      unsubscribe: true,
    },
    clients,
    groups: [],
    roles: [...roles.values()],
  };
}
