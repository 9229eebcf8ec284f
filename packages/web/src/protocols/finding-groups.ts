import type { PreflightReport } from '@lcs/contract';
import { forPeople } from '../api/plain-words.ts';
import { protocolsWords } from '../words/protocols.ts';

type Finding = PreflightReport['findings'][number];

/** One finding of the check before a start, for all units that have it. */
export interface FindingGroup {
  readonly severity: Finding['severity'];
  /** Empty: it is about the leader or the profile. */
  readonly units: readonly string[];
  readonly text: string;
}

const capitalised = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

const naturally = new Intl.Collator('en', { numeric: true });

/** A name of a unit (letters, digits, dashes and underscores) which is not a part of another name. */
const nameOf = (unit: string): RegExp => new RegExp(`( on )?(?<![\\w-])${unit}(?![\\w-])`, 'g');

/** The step of a line in words; undefined: the plan has none there. */
export type StepAt = (line: number) => string | undefined;

/** The text of a finding without its unit, and its step at the end: a form shows no lines. */
function textOf({ reactor_unit: unit, message, remediation }: Finding, stepAt: StepAt): string {
  const [, line, rest = message] = /^Line (\d+): (.*)$/s.exec(message) ?? [];
  const named =
    unit === null
      ? rest
      : rest.replace(nameOf(unit), (_, on: string | undefined) => (on === undefined ? protocolsWords.theUnit : ''));
  const text = `${forPeople(named)} ${forPeople(remediation)}`;
  if (line === undefined) return capitalised(text);
  const step = stepAt(Number(line));
  return `${capitalised(text)} (${step === undefined ? protocolsWords.lineOfText(line) : protocolsWords.stepIs(step)})`;
}

/** What several units have in common is one finding. */
export function findingGroups(findings: readonly Finding[], stepAt: StepAt): readonly FindingGroup[] {
  const groups = new Map<string, { readonly severity: Finding['severity']; readonly text: string; units: string[] }>();
  for (const finding of findings) {
    const text = textOf(finding, stepAt);
    const key = `${finding.severity} ${text}`;
    const group = groups.get(key) ?? { severity: finding.severity, text, units: [] };
    if (finding.reactor_unit !== null) group.units.push(finding.reactor_unit);
    groups.set(key, group);
  }
  return [...groups.values()].map((group) => ({ ...group, units: [...group.units].sort(naturally.compare) }));
}
