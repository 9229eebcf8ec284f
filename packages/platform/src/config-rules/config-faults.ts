import { ApiError, type ConfigDiagnostic } from '@lcs/contract';
import { type ConfigValues, settingFaults } from '@lcs/domain';
import { type IniDiagnostic, parseIni } from '../ini/parse-ini.ts';

/** Far above any real configuration; a text of this size is still parsed in an instant. */
const maxBytes = 1024 * 1024;

const iniMessage = ({ code, section, key, message }: IniDiagnostic): string => {
  if (code === 'duplicate_key') return `Key '${key}' occurs twice in section [${section}].`;
  if (code === 'duplicate_section') return `Section [${section}] occurs twice.`;
  return message;
};

const ofWholeFile = (code: string, message: string): ConfigDiagnostic => ({
  ...{ line: 1, column: 1, severity: 'error', code, message },
});

/** What keeps a tidied text from being read at all. */
export function textFaults(text: string): readonly ConfigDiagnostic[] {
  if (Buffer.byteLength(text) > maxBytes) {
    return [ofWholeFile('too_large', `The file is larger than ${maxBytes} bytes.`)];
  }
  // Half a surrogate pair has no UTF-8: the file and its history would hold something else than was sent.
  if (!text.isWellFormed()) return [ofWholeFile('half_character', 'The file holds half a character.')];
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

interface Position {
  readonly line: number;
  readonly column: number;
}

const header = /^\s*\[([^\]]+)\]/;
const keyAndValue = /^(\s*([^=:]*?)\s*[=:]\s*)\S/;

/** Where the value of a key stands, or a section; the first line when it is nowhere. */
export function positionIn(text: string, section: string, key?: string): Position {
  let current = '';
  let position: Position = { line: 1, column: 1 };
  for (const [index, line] of text.split('\n').entries()) {
    const name = header.exec(line)?.[1];
    if (name !== undefined) current = name;
    if (current !== section) continue;
    if (name !== undefined) position = { line: index + 1, column: line.indexOf('[') + 1 };
    else if (key !== undefined) {
      const [, before = '', named] = keyAndValue.exec(line) ?? [];
      if (named === key) return { line: index + 1, column: before.length + 1 };
      if (line.split(/[=:]/, 1)[0]?.trim() === key) return { line: index + 1, column: line.search(/\S/) + 1 };
    }
  }
  return position;
}

/** Wrong values are errors, what nobody reads is a warning. The text can be read. */
export function settingDiagnostics(text: string): readonly ConfigDiagnostic[] {
  const values: ConfigValues = parseIni(text).document.layer();
  return [...settingFaults(values)].map(({ code, section, key, message }) => ({
    ...positionIn(text, section, key),
    severity: code === 'wrong_value' ? 'error' : 'warning',
    code,
    message,
    section,
    ...(key !== undefined && { key }),
  }));
}

/** The answer to a text that has these errors. */
export function refusedConfig(faults: readonly ConfigDiagnostic[]): ApiError<'config_invalid'> {
  const [first = ofWholeFile('syntax', 'The file cannot be used.')] = faults;
  const others = faults.length > 1 ? ` (and ${faults.length - 1} more)` : '';
  const remediation = 'Correct the text and save it again; nothing was changed.';
  const cause = `Line ${first.line}, column ${first.column}${others}.`;
  return new ApiError('config_invalid', { error: first.message, cause, remediation }, [...faults]);
}

/** Of two findings at the same key the first one says more. */
function oncePerKey(found: readonly ConfigDiagnostic[]): readonly ConfigDiagnostic[] {
  const known = new Set<string>();
  return found.filter(({ section, key, code }) => {
    if (section === undefined || key === undefined || code === 'duplicate_key') return true;
    const name = `${section}\n${key}`;
    return known.has(name) ? false : known.add(name) !== undefined;
  });
}

/**
 * Divides what was found in a text that is to be saved.
 * @returns the warnings
 * @throws ApiError config_invalid when there are errors
 */
export function onlyWarnings(found: readonly ConfigDiagnostic[]): readonly ConfigDiagnostic[] {
  const all = oncePerKey(found);
  const errors = all.filter(({ severity }) => severity === 'error');
  if (errors.length > 0) throw refusedConfig(errors);
  return all;
}
