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
  'actuations.read': 'See actuations and their reasons',
  'alarms.read': 'See alarms, their history and their rules',
  'alarms.act': 'Acknowledge and shelve alarms, run a drill',
  'alarms.admin': 'Change alarm rules and notification channels',
  'calibrations.read': 'See calibrations, estimators, protocols and sessions',
  'calibrations.write': 'Make, activate and delete calibrations, with pumps, stirrer and light running',
  'cameras.read': 'See cameras and their stills',
  'cameras.write': 'Take, rename and delete stills, schedule stills',
  'series.derive': 'Compute growth rates again, choose which are shown, delete recomputed ones',
  'charts.read': 'See chart descriptors and preferences',
  'charts.write': 'Change chart preferences',
  'exports.read': 'See datasets, their previews and finished exports',
  'exports.run': 'Export datasets',
  'profiles.read': 'See experiment profiles and their runs',
  'profiles.write': 'Save and delete experiment profiles',
  'jobs.read': 'See running jobs, their settings and history',
  'jobs.run': 'Start jobs and change their settings',
  'jobs.stop': 'Stop jobs',
  'logs.read': 'Read the event log',
  'logs.write': 'Add entries to the event log',
  'plugins.read': 'See installed plugins',
  'plugins.write': 'Install and uninstall plugins, whose code runs on the units',
  'tasks.read': 'Follow asynchronous tasks',
  'tasks.cancel': 'Cancel asynchronous tasks',
  'node.enrol': 'Enrol a unit with its leader, with a one-time code or a token of the unit',
  'node.follow': 'Read the feed of a unit and set its desired state: for its leader',
  'system.power': 'Reboot and shut down units, restart the web server',
  'system.clock': 'Set clocks',
  'system.update': 'Upload and install archives of the program, repair a node',
  'system.files': 'Browse and remove files of a data folder, download and replace it, use USB drives',
  'system.backup': 'Make backups of the leader',
  'mcp.use': 'Use the Model Context Protocol; each tool also needs the permission of its route',
  'system.read': 'See health, versions and the interface description',
} as const;

/** The name of a permission. */
export type Permission = keyof typeof permissions;
