import { filterCovers, type Permission } from '@lcs/contract';

/** Who uses the broker, as far as the rules by topic are concerned. */
export type TopicCaller =
  /** The leader, and everybody on its machine while no person exists: everything, also topics of other programs. */
  | { readonly is: 'unlimited' }
  | { readonly is: 'unit'; readonly unit: string }
  /** A person or a token. */
  | { readonly is: 'client'; readonly permissions: ReadonlySet<Permission> };

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

/** Whether the permissions allow a command. `payload` undefined: it may be any. */
export function mayCommand(
  { permission, stops, onlyStops = false }: CommandRule,
  permissions: ReadonlySet<Permission>,
  payload: string | undefined,
): boolean {
  const isStop = stops !== undefined && (onlyStops || payload === stops);
  return permissions.has(permission) || (isStop && (permissions.has('jobs.run') || permissions.has('jobs.stop')));
}

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
      return rule !== undefined && mayCommand(rule, caller.permissions, payload);
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
      return permission !== undefined && caller.permissions.has(permission);
    }
  }
}

const ofNodes = 'reactor-';

/** Whether the caller may connect under a client ID: those of units and the leader are theirs. */
export function mayUseClientId(caller: TopicCaller, clientId: string): boolean {
  if (caller.is === 'unlimited' || !clientId.startsWith(ofNodes)) return true;
  return caller.is === 'unit' && clientId === `${ofNodes}${caller.unit}`;
}
