import { ConfigDiagnostic, entriesOf, ProblemError, type UnitStatus } from '@lcs/contract';
import { settingDiagnostics, textFaults } from '@lcs/domain';

/** The diagnostics of a refused text; empty when the leader refused it for another reason. */
export function findingsOf(error: unknown): readonly ConfigDiagnostic[] {
  if (!(error instanceof ProblemError)) return [];
  return entriesOf(ConfigDiagnostic, error.body.diagnostics) ?? [];
}

/** Another person has saved the file since it was read. */
export const isConflict = (error: unknown): boolean =>
  error instanceof ProblemError && error.body.code === 'config_changed';

/** What can be found in a text before it is saved: the rules of the leader, without those that need its other files. */
export function liveFindings(text: string): readonly ConfigDiagnostic[] {
  const faults = textFaults(text);
  return faults.length > 0 ? faults : settingDiagnostics(text);
}

/** The findings of both lists, each once, in the order of the lines. */
export function allFindings(
  live: readonly ConfigDiagnostic[],
  refused: readonly ConfigDiagnostic[],
): readonly ConfigDiagnostic[] {
  const keyOf = ({ line, code, key }: ConfigDiagnostic): string => `${line} ${code} ${key}`;
  const known = new Set(live.map(keyOf));
  return [...live, ...refused.filter((each) => !known.has(keyOf(each)))].sort((left, right) => left.line - right.line);
}

/** Units that have not applied the newest document: among all units, or only `unit`. */
export const unitsBehind = (units: readonly UnitStatus[], unit: string | undefined): readonly UnitStatus[] =>
  units.filter(
    ({ reactor_unit, desired_version, applied_version }) =>
      (unit === undefined || unit === reactor_unit) && desired_version !== applied_version,
  );
