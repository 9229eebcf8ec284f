import type { AutomationDescriptor, AutomationField } from '@lcs/contract';
import type { JobOptionDeclaration, JobSettingDeclaration, JobVariant } from '../jobs/job-declaration.ts';

/** The types of automations; each has its job. */
export const automationTypes = ['dosing', 'led', 'temperature'] as const;
export type AutomationType = (typeof automationTypes)[number];

export const isAutomationType = (text: string): text is AutomationType => automationTypes.some((type) => type === text);

/** A number that people set for an automation and may change while it runs. */
export interface AutomationParameter {
  readonly label: string;
  /** Shown to people; empty: no unit. */
  readonly unit: string;
  /** Initial value of a form; null: none. */
  readonly default: number | null;
  readonly min?: number;
  readonly max?: number;
  /** How a value outside the range is treated. Default: it is refused. */
  readonly outside?: 'clamp';
  /** A higher value drives an output harder: see `JobSettingDeclaration`. */
  readonly lowerIsSafer?: true;
}

/** A text that people set for an automation. */
export interface AutomationText {
  readonly label: string;
  readonly default: string;
}

/** A number in section `[<job>.<automation>]` of the configuration. */
export interface AutomationConstant {
  readonly default: number;
  readonly min?: number;
  readonly unit?: string;
  readonly description: string;
}

/** An automation without its rule. Forms, options, settings and help texts are derived from it. */
export interface AutomationDeclaration<Setting extends string = string, Constant extends string = string> {
  /** The name by which a job starts it. */
  readonly name: string;
  readonly displayName: string;
  /** Its function, in one sentence. */
  readonly help: string;
  readonly parameters: Readonly<Record<Setting, AutomationParameter>>;
  readonly texts?: Readonly<Record<string, AutomationText>>;
  /** Accepted at the start only. */
  readonly options?: Readonly<Record<string, JobOptionDeclaration>>;
  readonly constants?: Readonly<Record<Constant, AutomationConstant>>;
  /** Jobs of the same unit whose values it needs; that of a biomass signal is known when the signal is. */
  readonly usesJobs?: readonly string[];
  /** Options that older programs send, and that have no effect; some programs show a field for them. */
  readonly ignored?: Readonly<Record<string, AutomationParameter & { readonly isDisabled?: true }>>;
}

const numberField = (key: string, { default: initial, label, unit }: AutomationParameter): AutomationField => ({
  key,
  default: initial,
  label,
  disabled: false,
  required: true,
  unit,
  type: 'numeric',
  options: null,
});

const textField = (key: string, { label, default: initial }: AutomationText): AutomationField => ({
  ...numberField(key, { label, unit: '', default: null }),
  default: initial,
  type: 'string',
});

/** The descriptor from which user interfaces make the form of an automation. */
export function automationDescriptor(declaration: AutomationDeclaration): AutomationDescriptor {
  const { name, displayName, help, parameters, texts = {}, ignored = {} } = declaration;
  const fields = [
    ...Object.entries(ignored).map(([key, one]) => ({ ...numberField(key, one), disabled: one.isDisabled ?? false })),
    ...Object.entries(parameters).map(([key, one]) => numberField(key, one)),
    ...Object.entries(texts).map(([key, one]) => textField(key, one)),
  ];
  return {
    display_name: displayName,
    automation_name: name,
    description: help,
    source: null,
    fields,
  };
}

const range = ({ min, max }: AutomationParameter) => ({
  ...(min === undefined ? {} : { min }),
  ...(max === undefined ? {} : { max }),
});

const settingDeclaration = (parameter: AutomationParameter): JobSettingDeclaration => ({
  type: 'float',
  ...range(parameter),
  ...(parameter.outside === undefined ? {} : { outside: parameter.outside }),
  ...(parameter.lowerIsSafer && { lowerIsSafer: true }),
  ...(parameter.unit === '' ? {} : { unit: parameter.unit }),
});

/** The job clamps the start value of a parameter with `outside: 'clamp'`, so its option has no range. */
const optionDeclaration = (parameter: AutomationParameter): JobOptionDeclaration => ({
  type: 'float',
  ...(parameter.outside === undefined ? range(parameter) : {}),
  ...(parameter.default === null || parameter.outside !== undefined ? { required: true } : {}),
});

const mapValues = <One, Other>(
  all: Readonly<Record<string, One>>,
  change: (one: One) => Other,
): Record<string, Other> => Object.fromEntries(Object.entries(all).map(([key, one]) => [key, change(one)]));

/** The options and settings of a job that runs this automation. */
export function automationVariant(declaration: AutomationDeclaration): JobVariant {
  const { help, parameters, texts = {}, options = {}, ignored = {}, usesJobs } = declaration;
  return {
    help,
    ...(usesJobs !== undefined && { usesJobs }),
    settings: {
      ...mapValues(parameters, settingDeclaration),
      ...mapValues(texts, (): JobSettingDeclaration => ({ type: 'string' })),
    },
    options: {
      ...mapValues(parameters, optionDeclaration),
      ...mapValues(texts, (): JobOptionDeclaration => ({ type: 'string' })),
      ...options,
      ...mapValues(ignored, (): JobOptionDeclaration => ({ type: 'float' })),
    },
  };
}

/** The variants of a job, by `automation_name`. */
export const automationVariants = (all: readonly AutomationDeclaration[]): Readonly<Record<string, JobVariant>> =>
  Object.fromEntries(all.map((one) => [one.name, automationVariant(one)]));
