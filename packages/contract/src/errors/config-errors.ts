import { define } from './error-definition.ts';

/** Errors of configuration files. */
export const configErrors = {
  config_invalid: define<{ error: string; cause: string; remediation: string }>(400, (text) => text),
  config_unreadable: define<{ path: string; cause: string }>(500, ({ path, cause }) => ({
    error: 'The configuration file cannot be read.',
    cause: `${path}: ${cause}.`,
    remediation:
      'Nothing was changed. Repair the file on the leader, or move it away and save the configuration again.',
  })),
  config_changed: define<{ filename: string; changed: string }>(409, ({ filename, changed }) => ({
    error: `${filename} was changed by someone else.`,
    cause: `It was saved ${changed}, after the version on which this change is based.`,
    remediation: 'Nothing was changed. Read the file again, make the change there, and save that.',
  })),
  config_file_not_found: define<{ filename: string }>(404, ({ filename }) => ({
    error: `There is no configuration file ${filename}.`,
    cause: 'Files are config.ini, and config_<unit>.ini for the leader and each worker.',
    remediation: 'List /api/configs and pick one of them.',
  })),
  config_file_invalid: define<{ filename: string }>(400, ({ filename }) => ({
    error: `${filename} is not a configuration file.`,
    cause: 'Names of configuration files end with .ini.',
    remediation: 'List /api/configs and pick one of them.',
  })),
  config_missing: define(409, () => ({
    error: 'This unit has no shared configuration.',
    cause: 'It has not joined a leader yet, or was released by it.',
    remediation: 'Make the unit a worker of its leader: then it receives the file.',
  })),
  config_kept_by_leader: define<{ unit: string; leader: string }>(409, ({ unit, leader }) => ({
    error: 'The leader manages the configuration of this unit.',
    cause: `${unit} belongs to ${leader}: the file of the leader would replace the change.`,
    remediation: `Save it at the leader (PATCH /api/config/units/${unit}/specific).`,
  })),
} as const;
