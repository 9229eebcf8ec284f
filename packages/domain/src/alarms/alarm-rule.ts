import { type AlarmScope, type AlarmSeverity, alarmSeverities, type Model, ownValue } from '@lcs/contract';

/** Whether `severity` is at least as bad as `least`. */
export const isAtLeast = (severity: AlarmSeverity, least: AlarmSeverity): boolean =>
  alarmSeverities.indexOf(severity) >= alarmSeverities.indexOf(least);

/** A value of a parameter; null: no limit. */
export type ParameterValue = number | string | null;

interface ParameterAbout {
  /** A word. */
  readonly name: string;
  readonly label: string;
}
/** Something of a rule that people set. */
export type AlarmParameter =
  | (ParameterAbout & {
      readonly type: 'number';
      /** `s`, `min`, `mL`, …; empty: none, or that of the source. */
      readonly unit: string;
      readonly minimum: number;
      readonly maximum: number;
      /** Whether null (no limit) is a value too. */
      readonly mayBeNone?: boolean;
      readonly default: number | null;
    })
  | (ParameterAbout & { readonly type: 'choice'; readonly choices: readonly string[]; readonly default: string });

/** What the leader looks at to judge a rule. */
export type AlarmWatch =
  | { readonly looksAt: 'liveness' }
  | { readonly looksAt: 'series_silence' }
  /** The newest reading of a source; none: a parameter `source` says which. */
  | { readonly looksAt: 'reading'; readonly source?: string }
  | { readonly looksAt: 'bottles' }
  | { readonly looksAt: 'leader_disk' }
  | { readonly looksAt: 'unit_disk' }
  | { readonly looksAt: 'unit_clock' }
  | { readonly looksAt: 'unit_document' }
  | { readonly looksAt: 'unit_trouble' }
  | { readonly looksAt: 'store'; readonly table: 'gaps' | 'unknown_experiments' }
  /** What units say of their optical signal: when a flag begins and when it is over. */
  | { readonly looksAt: 'signals' }
  /** Something that happens at a moment: the alarm is on until it has not happened for the off-delay. */
  | { readonly looksAt: 'events' }
  /** Another part of the leader says when it begins and when it is over. */
  | { readonly looksAt: 'reports' };

/** What rules know of the vial of a unit. */
export type VialOfModel = Pick<Model, 'reactor_capacity_ml' | 'reactor_max_fill_volume_ml'>;

/** When to alarm, as data. */
export interface AlarmRuleDefinition {
  /** A word; alarms name it. */
  readonly rule: string;
  readonly title: string;
  /** What it means and what to do, for people. */
  readonly description: string;
  readonly severity: AlarmSeverity;
  readonly scope: AlarmScope;
  readonly isEnabled: boolean;
  readonly watch: AlarmWatch;
  readonly parameters: readonly AlarmParameter[];
  /** Defaults that depend on the model of the unit; where that is not known, those of the parameters count. */
  readonly ofModel?: (model: VialOfModel) => Readonly<Record<string, ParameterValue>>;
}

/** What somebody has set: what is absent is as it was. */
export interface RuleOverride {
  readonly severity?: AlarmSeverity | undefined;
  readonly isEnabled?: boolean | undefined;
  readonly parameters: Readonly<Record<string, ParameterValue>>;
}

/** A rule as it counts for one subject. */
export interface RuleSettings {
  readonly severity: AlarmSeverity;
  readonly isEnabled: boolean;
  readonly parameters: Readonly<Record<string, ParameterValue>>;
}

/**
 * The settings of a rule after overrides, the weakest first: of the rule, of the experiment, of the unit. `model`: of the unit,
 * where it is about one whose model is known.
 */
export function settingsOf(
  rule: AlarmRuleDefinition,
  overrides: readonly RuleOverride[],
  model?: VialOfModel,
): RuleSettings {
  const defaults = Object.fromEntries(rule.parameters.map((parameter) => [parameter.name, parameter.default]));
  const parameters = { ...defaults, ...(model && rule.ofModel?.(model)) };
  let settings: RuleSettings = { severity: rule.severity, isEnabled: rule.isEnabled, parameters };
  for (const { severity, isEnabled, parameters } of overrides) {
    settings = {
      severity: severity ?? settings.severity,
      isEnabled: isEnabled ?? settings.isEnabled,
      parameters: { ...settings.parameters, ...parameters },
    };
  }
  return settings;
}

/** A parameter that is a number, or null where it is no limit. */
export function numberOf({ parameters }: RuleSettings, name: string): number | null {
  const value = ownValue(parameters, name);
  return typeof value === 'number' ? value : null;
}

/** A parameter that was not accepted, and why. */
export interface ParameterFault {
  readonly parameter: string;
  readonly message: string;
}

function faultOf(parameter: AlarmParameter, value: ParameterValue): string | undefined {
  if (parameter.type === 'choice') {
    const isKnown = typeof value === 'string' && parameter.choices.includes(value);
    return isKnown ? undefined : `${parameter.label} must be one of ${parameter.choices.join(', ')}.`;
  }
  if (value === null) return parameter.mayBeNone ? undefined : `${parameter.label} is needed.`;
  const { minimum, maximum, unit } = parameter;
  if (typeof value === 'number' && value >= minimum && value <= maximum) return undefined;
  const of = unit === '' ? '' : ` ${unit}`;
  return `${parameter.label} must be a number from ${minimum} to ${maximum}${of}.`;
}

/** What is wrong with parameters that somebody wants to set; `settings` is what the rule would be with them. */
export function parameterFaults(
  rule: AlarmRuleDefinition,
  sent: Readonly<Record<string, ParameterValue>>,
  settings: RuleSettings,
): readonly ParameterFault[] {
  const known = new Map(rule.parameters.map((parameter) => [parameter.name, parameter]));
  const faults = Object.entries(sent).flatMap(([name, value]): ParameterFault[] => {
    const parameter = known.get(name);
    if (parameter === undefined) return [{ parameter: name, message: `${rule.title} has no parameter ${name}.` }];
    const message = faultOf(parameter, value);
    return message === undefined ? [] : [{ parameter: name, message }];
  });
  const low = numberOf(settings, 'low');
  const high = numberOf(settings, 'high');
  const isBand = faults.length === 0 && low !== null && high !== null;
  if (isBand && low >= high) faults.push({ parameter: 'low', message: 'The lower limit must be below the upper one.' });
  return faults;
}
