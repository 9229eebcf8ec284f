import { ApiError, type ConfigDiagnostic } from '@lcs/contract';
import { duplicateValues, SettingPositions } from '@lcs/domain';
import { hiddenSecret, type IniView, lineOfLostSecret, parseIni } from '@lcs/platform';

const ofWholeFile = (code: string, message: string): ConfigDiagnostic => ({
  line: 1,
  column: 1,
  severity: 'error',
  code,
  message,
});

export const tooLong = ofWholeFile('too_large', 'The file is longer than 131072 characters or 5000 lines.');

/** A fault for each hidden secret without a stored value. */
export function lostSecrets(text: string): readonly ConfigDiagnostic[] {
  const line = lineOfLostSecret(text);
  if (line === undefined) return [];
  const message = `The value ${hiddenSecret} means the stored secret, but none is stored. Write the value itself.`;
  return [{ ...ofWholeFile('hidden_secret', message), line }];
}

/** Faults for labels that the unit's text together with the shared one assigns to two outputs or inputs. */
export function clashDiagnostics(own: string, inForce: IniView): readonly ConfigDiagnostic[] {
  const positions = new SettingPositions(own);
  const sections = [...parseIni(own).document.layer().keys()];
  return sections.flatMap((section) => {
    const values = new Map(Object.entries(inForce[section] ?? {}));
    return [...duplicateValues(section, values)].map(({ code, key, message }) => ({
      ...positions.of(section),
      severity: 'error' as const,
      code,
      message,
      section,
      ...(key !== undefined && { key }),
    }));
  });
}

/** The error for a text with these faults. */
export function configError(faults: readonly ConfigDiagnostic[]): ApiError<'config_invalid'> {
  const [first = ofWholeFile('syntax', 'The file cannot be used.')] = faults;
  const others = faults.length > 1 ? ` (and ${faults.length - 1} more)` : '';
  const remediation = 'Nothing was changed. Correct the text and save it again.';
  const cause = `Line ${first.line}, column ${first.column}${others}.`;
  return new ApiError('config_invalid', { error: first.message, cause, remediation }, [...faults]);
}

/** Keeps the first of several findings for the same key; it is the most specific. */
function oncePerKey(found: readonly ConfigDiagnostic[]): readonly ConfigDiagnostic[] {
  const known = new Set<string>();
  return found.filter(({ section, key, code }) => {
    if (section === undefined || key === undefined || code === 'duplicate_key') return true;
    const name = `${section}\n${key}`;
    return known.has(name) ? false : known.add(name) !== undefined;
  });
}

/**
 * Separates warnings and errors of a text.
 * @returns the warnings
 * @throws ApiError config_invalid when there are errors
 */
export function onlyWarnings(found: readonly ConfigDiagnostic[]): readonly ConfigDiagnostic[] {
  const all = oncePerKey(found);
  const errors = all.filter(({ severity }) => severity === 'error');
  if (errors.length > 0) throw configError(errors);
  return all;
}
