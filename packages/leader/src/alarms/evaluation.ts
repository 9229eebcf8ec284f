import type { LiveJob, UnitStatus } from '@lcs/contract';
import type { AlarmRuleDefinition, RuleSettings } from '@lcs/domain';
import type { AlarmFacts, TriggerEvent } from './alarm-facts.ts';
import type { AlarmSubject } from './alarm-store.ts';

/** What a look at the cluster says of one condition. */
export interface Finding {
  readonly subject: AlarmSubject;
  /** Undefined: nobody can say now. */
  readonly isTrue: boolean | undefined;
  /** Why, for people; used when it is true. */
  readonly message: string;
}

/** What a rule says of everything it is about. */
export interface Evaluation {
  readonly findings: readonly Finding[];
  /** What to think of an open alarm whose condition is not among them. */
  readonly absent: 'over' | 'unknown' | ((subject: AlarmSubject) => 'over' | 'unknown');
}

/** Everything that a look needs, taken at one moment. */
export interface ClusterSnapshot {
  readonly nowMs: number;
  /** How long the leader has been looking. */
  readonly upMs: number;
  /** Active workers that have enrolled once, the only units that somebody counts on. */
  readonly units: readonly UnitStatus[];
  /** The experiment that each of them is in, by its name; null: in none. */
  readonly experiments: ReadonlyMap<string, string | null>;
  readonly jobs: readonly LiveJob[];
  readonly facts: AlarmFacts;
  readonly triggerEvents: readonly TriggerEvent[];
  readonly diskSpaceLevel: 'enough' | 'low' | 'full';
  /** Name of an experiment by its uid; undefined when it is gone or no experiment. */
  readonly experimentOf: (uid: string) => string | undefined;
  /** Units with records that are missing, or whose experiment nobody knows, with a count. */
  readonly rows: (table: 'gaps' | 'unknown_experiments') => readonly { unit: string; count: number; lastMs: number }[];
  /** What other parts have reported of a rule, by the subject. */
  readonly reports: (rule: string) => readonly Finding[] | undefined;
  /** Whether the alarm of this condition is on. */
  readonly isOn: (rule: string, subject: AlarmSubject) => boolean;
  readonly settings: (rule: AlarmRuleDefinition, subject: AlarmSubject) => RuleSettings;
}

export const cluster: AlarmSubject = { unit: null, experiment: null, detail: null };
export const ofUnit = (unit: string, detail: string | null = null): AlarmSubject => ({
  unit,
  experiment: null,
  detail,
});
