import type { RouteDeclaration } from '@lcs/contract';

/** Those who send requests, in the order of the table. */
export const identities = [
  'anonymous',
  'viewer',
  'operator',
  'member',
  'owner',
  'administrator',
  'token',
  'token that reads',
  'token for another experiment',
  'expired token',
  'revoked token',
  'own unit',
  'stolen token',
] as const;
export type Identity = (typeof identities)[number];

/** Refusals, and how the table writes them. */
export const meaning: Readonly<Record<string, string>> = {
  not_signed_in: '401',
  not_allowed: '403',
  not_a_member: '403 m',
  outside_token_limits: '403 l',
};

/** The rules of docs/interfaces/permissions.md, written again: they do not use what they judge. */
const everybody = ['pages.read', 'health.read', 'session.use', 'node.enrol'];
const ofOperators = [
  ...[
    'experiments.write',
    'charts.write',
    'tasks.cancel',
    'jobs.run',
    'jobs.stop',
    'calibrations.write',
    'profiles.write',
  ],
  ...['exports.run', 'logs.write', 'cameras.write', 'alarms.act', 'series.derive', 'mcp.use'],
];
const ofUnits = ['health.read', 'node.enrol'];
const ofTokenThatReads = ['experiments.read', 'jobs.read'];
/** Acts for which the role alone is enough, whatever the protection of the experiment. */
const roleIsEnough = ['jobs.stop', 'tasks.cancel', 'logs.write', 'exports.run', 'alarms.act', 'mcp.use'];

const strangers: readonly Identity[] = ['anonymous', 'expired token', 'revoked token', 'stolen token'];
const operators: readonly Identity[] = ['operator', 'member', 'owner', 'token', 'token for another experiment'];

function hasPermission(identity: Identity, permission: string): boolean {
  if (identity === 'own unit') return ofUnits.includes(permission);
  if (everybody.includes(permission) || identity === 'administrator') return true;
  if (identity === 'token that reads') return ofTokenThatReads.includes(permission);
  const reads = permission.endsWith('.read');
  return operators.includes(identity) ? reads || ofOperators.includes(permission) : reads;
}

interface Operation {
  readonly operation: string;
  readonly route: Pick<RouteDeclaration, 'permission' | 'path'>;
}

const isOfClosed = (path: string): boolean => /\{(experiment|reactor_unit)\}/.test(path);

/** The caller alone, or requests that the caller makes in turn. */
const ofCaller = /^\/(api\/(session|sessions|tokens|passkeys|setup|enrol|account|people\/me)|mcp\/?$)/;

/** What a caller is answered: `allowed` whenever it is not for who they are that the request fails. */
export function expectedAnswer({ operation, route: { permission, path } }: Operation, identity: Identity): string {
  const isPublic = everybody.includes(permission);
  if (strangers.includes(identity)) return isPublic ? 'allowed' : '401 not_signed_in';
  if (!hasPermission(identity, permission)) return '403 not_allowed';
  if (isPublic) return 'allowed';
  if (identity === 'token for another experiment' && !ofCaller.test(path) && operation !== 'getTaskResult')
    return '403 outside_token_limits';
  const acts = !permission.endsWith('.read') && !roleIsEnough.includes(permission);
  const isStrange = identity === 'operator' && (isOfClosed(path) || operation === 'unassignAllWorkers');
  return acts && isStrange ? '403 not_a_member' : 'allowed';
}
