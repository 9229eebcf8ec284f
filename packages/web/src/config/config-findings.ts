import { ConfigDiagnostic, entriesOf, ProblemError, type UnitStatus } from '@lcs/contract';

/** The diagnostics of a refused text; empty when the leader refused it for another reason. */
export function findingsOf(error: unknown): readonly ConfigDiagnostic[] {
  if (!(error instanceof ProblemError)) return [];
  return entriesOf(ConfigDiagnostic, error.body.diagnostics) ?? [];
}

/** Another person has saved the file since it was read. */
export const isConflict = (error: unknown): boolean =>
  error instanceof ProblemError && error.body.code === 'config_changed';

/** The first and last position of a line in a text, in characters; the first line is 1. */
export function spanOfLine(text: string, line: number): readonly [from: number, to: number] {
  const lines = text.split('\n');
  const before = lines.slice(0, line - 1);
  const from = before.reduce((sum, each) => sum + each.length + 1, 0);
  return [from, from + (lines[line - 1]?.length ?? 0)];
}

/** Units that have not applied the newest document: among all units, or only `unit`. */
export const unitsBehind = (units: readonly UnitStatus[], unit: string | undefined): readonly UnitStatus[] =>
  units.filter(
    ({ reactor_unit, desired_version, applied_version }) =>
      (unit === undefined || unit === reactor_unit) && desired_version !== applied_version,
  );
