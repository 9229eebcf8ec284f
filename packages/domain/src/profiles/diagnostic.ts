/** What may be found in the text of a profile. */
export const profileDiagnosticCodes = [
  // The text is no YAML, or not of the shape of a profile.
  'yaml.syntax',
  // It is too long, too deeply nested, or has too many aliases or values.
  'yaml.limit',
  'schema.type',
  'schema.unknown_key',
  'schema.missing',
  'schema.version',
  'schema.action_type',
  'schema.duplicate',
  // It has the shape, and cannot mean anything.
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
  // It could mean different densities on different units.
  'job.biomass_signal.unnamed',
] as const;
export type ProfileDiagnosticCode = (typeof profileDiagnosticCodes)[number];

/** Errors keep a profile from being saved and run, warnings do not. */
export type ProfileSeverity = 'error' | 'warning';

/** Something found, by its path in the profile. */
export interface ProfileFinding {
  readonly severity: ProfileSeverity;
  readonly code: ProfileDiagnosticCode;
  readonly message: string;
  /** Like `common.jobs.stirring.actions[1].t`; empty: the whole file. */
  readonly path: string;
  readonly hint?: string;
}

/** Something found, with its place in the text: lines and columns count from 1. */
export interface ProfileDiagnostic extends ProfileFinding {
  readonly line: number;
  readonly column: number;
}
