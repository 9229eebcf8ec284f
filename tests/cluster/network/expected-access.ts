import type { RouteDeclaration } from '@lcs/contract';
import {
  actsOnExperiment,
  everybody,
  hasPermission,
  ofCaller,
  ofTask,
  type PlainCaller,
} from '../generated/plain-permissions.ts';

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

const strangers: readonly Identity[] = ['anonymous', 'expired token', 'revoked token', 'stolen token'];
const ofUnits = ['health.read', 'node.enrol'];

const callers: Partial<Record<Identity, Pick<PlainCaller, 'role' | 'only'>>> = {
  viewer: { role: 'viewer' },
  administrator: { role: 'administrator' },
  'token that reads': { role: 'operator', only: ['experiments.read', 'jobs.read'] },
};

const allows = (identity: Identity, permission: string): boolean =>
  identity === 'own unit'
    ? ofUnits.includes(permission)
    : hasPermission(callers[identity] ?? { role: 'operator' }, permission);

interface Operation {
  readonly operation: string;
  readonly route: Pick<RouteDeclaration, 'permission' | 'path'>;
}

const isOfClosed = (path: string): boolean => /\{(experiment|reactor_unit)\}/.test(path);

/** What a caller is answered: `allowed` whenever it is not for who they are that the request fails. */
export function expectedAnswer({ operation, route: { permission, path } }: Operation, identity: Identity): string {
  const isPublic = everybody.includes(permission);
  if (strangers.includes(identity)) return isPublic ? 'allowed' : '401 not_signed_in';
  if (!allows(identity, permission)) return '403 not_allowed';
  if (isPublic) return 'allowed';
  if (identity === 'token for another experiment' && !ofCaller.test(path) && operation !== ofTask)
    return '403 outside_token_limits';
  const isStrange = identity === 'operator' && (isOfClosed(path) || operation === 'unassignAllWorkers');
  return actsOnExperiment(permission) && isStrange ? '403 not_a_member' : 'allowed';
}
