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
  'actuations.read': 'See what was driven, and why',
  'alarms.read': 'See alarms, their history and their rules',
  'alarms.act': 'Acknowledge and shelve alarms, hold a drill',
  'alarms.admin': 'Change rules of alarms and the channels that tell them',
  'calibrations.read': 'See calibrations, estimators, protocols and sessions',
  'calibrations.write': 'Make, activate and delete calibrations, with pumps, stirrer and light running',
  'cameras.read': 'See cameras and their stills',
  'cameras.write': 'Take, rename and delete stills, let them be taken by themselves',
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
  'node.enrol': 'Make a unit known to its leader: what a one-time code or a token of the unit allows',
  'node.follow': 'Follow a unit and give it its desired state: what its leader may',
  'system.power': 'Reboot and shut down units, restart the web server',
  'system.clock': 'Set clocks',
  'system.update': 'Upload and install archives of the program, repair a node',
  'system.files': 'Browse and remove files of a data folder, download and replace it, use USB drives',
  'system.backup': 'Make backups of the leader',
  'mcp.use': 'Speak the Model Context Protocol; what its tools call needs its own permission',
  'system.read': 'See health, versions and the interface description',
} as const;

/** The name of a permission. */
export type Permission = keyof typeof permissions;
