import { ApiError } from '@lcs/contract';
import { type IniDiagnostic, type IniView, normaliseDashes, parseIni } from '@lcs/platform';

/** Far above any real configuration; a text of this size is still parsed in an instant. */
const maxBytes = 1024 * 1024;

/** A fault of the file and where it is, both from 1. */
export interface ConfigFault {
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

interface Required {
  readonly section: string;
  readonly key?: string;
}

/** Without these, units and browsers find neither leader nor broker. */
const requirements: readonly Required[] = [
  { section: 'cluster.topology' },
  { section: 'cluster.topology', key: 'leader_hostname' },
  { section: 'cluster.topology', key: 'leader_address' },
  { section: 'mqtt' },
];

/** Host names or IP addresses; the scheme and the port have keys of their own. */
const addresses = [
  { section: 'cluster.topology', key: 'leader_address' },
  { section: 'mqtt', key: 'broker_address' },
] as const;

/** What is kept of a text that someone sent: no byte order mark, and no dashes that a word processor made. */
export const tidyConfigText = (text: string): string => normaliseDashes(text.replace(/^\ufeff/, ''));

const message = ({ code, section, key, message: text }: IniDiagnostic): string => {
  if (code === 'duplicate_key') return `Key '${key}' occurs twice in section [${section}].`;
  if (code === 'duplicate_section') return `Section [${section}] occurs twice.`;
  return text;
};

/** The line on which a section, or a key in it, stands; the first line when it is nowhere. */
function lineOf(text: string, section: string, key?: string): number {
  let current = '';
  let sectionLine = 1;
  for (const [index, line] of text.split('\n').entries()) {
    const header = /^\s*\[([^\]]+)\]/.exec(line)?.[1];
    if (header !== undefined) current = header;
    if (current !== section) continue;
    if (header !== undefined) sectionLine = index + 1;
    else if (key !== undefined && line.split(/[=:]/, 1)[0]?.trim() === key) return index + 1;
  }
  return sectionLine;
}

function* contentFaults(text: string, view: IniView, leader: string): Generator<ConfigFault> {
  const at = (section: string, key?: string) => ({ line: lineOf(text, section, key), column: 1 });
  for (const { section, key } of requirements) {
    const values = view[section];
    if (key === undefined && !values) yield { ...at(section), message: `Section [${section}] is missing.` };
    if (key !== undefined && values && !values[key]?.trim()) {
      yield { ...at(section, key), message: `Key '${key}' in section [${section}] is missing or empty.` };
    }
  }
  for (const { section, key } of addresses) {
    if (/(^|;)\s*http/i.test(view[section]?.[key] ?? '')) {
      yield { ...at(section, key), message: `Key '${key}' in section [${section}] must not begin with http.` };
    }
  }
  const named = view['cluster.topology']?.leader_hostname?.trim();
  if (named && named !== leader) {
    const where = at('cluster.topology', 'leader_hostname');
    yield { ...where, message: `Key 'leader_hostname' names ${named}, but this leader is ${leader}.` };
  }
}

/** Everything that is wrong with a tidied text. What it says is only judged once it can be read. */
export function sharedConfigFaults(text: string, leader: string): readonly ConfigFault[] {
  if (Buffer.byteLength(text) > maxBytes) {
    return [{ line: 1, column: 1, message: `The file is larger than ${maxBytes} bytes.` }];
  }
  // Half a surrogate pair has no UTF-8: the file and its history would hold something else than was sent.
  if (!text.isWellFormed()) return [{ line: 1, column: 1, message: 'The file holds half a character.' }];
  const { document, diagnostics } = parseIni(text);
  if (diagnostics.length === 0) return [...contentFaults(text, document.view(), leader)];
  return diagnostics.map((diagnostic) => {
    const { line, column } = diagnostic;
    return { line, column, message: message(diagnostic) };
  });
}

/**
 * The leader stands among the addresses under its name, as the units do. Without a prototype, as all sections are: a unit may
 * be called `constructor`, and has no address until someone gives it one.
 */
function withLeaderAddress(view: IniView): IniView {
  const { leader_hostname = '', leader_address = '' } = view['cluster.topology'] ?? {};
  const addresses = { ...view['cluster.addresses'], [leader_hostname]: leader_address };
  return withoutPrototype({ ...view, 'cluster.addresses': withoutPrototype(addresses) });
}

const withoutPrototype = <Values extends object>(values: Values): Values => Object.assign(Object.create(null), values);

/**
 * What a tidied text says, section by section.
 * @throws ApiError config_invalid, with all faults as diagnostics
 */
export function acceptedSharedConfig(text: string, leader: string): IniView {
  const faults = sharedConfigFaults(text, leader);
  const [first] = faults;
  if (!first) return withLeaderAddress(parseIni(text).document.view());
  throw new ApiError(
    'config_invalid',
    {
      error: first.message,
      cause: `Line ${first.line}, column ${first.column}${faults.length > 1 ? ` (and ${faults.length - 1} more)` : ''}.`,
      remediation: 'Correct the text and save it again; nothing was changed.',
    },
    faults,
  );
}
