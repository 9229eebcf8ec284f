import { locateYaml, type Position } from '../yaml/locate-yaml.ts';
import { checkProfile } from './check-profile.ts';
import { maxFindings, type ProfileDiagnostic, type ProfileFinding } from './diagnostic.ts';
import type { Profile } from './profile.ts';
import { readProfile } from './read-profile.ts';
import { ShapeReader } from './shape-reader.ts';

/** The result of parsing a profile. */
export type ParsedProfile =
  /** The profile can be run; there may be warnings. */
  | {
      readonly is: 'valid';
      readonly profile: Profile;
      readonly diagnostics: readonly ProfileDiagnostic[];
      /** Positions of the profile's paths in the text; see `positionOf`. */
      readonly positions: ReadonlyMap<string, Position>;
    }
  /** The structure is valid, the meaning is not. */
  | { readonly is: 'invalid'; readonly profile: Profile; readonly diagnostics: readonly ProfileDiagnostic[] }
  /** The text is not valid YAML, or does not have the structure of a profile. */
  | { readonly is: 'malformed'; readonly diagnostics: readonly ProfileDiagnostic[] }
  /** The text has only blanks and comments. */
  | { readonly is: 'empty'; readonly diagnostics: readonly ProfileDiagnostic[] };

const wholeFile: Position = { line: 1, column: 1 };

/** The position of a path, or of the nearest enclosing one. */
export function positionOf(positions: ReadonlyMap<string, Position>, path: string): Position {
  for (let part = path; part !== ''; part = part.replace(/(?:\.[^.[]*|\[\d+\]|^[^.[]*)$/, '')) {
    const position = positions.get(part) ?? positions.get(part.replace(/^reactors/, 'pioreactors'));
    if (position !== undefined) return position;
  }
  return wholeFile;
}

const inOrder = (a: ProfileDiagnostic, b: ProfileDiagnostic) => a.line - b.line || a.column - b.column;

/** Parses and validates the text of a profile. Pure; never throws. Diagnostics are in the order of the text. */
export function parseProfile(text: string): ParsedProfile {
  const { root, fault } = locateYaml(text);
  if (fault !== undefined) {
    const { code, message, at } = fault;
    return { is: 'malformed', diagnostics: [{ severity: 'error', code, message, path: '', ...at }] };
  }
  if (root === undefined || (root.kind === 'scalar' && root.value === null)) {
    const message = 'The file is empty.';
    return {
      is: 'empty',
      diagnostics: [{ severity: 'error', code: 'schema.missing', message, path: '', ...wholeFile }],
    };
  }
  const reader = new ShapeReader();
  const located = (findings: readonly ProfileFinding[]): readonly ProfileDiagnostic[] =>
    findings
      .slice(0, maxFindings)
      .map((finding) => ({ ...finding, ...positionOf(reader.positions, finding.path) }))
      .sort(inOrder);
  const profile = readProfile(reader, root);
  if (profile === undefined || reader.findings.length > 0)
    return { is: 'malformed', diagnostics: located(reader.findings) };
  const { errors, warnings } = checkProfile(profile);
  const diagnostics = located([...errors, ...warnings]);
  if (errors.length > 0) return { is: 'invalid', profile, diagnostics };
  return { is: 'valid', profile, diagnostics, positions: reader.positions };
}
