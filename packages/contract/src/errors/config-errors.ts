import { define } from './error-definition.ts';

/** What may go wrong with configuration files. */
export const configErrors = {
  config_invalid: define<{ error: string; cause: string; remediation: string }>(400, (text) => text),
  config_unreadable: define<{ path: string; cause: string }>(500, ({ path, cause }) => ({
    error: 'The configuration file cannot be read.',
    cause: `${path}: ${cause}.`,
    remediation:
      'Nothing was changed. Repair the file on the leader, or move it away and save the configuration again.',
  })),
} as const;
