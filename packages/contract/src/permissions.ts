/**
 * What a caller must be allowed to do; each route names exactly one. Roles are sets of permissions: `viewer` has every
 * `….read`, `operator` also everything that runs an experiment, `admin` all.
 */
export const permissions = {
  'experiments.read': 'See experiments, assignments, labels and their data',
  'experiments.write': 'Create, edit and end experiments; assign units; label them',
  'experiments.delete': 'Delete an experiment with all its data',
  'inventory.read': 'See units, workers and models',
  'inventory.write': 'Add, remove, activate and configure workers',
  'config.read': 'Read configuration files and their history',
  'config.write': 'Change configuration files',
  'charts.read': 'See chart descriptors and preferences',
  'charts.write': 'Change chart preferences',
  'jobs.read': 'See running jobs, their settings and history',
  'jobs.run': 'Start jobs and change their settings',
  'jobs.stop': 'Stop jobs',
  'logs.read': 'Read the event log',
  'logs.write': 'Add entries to the event log',
  'tasks.read': 'Follow asynchronous tasks',
  'tasks.cancel': 'Cancel asynchronous tasks',
  'node.enrol': 'Make a unit known to its leader: what a one-time code or a token of the unit allows',
  'node.follow': 'Follow a unit and give it its desired state: what its leader may',
  'system.read': 'See health, versions and the interface description',
} as const;

/** The name of a permission. */
export type Permission = keyof typeof permissions;
