import type { ConfigDiagnostic } from '@lcs/contract';
import type { IniView } from '@lcs/platform';

interface Required {
  readonly section: string;
  readonly key?: string;
}

/** Without these, units and browsers cannot find the leader and the broker. */
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

/** The line of a section, or of a key in it; the first line when it does not exist. */
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

/** Checks that required values are effective everywhere. `text` gives the lines of faults; `view` has the effective values. */
export function* requirementFaults(text: string, view: IniView, leader: string): Generator<ConfigDiagnostic> {
  const at = (code: string, section: string, key?: string) => ({
    line: lineOf(text, section, key),
    column: 1,
    severity: 'error',
    code,
    section,
    ...(key !== undefined && { key }),
  });
  for (const { section, key } of requirements) {
    const values = view[section];
    if (key === undefined && !values) {
      yield { ...at('missing', section), severity: 'error', message: `Section [${section}] is missing.` };
    }
    if (key !== undefined && values && !values[key]?.trim()) {
      const message = `Key '${key}' in section [${section}] is missing or empty.`;
      yield { ...at('missing', section, key), severity: 'error', message };
    }
  }
  for (const { section, key } of addresses) {
    if (/(^|;)\s*http/i.test(view[section]?.[key] ?? '')) {
      const message = `Key '${key}' in section [${section}] must not begin with http.`;
      yield { ...at('forbidden_value', section, key), severity: 'error', message };
    }
  }
  const named = view['cluster.topology']?.leader_hostname?.trim();
  if (named && named !== leader) {
    const message = `Key 'leader_hostname' names ${named}, but this leader is ${leader}.`;
    yield { ...at('forbidden_value', 'cluster.topology', 'leader_hostname'), severity: 'error', message };
  }
}
