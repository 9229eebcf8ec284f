import { type AlarmScope, type AlarmSeverity, alarmSeverities, type Model, ownValue } from '@lcs/contract';
import { isBuiltInSource, isSourceName } from '../readings/reading-sources.ts';

/** Whether `severity` is at least as severe as `least`. */
export const isAtLeast = (severity: AlarmSeverity, least: AlarmSeverity): boolean =>
  alarmSeverities.indexOf(severity) >= alarmSeverities.indexOf(least);

/** The value of a parameter; null: no limit. */
export type ParameterValue = number | string | null;

interface ParameterBase {
  /** Key of the parameter. */
  readonly name: string;
  readonly label: string;
}
/** A parameter of a rule that people set. */
export type AlarmParameter =
  | (ParameterBase & {
      readonly type: 'number';
      /** `s`, `min`, `mL`, …; empty: no unit, or the unit of the source. */
      readonly unit: string;
      readonly minimum: number;
      readonly maximum: number;
      /** Whether null (no limit) is allowed. */
      readonly nullable?: boolean;
      readonly default: number | null;
    })
  | (ParameterBase & {
      readonly type: 'choice';
      readonly choices: readonly string[];
      /** Sources of plugins are allowed too. */
      readonly allowsPluginSources?: true;
      readonly default: string;
    });

/** The input from which the leader evaluates a rule. */
export type AlarmMonitor =
  | { readonly input: 'liveness' }
  | { readonly input: 'series_silence' }
  /** Running dosing automations, and the readings that they wait for. */
  | { readonly input: 'dosing_readings' }
  /** The newest reading of a source; absent: the parameter `source` names it. */
  | { readonly input: 'reading'; readonly source?: string }
  | { readonly input: 'bottles' }
  | { readonly input: 'leader_disk' }
  | { readonly input: 'unit_disk' }
  /** Whether units have effective changes of jobs that are not on their disks. */
  | { readonly input: 'unit_records' }
  | { readonly input: 'unit_clock' }
  | { readonly input: 'unit_document' }
  | { readonly input: 'unit_fault' }
  | { readonly input: 'store'; readonly table: 'gaps' | 'unknown_experiments' }
  /** The flags that units report of their optical signal: when a flag begins and ends. */
  | { readonly input: 'signals' }
  /** Single events: the alarm is active until no event has occurred for the off-delay. */
  | { readonly input: 'events' }
  /** Another part of the leader reports the start and the end. */
  | { readonly input: 'reports' };

/** The volumes of a unit's model that the defaults of rules depend on. */
export type ModelVolumes = Pick<Model, 'reactor_capacity_ml' | 'reactor_max_fill_volume_ml'>;

/** An alarm rule, as data. */
export interface AlarmRuleDefinition {
  /** Key of the rule; alarms refer to it. */
  readonly rule: string;
  readonly title: string;
  /** The meaning of the alarm and the remedy, for people. */
  readonly description: string;
  readonly severity: AlarmSeverity;
  readonly scope: AlarmScope;
  readonly isEnabled: boolean;
  readonly monitor: AlarmMonitor;
  readonly parameters: readonly AlarmParameter[];
  /** Defaults that depend on the unit's model; while the model is unknown, the defaults of the parameters apply. */
  readonly modelDefaults?: (model: ModelVolumes) => Readonly<Record<string, ParameterValue>>;
}

/** Whether the default of a parameter depends on the model of the unit. */
export const hasModelDefault = ({ modelDefaults }: AlarmRuleDefinition, parameter: string): boolean =>
  modelDefaults !== undefined &&
  Object.hasOwn(modelDefaults({ reactor_capacity_ml: 0, reactor_max_fill_volume_ml: 0 }), parameter);

/** Settings that a person has changed; absent fields keep the weaker value. */
export interface RuleOverride {
  readonly severity?: AlarmSeverity | undefined;
  readonly isEnabled?: boolean | undefined;
  readonly parameters: Readonly<Record<string, ParameterValue>>;
}

/** The effective settings of a rule for one subject. */
export interface RuleSettings {
  readonly severity: AlarmSeverity;
  readonly isEnabled: boolean;
  readonly parameters: Readonly<Record<string, ParameterValue>>;
}

/**
 * The settings of a rule after its overrides, the weakest first: rule, experiment, unit. `model`: the unit's model, where the
 * subject is a unit whose model is known.
 */
export function resolveRuleSettings(
  rule: AlarmRuleDefinition,
  overrides: readonly RuleOverride[],
  model?: ModelVolumes,
): RuleSettings {
  const defaults = Object.fromEntries(rule.parameters.map((parameter) => [parameter.name, parameter.default]));
  const parameters = { ...defaults, ...(model && rule.modelDefaults?.(model)) };
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

/** The value of a numeric parameter; null: no limit. */
export function numericParameter({ parameters }: RuleSettings, name: string): number | null {
  const value = ownValue(parameters, name);
  return typeof value === 'number' ? value : null;
}

/** A parameter that is not valid, and why. */
export interface InvalidParameter {
  readonly parameter: string;
  readonly message: string;
}

function validateParameter(parameter: AlarmParameter, value: ParameterValue): string | undefined {
  if (parameter.type === 'choice') {
    const isOfPlugin = (name: string) => parameter.allowsPluginSources && !isBuiltInSource(name) && isSourceName(name);
    const isKnown = typeof value === 'string' && (parameter.choices.includes(value) || isOfPlugin(value));
    return isKnown ? undefined : `${parameter.label} must be one of ${parameter.choices.join(', ')}.`;
  }
  if (value === null) return parameter.nullable ? undefined : `${parameter.label} must be a number.`;
  const { minimum, maximum, unit } = parameter;
  if (typeof value === 'number' && value >= minimum && value <= maximum) return undefined;
  const of = unit === '' ? '' : ` ${unit}`;
  return `${parameter.label} must be a number from ${minimum} to ${maximum}${of}.`;
}

/** The parameters that are not valid; `settings`: the settings of the rule with these parameters. */
export function invalidParameters(
  rule: AlarmRuleDefinition,
  sent: Readonly<Record<string, ParameterValue>>,
  settings: RuleSettings,
): readonly InvalidParameter[] {
  const known = new Map(rule.parameters.map((parameter) => [parameter.name, parameter]));
  const invalid = Object.entries(sent).flatMap(([name, value]): InvalidParameter[] => {
    const parameter = known.get(name);
    if (parameter === undefined) return [{ parameter: name, message: `${rule.title} has no parameter ${name}.` }];
    const message = validateParameter(parameter, value);
    return message === undefined ? [] : [{ parameter: name, message }];
  });
  const low = numericParameter(settings, 'low');
  const high = numericParameter(settings, 'high');
  const isBand = invalid.length === 0 && low !== null && high !== null;
  if (isBand && low >= high)
    invalid.push({ parameter: 'low', message: 'The lower limit must be below the upper one.' });
  return invalid;
}
