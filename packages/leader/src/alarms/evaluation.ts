import type { LiveJob, UnitStatus } from '@lcs/contract';
import type { AlarmRuleDefinition, RuleSettings } from '@lcs/domain';
import type { UnitConditions } from '../core/leader-context.ts';
import type { AlarmFacts, TriggerEvent } from './alarm-facts.ts';
import type { AlarmSubject } from './alarm-store.ts';

/** The evaluation of one condition. */
export interface Finding {
  readonly subject: AlarmSubject;
  /** Undefined: cannot be determined now. */
  readonly isTrue: boolean | undefined;
  /** The reason, for people; used when it is true. */
  readonly message: string;
}

/** The evaluation of one rule: all of its conditions. */
export interface Evaluation {
  readonly findings: readonly Finding[];
  /** The state of an open alarm whose condition is not among them. */
  readonly absent: 'over' | 'unknown' | ((subject: AlarmSubject) => 'over' | 'unknown');
}

/** The input of an evaluation, read at one moment. */
export interface ClusterSnapshot {
  readonly nowMs: number;
  /** How long the alarm engine has been running. */
  readonly upMs: number;
  /** Active workers that have enrolled at least once; alarms cover only these. */
  readonly units: readonly UnitStatus[];
  /** The experiment of each unit, by name; null: none. */
  readonly experiments: ReadonlyMap<string, string | null>;
  readonly jobs: readonly LiveJob[];
  readonly facts: AlarmFacts;
  readonly conditionsOf: (unit: string) => UnitConditions;
  readonly triggerEvents: readonly TriggerEvent[];
  readonly diskSpaceLevel: 'enough' | 'low' | 'full';
  /** The name of an experiment by its uid; undefined when it does not exist. */
  readonly experimentOf: (uid: string) => string | undefined;
  /** Units with missing records, or with records of an unknown experiment, and their number. */
  readonly rows: (table: 'gaps' | 'unknown_experiments') => readonly { unit: string; count: number; lastMs: number }[];
  /** Conditions of a rule that other components have reported. */
  readonly reports: (rule: string) => readonly Finding[] | undefined;
  /** Whether the alarm of this condition is active. */
  readonly isOn: (rule: string, subject: AlarmSubject) => boolean;
  readonly settings: (rule: AlarmRuleDefinition, subject: AlarmSubject) => RuleSettings;
}

export const cluster: AlarmSubject = { unit: null, experiment: null, detail: null };
export const ofUnit = (unit: string, detail: string | null = null): AlarmSubject => ({
  unit,
  experiment: null,
  detail,
});
