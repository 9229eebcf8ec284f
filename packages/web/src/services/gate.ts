import { type Role, type RouteDeclaration, rolePermissions, type Session } from '@lcs/contract';

/** Properties of a control: none, or those of one that is disabled and shows why. */
export interface Gate {
  readonly disabled?: true;
  readonly title?: string;
}

export type Requirement = Pick<RouteDeclaration, 'permission'>;

/** From the fewest permissions to the most. */
const roles: readonly Role[] = ['viewer', 'operator', 'administrator'];

export const openGate: Gate = {};

/** The gate of a control that calls a route, for the caller of a session. Until the session is known, the leader decides. */
export function gateOf(session: Pick<Session, 'permissions'> | undefined, { permission }: Requirement): Gate {
  if (session === undefined || session.permissions.includes(permission)) return openGate;
  const role = roles.find((each) => rolePermissions[each].has(permission));
  return { disabled: true, title: role === undefined ? `Needs ${permission}` : `Needs the role ${role}` };
}
