import { filterCovers, type Permission } from '@lcs/contract';

/** Who uses the broker, as far as the rules by topic are concerned. */
export type TopicCaller =
  /** The leader, and everybody on its machine while no person exists: everything, also topics of other programs. */
  | { readonly is: 'unlimited' }
  | { readonly is: 'unit'; readonly unit: string }
  /** A person or a token. */
  | { readonly is: 'client'; readonly permissions: ReadonlySet<Permission>; readonly scope?: TopicScope };

/** Unit and experiment of a topic or filter, as they are written there; undefined: a wildcard for all of them. */
export interface TopicPlace {
  readonly unit: string | undefined;
  readonly experiment: string | undefined;
}

/** What a client may touch beside its permissions: limits of tokens, protected experiments. Evaluated for each message. */
export interface TopicScope {
  readonly mayRead: (place: TopicPlace) => boolean;
  /** @param isStop the command stops something */
  readonly mayAct: (place: TopicPlace, isStop: boolean) => boolean;
}

/** Names that a token is limited to; undefined: all. */
export interface TopicLimits {
  readonly units: ReadonlySet<string> | undefined;
  readonly experiments: ReadonlySet<string> | undefined;
}

const contains = (names: ReadonlySet<string> | undefined, name: string | undefined): boolean =>
  names === undefined || name === undefined || names.has(name);

/** The scope of a token. With a limit, topics for all units (`$broadcast`) or all experiments (`$experiment`) are outside it. */
export function limitedScope({ units, experiments }: TopicLimits): TopicScope {
  const isWithin = ({ unit, experiment }: TopicPlace) => contains(units, unit) && contains(experiments, experiment);
  return { mayRead: isWithin, mayAct: isWithin };
}

/** What an account may do, as far as it can be written down. */
export type AccountRights =
  | Exclude<TopicCaller, { is: 'client' }>
  | { readonly is: 'client'; readonly permissions: ReadonlySet<Permission>; readonly limits?: TopicLimits };

/** Who uses the broker with such an account. */
export function callerOf(rights: AccountRights): TopicCaller {
  if (rights.is !== 'client') return rights;
  const { permissions, limits } = rights;
  return { is: 'client', permissions, ...(limits && { scope: limitedScope(limits) }) };
}

export interface TopicRule {
  /** A topic filter of MQTT. */
  readonly topics: string;
  readonly permission: Permission;
}

export interface CommandRule extends TopicRule {
  /** Payloads that stop something. They are also allowed to those who may stop jobs. */
  readonly stops?: string;
  /** No other payload has an effect. */
  readonly onlyStops?: boolean;
}

const stopPayload = 'disconnected';

/**
 * Commands that clients publish, with the permission of the HTTP route that does the same. The first rule with a matching filter decides.
 * Whoever may change a job may also stop it: its `$state` is one of the settings of that route.
 */
export const commandRules: readonly CommandRule[] = [
  {
    topics: 'reactor/+/+/experiment_profile/+/$state/set',
    permission: 'jobs.stop',
    stops: stopPayload,
    onlyStops: true,
  },
  { topics: 'reactor/+/+/+/$state/set', permission: 'jobs.run', stops: stopPayload },
  { topics: 'reactor/+/+/+/+/set', permission: 'jobs.run' },
  { topics: 'reactor/+/+/monitor/flicker_led_response_okay', permission: 'jobs.run' },
  { topics: 'reactor/+/+/monitor/flicker_led_with_error_code', permission: 'jobs.run' },
];

/**
 * What clients receive, with the permission that shows the same over HTTP. The first rule whose filter matches a topic, or contains all
 * topics of a filter, decides.
 */
