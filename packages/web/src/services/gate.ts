import {
  type ExperimentAccess,
  needsMembership,
  type Role,
  type RouteDeclaration,
  rolePermissions,
  type Session,
} from '@lcs/contract';
import { servicesWords } from '../words/services.ts';

/** Properties of a control: none, or those of one that is disabled and shows why. */
export interface Gate {
  readonly disabled?: true;
  readonly title?: string;
}

export type Requirement = Pick<RouteDeclaration, 'permission' | 'path'>;

type Protection = Pick<ExperimentAccess, 'owner' | 'is_protected' | 'may_act'>;

/** From the fewest permissions to the most. */
const roles: readonly Role[] = ['viewer', 'operator', 'administrator'];

export const openGate: Gate = {};

const namesScope = (path: string): boolean => /\{(experiment|reactor_unit)\}/.test(path);

/** Who may act on a protected experiment. */
export const protectionText = ({ owner }: Pick<Protection, 'owner'>): string =>
  owner === null ? servicesWords.experimentProtected : servicesWords.experimentProtectedBy(owner);

/**
 * The gate of a control that calls a route, for the caller of a session. Until the session is known, the leader decides.
 * @param protection of the experiment that the control concerns; undefined: none, or not known yet
 */
export function gateOf(
  session: Pick<Session, 'kind' | 'permissions'> | undefined,
  { permission, path }: Requirement,
  protection?: Protection,
): Gate {
  if (session === undefined) return openGate;
  // A shared tablet asks for a PIN: until then it is not known who acts.
  const isTablet = session.kind === 'tablet';
  const has = isTablet ? rolePermissions.operator.has(permission) : session.permissions.includes(permission);
  if (!has) {
    const role = roles.find((each) => rolePermissions[each].has(permission));
    return {
      disabled: true,
      title: role === undefined ? servicesWords.needsPermission(permission) : servicesWords.needsRole(role),
    };
  }
  if (isTablet || protection === undefined || protection.may_act || !needsMembership(permission) || !namesScope(path))
    return openGate;
  return { disabled: true, title: protectionText(protection) };
}
