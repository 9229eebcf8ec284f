import { allPermissions } from './caller.ts';
import type { Permission } from './permissions.ts';
import type { Role } from './resources/access.ts';

/** What everybody may do, without signing in. The enrolment has checks of its own. */
export const publicPermissions: ReadonlySet<Permission> = new Set([
  'pages.read',
  'health.read',
  'session.use',
  'node.enrol',
]);

/** What a unit may do at its leader: enrol, and read the leader's time. The leader requests everything else from the unit. */
export const unitPermissions: ReadonlySet<Permission> = new Set(['health.read', 'node.enrol']);

const viewer: ReadonlySet<Permission> = new Set([
  ...publicPermissions,
  ...[...allPermissions].filter((permission) => permission.endsWith('.read')),
]);

const operator: ReadonlySet<Permission> = new Set([
  ...viewer,
  'experiments.write',
  'charts.write',
  'tasks.cancel',
  'jobs.run',
  'jobs.stop',
  'calibrations.write',
  'profiles.write',
  'exports.run',
  'logs.write',
  'cameras.write',
  'alarms.act',
  'series.derive',
  'mcp.use',
]);

/** The permissions of each role. Viewers read, operators also run experiments, administrators may do everything. */
export const rolePermissions: Readonly<Record<Role, ReadonlySet<Permission>>> = {
  viewer,
  operator,
  administrator: allPermissions,
};