export const readRules: readonly TopicRule[] = [
  { topics: 'reactor/+/+/logs/#', permission: 'logs.read' },
  { topics: 'reactor/+/+/camera/#', permission: 'cameras.read' },
  { topics: 'reactor/+/+/calibration_changes/#', permission: 'calibrations.read' },
  { topics: 'reactor/+/+/experiment_profile/#', permission: 'profiles.read' },
  { topics: 'reactor/+/+/+/$state', permission: 'jobs.read' },
  { topics: 'reactor/+/+/monitor/#', permission: 'inventory.read' },
  { topics: 'reactor/#', permission: 'experiments.read' },
];

/** A unit publishes below its own name only. */
export const unitPublishes = (unit: string): readonly string[] => [`reactor/${unit}/#`];

/** What a unit receives: what is meant for it, and what it has published itself. */
export const unitReceives = (unit: string): readonly string[] => [`reactor/${unit}/#`, 'reactor/$broadcast/#'];

const decidedBy = <Rule extends TopicRule>(rules: readonly Rule[], topic: string): Rule | undefined =>
  rules.find(({ topics }) => filterCovers(topics, topic));

/** Whether a command stops something. */
const isStopCommand = ({ stops, onlyStops = false }: CommandRule, payload: string | undefined): boolean =>
  stops !== undefined && (onlyStops || payload === stops);

/** Whether the permissions allow a command. `payload` undefined: it may be any. */
export const mayCommand = (
  rule: CommandRule,
  permissions: ReadonlySet<Permission>,
  payload: string | undefined,
): boolean =>
  permissions.has(rule.permission) ||
  (isStopCommand(rule, payload) && (permissions.has('jobs.run') || permissions.has('jobs.stop')));

/** The unit and the experiment that a topic or a filter names; empty where it is too short to name one. */
export function placeOf(filter: string): TopicPlace {
  const levels = filter.split('/');
  const named = (at: number): string | undefined => {
    const isAny = levels[at] === '+' || levels.slice(0, at + 1).includes('#');
    return isAny ? undefined : (levels[at] ?? '');
  };
  return { unit: named(1), experiment: named(2) };
}

/** Whether a topic is one of those on which commands are published. */
export const isCommandTopic = (topic: string): boolean => decidedBy(commandRules, topic) !== undefined;

/**
 * Whether the caller may publish a message.
 * @param payload undefined where it is unknown: only if the caller may publish any
 */
export function mayPublish(caller: TopicCaller, topic: string, payload: string | undefined): boolean {
  switch (caller.is) {
    case 'unlimited':
      return true;
    case 'unit':
      return unitPublishes(caller.unit).some((filter) => filterCovers(filter, topic));
    case 'client': {
      const rule = decidedBy(commandRules, topic);
      if (rule === undefined || !mayCommand(rule, caller.permissions, payload)) return false;
      return caller.scope === undefined || caller.scope.mayAct(placeOf(topic), isStopCommand(rule, payload));
    }
  }
}

/** What a client needs to subscribe to a filter, or to receive a topic; undefined: no client may. */
export const readPermission = (filter: string): Permission | undefined => decidedBy(readRules, filter)?.permission;

/**
 * Whether the caller may subscribe to a filter, or receive a topic: a topic is the filter of itself. A filter with wildcards may be allowed
 * although some of its topics are not: each message needs its own permission.
 */
export function mayReceive(caller: TopicCaller, filter: string): boolean {
  switch (caller.is) {
    case 'unlimited':
      return true;
    case 'unit':
      return unitReceives(caller.unit).some((own) => filterCovers(own, filter));
    case 'client': {
      const permission = readPermission(filter);
      if (permission === undefined || !caller.permissions.has(permission)) return false;
      return caller.scope === undefined || caller.scope.mayRead(placeOf(filter));
    }
  }
}

const ofNodes = 'reactor-';

/** Whether the caller may connect under a client ID: those of units and the leader are theirs. */
export function mayUseClientId(caller: TopicCaller, clientId: string): boolean {
  if (caller.is === 'unlimited' || !clientId.startsWith(ofNodes)) return true;
  return caller.is === 'unit' && clientId === `${ofNodes}${caller.unit}`;
}
