import type { ConfigDiagnostic } from '@lcs/contract';
import { type IniDiagnostic, parseIni } from '@lcs/contract/ini';
import { type ConfigValues, type InvalidSetting, invalidSettings } from './check-settings.ts';

const iniMessage = ({ code, section, key, message }: IniDiagnostic): string => {
  if (code === 'duplicate_key') return `Key '${key}' occurs twice in section [${section}].`;
  if (code === 'duplicate_section') return `Section [${section}] occurs twice.`;
  return message;
};

const halfCharacter: ConfigDiagnostic = {
  line: 1,
  column: 1,
  severity: 'error',
  code: 'half_character',
  message: 'The file contains an incomplete character.',
};

/** The fault that makes a normalised text unreadable. */
export function textFaults(text: string): readonly ConfigDiagnostic[] {
  // Half a surrogate pair has no UTF-8 form: the file and its history would differ from the sent text.
  if (!text.isWellFormed()) return [halfCharacter];
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

/** The positions of the sections and values of a text, read once because there may be very many. */
export class SettingPositions {
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
  const positions = new SettingPositions(text);
  return firstOfEach(invalidSettings(values)).map(({ code, section, key, message }) => ({
    ...positions.of(section, key),
    severity: code === 'wrong_value' ? 'error' : 'warning',
    code,
    message,
    section,
    ...(key !== undefined && { key }),
  }));
}
