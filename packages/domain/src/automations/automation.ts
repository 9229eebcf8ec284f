import type { AutomationDescriptor, AutomationField } from '@lcs/contract';
import type { JobOptionDeclaration, JobSettingDeclaration, JobVariant } from '../jobs/job-declaration.ts';

/** What automations work on; a job for each. */
export const automationTypes = ['dosing', 'led', 'temperature'] as const;
export type AutomationType = (typeof automationTypes)[number];

export const isAutomationType = (text: string): text is AutomationType => automationTypes.some((type) => type === text);

/** A number that people choose for an automation, and may change while it runs. */
export interface AutomationParameter {
  readonly label: string;
  /** For people; empty when it has none. */
  readonly unit: string;
  /** What a form begins with; null: nothing is usual. */
  readonly default: number | null;
  readonly min?: number;
  readonly max?: number;
  /** What becomes of a new value outside the range. Default: it is refused. */
  readonly outside?: 'clamp';
  /** The more, the more is driven: see `JobSettingDeclaration`. */
  readonly lowerIsSafer?: true;
}

/** A word that people choose for an automation. */
export interface AutomationText {
  readonly label: string;
  readonly default: string;
}

/** A number of the section `[<job>.<automation>]` of the configuration. */
export interface AutomationConstant {
  readonly default: number;
  readonly min?: number;
  readonly unit?: string;
  readonly description: string;
}

/** All about an automation that is not its rule. One file each; forms, options, settings and help are made from it. */
export interface AutomationDeclaration<Setting extends string = string, Constant extends string = string> {
  /** Word by which it is started. */
  readonly name: string;
  readonly displayName: string;
  /** What it does, in a sentence for people. */
  readonly help: string;
  readonly parameters: Readonly<Record<Setting, AutomationParameter>>;
  readonly texts?: Readonly<Record<string, AutomationText>>;
  /** Said at the start only. */
  readonly options?: Readonly<Record<string, JobOptionDeclaration>>;
  readonly constants?: Readonly<Record<Constant, AutomationConstant>>;
  /** What older programs say to it, which means nothing; some show a field for it. */
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

/** What a screen draws the form of an automation from. */
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

const settingOf = (parameter: AutomationParameter): JobSettingDeclaration => ({
  type: 'float',
  ...range(parameter),
  ...(parameter.outside === undefined ? {} : { outside: parameter.outside }),
  ...(parameter.lowerIsSafer && { lowerIsSafer: true }),
  ...(parameter.unit === '' ? {} : { unit: parameter.unit }),
});

/** A value that is clamped when it is changed is clamped at the start too, by the job. */
const optionOf = (parameter: AutomationParameter): JobOptionDeclaration => ({
  type: 'float',
  ...(parameter.outside === undefined ? range(parameter) : {}),
  ...(parameter.default === null || parameter.outside !== undefined ? { required: true } : {}),
});

const mapped = <One, Other>(all: Readonly<Record<string, One>>, change: (one: One) => Other): Record<string, Other> =>
  Object.fromEntries(Object.entries(all).map(([key, one]) => [key, change(one)]));

/** The options and settings that a job has when it runs this automation. */
export function automationVariant(declaration: AutomationDeclaration): JobVariant {
  const { help, parameters, texts = {}, options = {}, ignored = {} } = declaration;
  return {
    help,
    settings: {
      ...mapped(parameters, settingOf),
      ...mapped(texts, (): JobSettingDeclaration => ({ type: 'string' })),
    },
    options: {
      ...mapped(parameters, optionOf),
      ...mapped(texts, (): JobOptionDeclaration => ({ type: 'string' })),
      ...options,
      ...mapped(ignored, (): JobOptionDeclaration => ({ type: 'float' })),
    },
  };
}

/** The variants of a job, by `automation_name`. */
export const automationVariants = (all: readonly AutomationDeclaration[]): Readonly<Record<string, JobVariant>> =>
  Object.fromEntries(all.map((one) => [one.name, automationVariant(one)]));
