import { locateYaml, type Position } from '../yaml/locate-yaml.ts';
import { checkProfile } from './check-profile.ts';
import type { ProfileDiagnostic, ProfileFinding } from './diagnostic.ts';
import type { Profile } from './profile.ts';
import { readProfile } from './read-profile.ts';
import { ShapeReader } from './shape-reader.ts';

/** What a text says. */
export type ParsedProfile =
  /** It can be run; there may be warnings. */
  | {
      readonly is: 'valid';
      readonly profile: Profile;
      readonly diagnostics: readonly ProfileDiagnostic[];
      /** Where paths of the profile stand in the text; see `positionOf`. */
      readonly positions: ReadonlyMap<string, Position>;
    }
  /** It has the shape of a profile, and some of it cannot mean anything. */
  | { readonly is: 'meaningless'; readonly profile: Profile; readonly diagnostics: readonly ProfileDiagnostic[] }
  /** It is no YAML, or not of the shape of a profile. */
  | { readonly is: 'misshapen'; readonly diagnostics: readonly ProfileDiagnostic[] }
  /** Nothing but blanks and comments. */
  | { readonly is: 'empty'; readonly diagnostics: readonly ProfileDiagnostic[] };

const wholeFile: Position = { line: 1, column: 1 };

/** Of a text with very many faults only the first ones are reported. */
const mostFindings = 200;

/** Where a path stands, or the nearest thing around it. */
export function positionOf(positions: ReadonlyMap<string, Position>, path: string): Position {
  for (let part = path; part !== ''; part = part.replace(/(?:\.[^.[]*|\[\d+\]|^[^.[]*)$/, '')) {
    const position = positions.get(part) ?? positions.get(part.replace(/^reactors/, 'pioreactors'));
    if (position !== undefined) return position;
  }
  return wholeFile;
}

const inOrder = (a: ProfileDiagnostic, b: ProfileDiagnostic) => a.line - b.line || a.column - b.column;

/** Reads and checks the text of a profile. Pure; never throws. Diagnostics stand in the order of the text. */
export function parseProfile(text: string): ParsedProfile {
  const { root, fault } = locateYaml(text);
  if (fault !== undefined) {
    const { code, message, at } = fault;
    return { is: 'misshapen', diagnostics: [{ severity: 'error', code, message, path: '', ...at }] };
  }
  if (root === undefined || (root.kind === 'scalar' && root.value === null)) {
    const message = 'The file says nothing.';
    return {
      is: 'empty',
      diagnostics: [{ severity: 'error', code: 'schema.missing', message, path: '', ...wholeFile }],
    };
  }
  const reader = new ShapeReader();
  const located = (findings: readonly ProfileFinding[]): readonly ProfileDiagnostic[] =>
    findings
      .slice(0, mostFindings)
      .map((finding) => ({ ...finding, ...positionOf(reader.positions, finding.path) }))
      .sort(inOrder);
  const profile = readProfile(reader, root);
  if (profile === undefined || reader.findings.length > 0)
    return { is: 'misshapen', diagnostics: located(reader.findings) };
  const found = located(checkProfile(profile));
  if (found.some(({ severity }) => severity === 'error')) return { is: 'meaningless', profile, diagnostics: found };
  return { is: 'valid', profile, diagnostics: found, positions: reader.positions };
}
