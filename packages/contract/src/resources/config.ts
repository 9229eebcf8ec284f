import { type Static, Type } from 'typebox';
import { closed, HistoryQuery, Nullable, Timestamp, textLimit } from './common.ts';
import { FailedUnitOutcome } from './task.ts';

export const ConfigChange = closed(
  {
    code: Type.String({
      description: 'The whole file in INI form, at most 131,072 characters, 5,000 lines and 300 sections',
    }),
    based_on: Type.Optional(
      Nullable(
        Type.String({
          maxLength: textLimit,
          pattern: '^[0-9a-f]{64}$',
          description:
            'SHA-256 (hex) of the text that was changed, as its `etag` has it: refused when the file has another content now. `if-match` does the same',
        }),
      ),
    ),
    author: Type.Optional(
      Nullable(
        Type.String({ maxLength: 100, description: 'Who saves it; included in the error of a conflicting save' }),
      ),
    ),
  },
  { title: 'ConfigChange' },
);
export type ConfigChange = Static<typeof ConfigChange>;

export const ConfigDiagnostic = closed(
  {
    line: Type.Integer({ minimum: 1 }),
    column: Type.Integer({ minimum: 1 }),
    severity: Type.Union([Type.Literal('error'), Type.Literal('warning')]),
    code: Type.String({
      description:
        'syntax, text_before_section, duplicate_section, duplicate_key, too_large, half_character, hidden_secret, missing, forbidden_value, wrong_value, unknown_section, unknown_key',
    }),
    message: Type.String(),
    section: Type.Optional(Type.String()),
    key: Type.Optional(Type.String()),
  },
  { title: 'ConfigDiagnostic' },
);
export type ConfigDiagnostic = Static<typeof ConfigDiagnostic>;

export const ConfigSaved = closed(
  {
    status: Type.Literal('success'),
    pending: Type.Optional(
      Type.Array(Type.String(), {
        description:
          'Units that have not applied the new file yet; they receive it as soon as possible. Absent when all have applied it',
      }),
    ),
    diagnostics: Type.Optional(
      Type.Array(ConfigDiagnostic, { description: 'Warnings, if any: unknown sections and keys' }),
    ),
  },
  { title: 'ConfigSaved' },
);
export type ConfigSaved = Static<typeof ConfigSaved>;

export const ConfigHistoryQuery = Type.Object({
  ...HistoryQuery.properties,
  authors: Type.Optional(Type.Boolean({ description: 'With the author of each version' })),
});
export type ConfigHistoryQuery = Static<typeof ConfigHistoryQuery>;

export const ConfigHistoryEntry = closed(
  {
    filename: Type.String(),
    timestamp: Timestamp,
    data: Type.String({ description: 'The whole file as it was saved' }),
    author: Type.Optional(
      Nullable(Type.String({ description: 'Who saved it; null: unknown. Only with the query `authors`' })),
    ),
  },
  { title: 'ConfigHistoryEntry' },
);
export type ConfigHistoryEntry = Static<typeof ConfigHistoryEntry>;

export const ConfigSections = Type.Record(Type.String(), Type.Record(Type.String(), Type.String()), {
  title: 'ConfigSections',
  description: 'Sections with their keys; all values are strings. Passwords are blank',
});
export type ConfigSections = Static<typeof ConfigSections>;

export const ConfigsByUnit = Type.Record(Type.String(), ConfigSections, { title: 'ConfigsByUnit' });
export type ConfigsByUnit = Static<typeof ConfigsByUnit>;

export const MergedConfigs = closed(
  {
    configs: ConfigsByUnit,
    errors: Type.Record(Type.String(), FailedUnitOutcome, {
      description: 'Why a unit has no result, by its name; empty when all have answered',
    }),
  },
  { title: 'MergedConfigs' },
);
export type MergedConfigs = Static<typeof MergedConfigs>;

export const MergedConfigQuery = Type.Object({
  unit: Type.Optional(
    Type.Array(Type.String({ maxLength: textLimit }), { description: 'Limits `$broadcast` to these units' }),
  ),
});

export const ConfigSetting = closed(
  {
    section: Type.String({ description: '`*.config`: of any job that has no section of its own here' }),
    key: Type.String({ description: '`*`: any key' }),
    type: Type.Union([
      Type.Literal('number'),
      Type.Literal('integer'),
      Type.Literal('boolean'),
      Type.Literal('choice'),
      Type.Literal('text'),
      Type.Literal('host'),
      Type.Literal('label'),
    ]),
    unit: Nullable(Type.String()),
    min: Nullable(Type.Number()),
    max: Nullable(Type.Number()),
    is_above_min: Type.Boolean({ description: '`min` itself is too little' }),
    choices: Type.Array(Type.String(), {
      description: 'Valid texts; for a number or boolean: in addition to its numbers or booleans',
    }),
    default: Nullable(Type.String({ description: 'The effective value when the key is absent or empty' })),
    needs_restart: Type.Union([Type.Literal('no'), Type.Literal('job'), Type.Literal('node')], {
      description: 'When a new value takes effect: at once, at the next start of the job that reads it, or of the node',
    }),
    description: Type.String(),
  },
  { title: 'ConfigSetting' },
);
export type ConfigSetting = Static<typeof ConfigSetting>;

/** Who changed a configuration file, where no person is known. */
export const configAuthors = {
  /** The text that the installation wrote. */
  installed: 'as installed',
  /** Somebody changed the file on the disk of the leader. */
  file: 'changed in the file',
  /** A request without an account. */
  unnamed: 'somebody not signed in',
} as const;
