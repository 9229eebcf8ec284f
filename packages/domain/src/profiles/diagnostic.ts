/** The diagnostics of a profile's text. */
export const profileDiagnosticCodes = [
  // The text is not valid YAML, or does not have the structure of a profile.
  'yaml.syntax',
  // The text is too long, too deeply nested, or has too many aliases or values.
  'yaml.limit',
  'schema.type',
  'schema.unknown_key',
  'schema.missing',
  'schema.version',
  'schema.action_type',
  'schema.duplicate',
  // The structure is valid, the meaning is not.
  'action.time.missing',
  'action.time.conflict',
  'time.invalid',
  'time.negative',
  'time.non_positive',
  'when.condition.missing',
  'when.condition.ambiguous',
  'repeat.every.missing',
  'repeat.every.ambiguous',
  'repeat.unreachable_action',
  'expression.syntax',
  'plugin.version.invalid',
  'job.ordering.before_start',
  // The target could mean different densities on different units.
  'job.biomass_signal.unnamed',
  // Warnings about names and values that the built-in jobs do not have; jobs and automations of plugins are not known here.
  'job.unknown',
  'automation.unknown',
  'option.unknown',
  'option.missing',
  'setting.unknown',
  'setting.read_only',
  'value.type',
  'value.out_of_range',
  'lookup.unknown_job',
  'lookup.unknown_setting',
  'expression.unknown_name',
] as const;
export type ProfileDiagnosticCode = (typeof profileDiagnosticCodes)[number];

/** Only so many findings of a text are reported; errors first. */
export const maxFindings = 200;

/** A profile with errors cannot be saved or run; one with warnings can. */
export type ProfileSeverity = 'error' | 'warning';

/** A finding, by its path in the profile. */
export interface ProfileFinding {
  readonly severity: ProfileSeverity;
  readonly code: ProfileDiagnosticCode;
  readonly message: string;
  /** Like `common.jobs.stirring.actions[1].t`; empty: the whole file. */
  readonly path: string;
  readonly hint?: string;
}

/** A finding with its position in the text: lines and columns start at 1. */
export interface ProfileDiagnostic extends ProfileFinding {
  readonly line: number;
  readonly column: number;
}
