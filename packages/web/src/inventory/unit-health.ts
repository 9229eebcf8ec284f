import type { Alarm } from '@lcs/contract';
import type { UnitRemark } from '../units/unit-status.ts';

type Severity = UnitRemark['severity'] | Alarm['severity'];

/** What is wrong with a unit, in one line. */
export interface UnitFinding {
  readonly severity: Severity;
  readonly text: string;
}

const ranks: { readonly [Each in Severity]: number } = { critical: 3, error: 2, warning: 1, info: 0 };

type OpenAlarm = Pick<Alarm, 'reactor_unit' | 'severity' | 'title'>;

/** The worst of the open alarms and the remarks about a unit; null: there is nothing to do. */
export function worstFinding(
  unit: string,
  alarms: readonly OpenAlarm[],
  remarks: readonly UnitRemark[],
): UnitFinding | null {
  const own = alarms.filter(({ reactor_unit }) => reactor_unit === unit);
  const found: readonly UnitFinding[] = [...own.map(({ severity, title: text }) => ({ severity, text })), ...remarks];
  const [worst] = found.toSorted((one, other) => ranks[other.severity] - ranks[one.severity]);
  return worst ?? null;
}
