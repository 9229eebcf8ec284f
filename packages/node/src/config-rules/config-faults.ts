import { ApiError, type ConfigDiagnostic } from '@lcs/contract';
import { type ConfigValues, duplicateValues, type InvalidSetting, invalidSettings } from '@lcs/domain';
import { hiddenSecret, type IniDiagnostic, type IniView, lineOfLostSecret, parseIni } from '@lcs/platform';

const iniMessage = ({ code, section, key, message }: IniDiagnostic): string => {
  if (code === 'duplicate_key') return `Key '${key}' occurs twice in section [${section}].`;
  if (code === 'duplicate_section') return `Section [${section}] occurs twice.`;
  return message;
};

const ofWholeFile = (code: string, message: string): ConfigDiagnostic => ({
  line: 1,
  column: 1,
  severity: 'error',
  code,
  message,
});

export const tooLong = ofWholeFile('too_large', 'The file is longer than 131072 characters or 5000 lines.');

/** The fault that makes a normalised text unreadable. */
export function textFaults(text: string): readonly ConfigDiagnostic[] {
  // Half a surrogate pair has no UTF-8 form: the file and its history would differ from the sent text.
  if (!text.isWellFormed()) return [ofWholeFile('half_character', 'The file contains an incomplete character.')];
  return parseIni(text).diagnostics.map((diagnostic) => ({
    line: diagnostic.line,
    column: diagnostic.column,
    severity: 'error',
    code: diagnostic.code,
    message: iniMessage(diagnostic),
    ...(diagnostic.section !== undefined && { section: diagnostic.section }),
    ...(diagnostic.key !== undefined && { key: diagnostic.key }),
  }));
}

/** A fault for each hidden secret without a stored value. */
export function lostSecrets(text: string): readonly ConfigDiagnostic[] {
  const line = lineOfLostSecret(text);
  if (line === undefined) return [];
  const message = `The value ${hiddenSecret} means the stored secret, but none is stored. Write the value itself.`;
  return [{ ...ofWholeFile('hidden_secret', message), line }];
}

interface Position {
  readonly line: number;
  readonly column: number;
}

const header = /^\s*\[([^\]]+)\]/;

/** The positions of the sections and values of a text, read once because there may be very many. */
class Positions {
  readonly #sections = new Map<string, { readonly at: Position; readonly keys: Map<string, Position> }>();

  constructor(text: string) {
    let keys: Map<string, Position> | undefined;
    for (const [index, line] of text.split('\n').entries()) {
      const name = header.exec(line)?.[1];
      if (name !== undefined) {
        keys = new Map();
        this.#sections.set(name, { at: { line: index + 1, column: line.indexOf('[') + 1 }, keys });
        continue;
      }
      const delimiter = line.search(/[=:]/);
      const named = (delimiter < 0 ? line : line.slice(0, delimiter)).trim();
      const value = delimiter < 0 ? '' : line.slice(delimiter + 1);
      const column = (value.trim() === '' ? line.search(/\S/) : line.length - value.trimStart().length) + 1;
      if (keys !== undefined && named !== '' && !keys.has(named)) keys.set(named, { line: index + 1, column });
    }
  }

  /** The position of the section when it has no such key; the first line when there is no such section. */
  of(section: string, key?: string): Position {
    const found = this.#sections.get(section);
    return (key === undefined ? undefined : found?.keys.get(key)) ?? found?.at ?? { line: 1, column: 1 };
  }
}

/** The most warnings, and the most errors, that are reported. */
const maxOfEach = 200;

function firstOfEach(found: Iterable<InvalidSetting>): readonly InvalidSetting[] {
  const [errors, warnings]: InvalidSetting[][] = [[], []];
  return [...found].filter((fault) => {
    const same = fault.code === 'wrong_value' ? errors : warnings;
    return same !== undefined && same.length < maxOfEach && same.push(fault) > 0;
  });
}

/** Invalid values are errors, unused keys are warnings. The text must be readable. */
export function settingDiagnostics(text: string): readonly ConfigDiagnostic[] {
  const values: ConfigValues = parseIni(text).document.layer();
  const positions = new Positions(text);
  return firstOfEach(invalidSettings(values)).map(({ code, section, key, message }) => ({
    ...positions.of(section, key),
    severity: code === 'wrong_value' ? 'error' : 'warning',
    code,
    message,
    section,
    ...(key !== undefined && { key }),
  }));
}

/** Faults for labels that the unit's text together with the shared one assigns to two outputs or inputs. */
export function clashDiagnostics(own: string, inForce: IniView): readonly ConfigDiagnostic[] {
  const positions = new Positions(own);
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
