import { define } from './error-definition.ts';

/** Errors of the machine of a node, its files and its program. */
export const systemErrors = {
  host_no_right: define<{ what: string; cause: string }>(503, ({ what, cause }) => ({
    error: `This program may not ${what} here.`,
    cause,
    remediation:
      'Do it on the machine itself, or start the program with --host-control under a user that has the right.',
  })),
  host_command_failed: define<{ what: string; cause: string }>(500, ({ what, cause }) => ({
    error: `The machine did not ${what}.`,
    cause,
    remediation: 'Read the log of this node and of its operating system.',
  })),
  too_soon: define<{ retryAfterS: number }>(429, ({ retryAfterS }) => ({
    error: 'This was done a moment ago.',
    cause: 'It is allowed only once within a short time.',
    remediation: `Wait ${retryAfterS} s, then try again if it is still needed.`,
  })),
  node_busy: define<{ lock: string }>(409, ({ lock }) => ({
    error: 'This node runs an operation that must not be interrupted.',
    cause: `The lock ${lock} is held.`,
    remediation: 'Wait for the update or import to finish, then retry.',
  })),
  file_access_disabled: define(403, () => ({
    error: 'The files of this node are not accessible over the network.',
    cause: 'The marker DISALLOW_UI_FILE_SYSTEM is set.',
    remediation: 'Remove the marker from the data folder, on the machine itself.',
  })),
  uploads_disabled: define(403, () => ({
    error: 'This node accepts no uploads.',
    cause: 'The marker DISALLOW_UI_UPLOADS is set.',
    remediation: 'Remove the marker from the data folder, on the machine itself.',
  })),
  leader_only: define(403, () => ({
    error: 'Only the leader has this function.',
    cause: 'This node is a unit.',
    remediation: 'Send the request to the leader.',
  })),
  path_forbidden: define<{ path: string; cause: string }>(403, ({ path, cause }) => ({
    error: `'${path}' can be neither read nor removed here.`,
    cause,
    remediation: 'Name a file below the data folder that contains no secret and is not a database.',
  })),
  path_not_found: define<{ path: string }>(404, ({ path }) => ({
    error: 'There is no such file.',
    cause: `Nothing is at '${path}'.`,
    remediation: 'List the folder above it.',
  })),
  path_not_a_file: define<{ path: string }>(400, ({ path }) => ({
    error: 'This is not a file.',
    cause: `'${path}' is a folder or a device.`,
    remediation: 'Name one file.',
  })),
  clock_time_invalid: define<{ cause: string }>(400, ({ cause }) => ({
    error: 'The clock cannot be set to this.',
    cause,
    remediation: "Send utc_clock_time as a moment with its zone between 2020 and 2100, such as '2026-11-21T04:18:59Z'.",
  })),
  leader_not_ready: define<{ cause: string }>(503, ({ cause }) => ({
    error: 'The leader cannot answer requests now.',
    cause,
    remediation: 'Ask again in some seconds. If it persists, read the log of the leader and restart it.',
  })),
  control_standby: define(503, () => ({
    error: 'This process is the standby of the leader.',
    cause: 'Another process is active on the same database.',
    remediation: 'Send requests to the active process: it answers GET /readyz with 200.',
  })),
  control_away: define<{ cause: string }>(503, ({ cause }) => ({
    error: 'No leader is active now.',
    cause,
    remediation:
      'Try again in some seconds. If it persists, check that a control process runs and reaches its database.',
  })),
  clock_step_back: define<{ hours: number }>(409, ({ hours }) => ({
    error: 'The clock would go back while an experiment is running.',
    cause: `It would be ${hours} hours earlier than now.`,
    remediation: 'Check the time; send force: true if it is right.',
  })),
  update_target_unknown: define<{ target: string }>(404, ({ target }) => ({
    error: `There is no update target '${target}'.`,
    cause: 'Program and user interface are one package.',
    remediation: 'Use app.',
  })),
  update_option_invalid: define<{ cause: string }>(400, ({ cause }) => ({
    error: 'The update cannot be done like this.',
    cause,
    remediation: 'Send {options: {source}} with the upload_id of an uploaded archive, or {options: {version}}.',
  })),
  update_source_missing: define(503, () => ({
    error: 'This node has no source of updates.',
    cause: 'No folder of releases is configured.',
    remediation: 'Upload an archive and use it, or start the node with --releases.',
  })),
  update_not_found: define<{ version: string }>(404, ({ version }) => ({
    error: 'There is no such release.',
    cause: `The folder of releases has no ${version}.`,
    remediation: 'Copy the archive there, or upload it.',
  })),
  update_archive_invalid: define<{ cause: string }>(400, ({ cause }) => ({
    error: 'The archive is not a release that can be installed.',
    cause,
    remediation: 'Download the release again, from a source that you trust; nothing was changed.',
  })),
  update_not_in_force: define<{ wanted: string; version: string }>(500, ({ wanted, version }) => ({
    error: `Version ${wanted} is not running.`,
    cause: `After the restart the node runs ${version}.`,
    remediation: 'Read its log; the earlier version is still installed.',
  })),
  data_archive_invalid: define<{ cause: string }>(400, ({ cause }) => ({
    error: 'The archive cannot replace the data of this node.',
    cause,
    remediation: 'Use an archive that was downloaded from this node as zipped_dot_reactor; nothing was changed.',
  })),
  import_source_invalid: define<{ cause: string }>(400, ({ cause }) => ({
    error: 'There is nothing that can be imported.',
    cause,
    remediation:
      'Give the folder of a Pioreactor leader, which contains storage/pioreactor.sqlite, or a zip of it; nothing was changed.',
  })),
  import_failed: define<{ cause: string }>(500, ({ cause }) => ({
    error: 'The import ended before everything was read.',
    cause,
    remediation: 'Repeat it: it continues. What was stored until then stays.',
  })),
  import_report_damaged: define<{ importId: string }>(500, ({ importId }) => ({
    error: `The report of the import '${importId}' cannot be read.`,
    cause: 'Its file in storage/imports of the data folder is not a report.',
    remediation: 'Read the text beside it, or repeat the import: it stores nothing twice.',
  })),
  import_folder_remote: define(403, () => ({
    error: 'Folders of this machine can only be imported from this machine.',
    cause: 'The request came over the network.',
    remediation: 'Use `lcs import pioreactor FOLDER` on the machine of the leader, or upload a zip of the folder.',
  })),
  import_not_found: define<{ importId: string }>(404, ({ importId }) => ({
    error: `There is no import '${importId}'.`,
    cause: 'No import with this ID has ended here.',
    remediation: 'List /api/imports.',
  })),
  units_unknown: define<{ units: string }>(400, ({ units }) => ({
    error: 'Unknown units.',
    cause: `Neither the leader nor in the inventory: ${units}.`,
    remediation: 'List /api/units and pick some of them.',
  })),
  usb_not_mounted: define(400, () => ({
    error: 'No USB drive is mounted.',
    cause: 'There is no drive, or none that can be written to.',
    remediation: 'Connect one and mount it.',
  })),
  usb_unusable: define<{ cause: string }>(409, ({ cause }) => ({
    error: 'The USB drive cannot be used like this.',
    cause,
    remediation: 'List the drives, and name one of them.',
  })),
  backup_passphrase_wrong: define<{ backup: string }>(400, ({ backup }) => ({
    error: 'This is not the passphrase of the backup.',
    cause: `The keys in ${backup} cannot be decrypted with it.`,
    remediation: 'Enter the passphrase that [backup] passphrase of leader.ini had, or restore without it.',
  })),
  backup_place_missing: define<{ place: string; cause: string }>(503, ({ place, cause }) => ({
    error: `Backups cannot go to ${place}.`,
    cause,
    remediation:
      'Connect the drive and mount it, or correct [backup] folder in leader.ini of the leader and restart it.',
  })),
  backup_failed: define<{ cause: string }>(500, ({ cause }) => ({
    error: 'No backup was made.',
    cause,
    remediation: 'Correct the cause, then try again; earlier backups still exist.',
  })),
  backup_not_found: define<{ backup: string; cause: string }>(404, ({ backup, cause }) => ({
    error: `${backup} is not a backup.`,
    cause,
    remediation: 'Name the folder of a complete backup.',
  })),
  backup_damaged: define<{ backup: string; cause: string }>(422, ({ backup, cause }) => ({
    error: `The backup ${backup} is damaged.`,
    cause,
    remediation: 'Use another backup; nothing was changed.',
  })),
  backup_newer: define<{ backup: string; made: string; version: string }>(409, ({ backup, made, version }) => ({
    error: 'A newer version of the program made the backup.',
    cause: `${backup} was made by version ${made}; this program is version ${version}.`,
    remediation: `Install version ${made} or a newer one, then restore the backup.`,
  })),
  data_folder_not_empty: define<{ folder: string; isFile?: boolean }>(409, ({ folder, isFile = false }) => ({
    error: 'The data folder must be empty.',
    cause: isFile ? `${folder} is a file.` : `${folder} is not empty.`,
    remediation: 'Name another folder, or use --replace to move the contents of this one aside.',
  })),
} as const;
