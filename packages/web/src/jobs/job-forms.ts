import type { AutomationDescriptor, AutomationField, Capability, DescribedSetting } from '@lcs/contract';
import { biomassSignalSetting, thermostatAutomation } from '@lcs/domain';
import { labelFromName, numberFault, unitInName, unitText } from '../forms/field-rules.ts';
import { commonWords } from '../words/common.ts';
import { jobFormsWords } from '../words/job-forms.ts';
import { type BiomassChoice, signalOfTarget } from './biomass-choices.ts';
import { type LastValue, lastValueOf, onPresentScale, proposedLast } from './last-used.ts';

type CapabilityOption = Capability['options'][number];

/** One option of the start of a job. */
export interface StartField {
  readonly name: string;
  readonly label: string;
  readonly help: string | null;
  /** `scale`: the biomass signal, which is the scale of a target. */
  readonly kind: 'number' | 'text' | 'choice' | 'switch' | 'scale';
  /** A density: of the signal that the start names, or of this one. `null`: another number. */
  readonly densityOf: 'chosen' | 'normalized_od' | null;
  /** Takes several values, separated by commas. */
  readonly isMultiple: boolean;
  readonly unit: string | null;
  readonly isRequired: boolean;
  readonly isInteger: boolean;
  readonly min: number | null;
  readonly max: number | null;
  /** Of a choice. */
  readonly choices: readonly string[];
  /** What an empty field means on the unit, or on several with different values as text; `null`: not known, or nothing. */
  readonly configured: number | string | null;
  /** The initial value; empty: none. */
  readonly initial: number | string;
  /** Of the last run of the job on this unit; `null`: none. */
  readonly lastUsed: LastValue | null;
  /** Shown at once; the others on demand. */
  readonly isMain: boolean;
}

/** A kind of an automation. */
export interface StartVariant {
  readonly name: string;
  readonly label: string;
  readonly help: string;
  readonly fields: readonly StartField[];
  /** When it ended last on this unit, and whether a person had started it; `null`: it has not run. */
  readonly lastRun: { readonly atMs: number; readonly isByPerson: boolean } | null;
  /** Why it cannot be started on this unit; `null`: it can, as far as is known. */
  readonly missing: string | null;
}

/** How a job is started: fields, or one of several kinds with fields of its own. */
export interface StartForm {
  readonly fields: readonly StartField[];
  readonly variants: readonly StartVariant[];
  /** Whether the unit has reported its options. */
  readonly isWhole: boolean;
}

function kindOf({ type, choices, multiple }: CapabilityOption): StartField['kind'] {
  if (multiple) return 'text';
  if (type === 'boolean') return 'switch';
  if (type === 'text') return choices === undefined ? 'text' : 'choice';
  return 'number';
}

/** Options of a start that no descriptor describes, in words. */
const optionLabels: ReadonlyMap<string, string> = new Map(Object.entries(jobFormsWords.optionLabels));
const optionHelp: ReadonlyMap<string, string> = new Map(Object.entries(jobFormsWords.optionHelp));

const labelOfOption = (name: string): string => optionLabels.get(name) ?? labelFromName(name);

/** A field for an option that a unit reports. */
export function fieldOfOption(
  option: CapabilityOption,
  described: DescribedSetting | undefined,
  lastUsed: Capability['last_used'],
): StartField {
  const { name, help, required, type, unit, min = null, max = null, choices = [], multiple } = option;
  return {
    name,
    label: described?.label ?? labelOfOption(name),
    help: help || described?.description || optionHelp.get(name) || null,
    kind: kindOf(option),
    lastUsed: lastValueOf(name, kindOf(option), lastUsed),
    densityOf: null,
    isMultiple: multiple,
    unit: unitText(unit ?? described?.unit) ?? unitInName(name),
    isRequired: required,
    isInteger: type === 'integer',
    min: min ?? described?.min ?? null,
    max: max ?? described?.max ?? null,
    choices,
    configured: typeof option.default === 'number' || typeof option.default === 'string' ? option.default : null,
    initial: '',
    isMain: required || described?.display === true,
  };
}

const kinds: { readonly [Type in AutomationField['type']]: StartField['kind'] } = {
  numeric: 'number',
  string: 'text',
  select: 'choice',
  boolean: 'switch',
};

const initialOf = (value: AutomationField['default']): number | string => {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return value ?? '';
};

/** A field of an automation from its descriptor, within the limits that a unit reports. */
function fieldOfAutomation(
  automation: string,
  field: AutomationField,
  option: CapabilityOption | undefined,
  lastUsed: Capability['last_used'],
): StartField {
  const { key, label, type, unit, required, options, default: initial } = field;
  const known = option && fieldOfOption(option, undefined, lastUsed);
  const isScale = key === biomassSignalSetting;
  const kind = isScale ? 'scale' : kinds[type];
  // A person chooses the scale each time: the same number means other densities on other scales. Nobody has entered a heat that is a default.
  const isChosen = isScale || (automation === thermostatAutomation.name && key === 'target_temperature');
  return {
    name: key,
    label,
    help: known?.help ?? null,
    kind,
    lastUsed: lastValueOf(key, kind, lastUsed),
    densityOf: signalOfTarget(automation, key),
    isMultiple: false,
    unit: unitText(unit) ?? known?.unit ?? null,
    isRequired: isScale || required,
    isInteger: known?.isInteger ?? false,
    min: known?.min ?? null,
    max: known?.max ?? null,
    choices: options ?? known?.choices ?? [],
    configured: known?.configured ?? null,
    initial: isChosen ? '' : initialOf(initial),
    isMain: true,
  };
}

/**
 * The form of one kind of an automation: the fields of its descriptor, then the unit's further options. Fields that cannot be
 * changed, and those that the unit does not have, are left out.
 */
export function automationFields(
  descriptor: AutomationDescriptor | undefined,
  capability: Capability | undefined,
  settings: readonly DescribedSetting[],
): readonly StartField[] {
  const options = capability?.options ?? [];
  const fields = (descriptor?.fields ?? [])
    .filter(({ key, disabled }) => !disabled && (capability === undefined || options.some(({ name }) => name === key)))
    .map((field) =>
      fieldOfAutomation(
        descriptor?.automation_name ?? '',
        field,
        options.find(({ name }) => name === field.key),
        capability?.last_used,
      ),
    );
  const described = new Set(['automation_name', ...(descriptor?.fields ?? []).map(({ key }) => key)]);
  const further = options
    .filter(({ name, is_developer }) => !described.has(name) && is_developer !== true)
    .map((option) => {
      const field = fieldOfOption(
        option,
        settings.find(({ key }) => key === option.name),
        capability?.last_used,
      );
      return descriptor === undefined ? field : { ...field, isMain: field.isRequired };
    });
  // The scale comes before the number that it is the scale of.
  const isScale = ({ kind }: StartField): boolean => kind === 'scale';
  return [...fields.filter(isScale), ...fields.filter((field) => !isScale(field)), ...further];
}

/** The entered values, by field; a missing or empty value was not entered. */
export type StartValues = Readonly<Record<string, number | string>>;

/** The value of a field: the entered one, otherwise the last used or the initial one. */
export const enteredIn = (field: StartField, values: StartValues): number | string =>
  values[field.name] ?? proposedLast(field, values)?.value ?? field.initial;

/** Volumes of doses: an automation that doses nothing each time does nothing. */
const doseVolumes: ReadonlySet<string> = new Set(['exchange_volume_ml', 'dosing_volume_ml']);

/** Why a volume of a dose cannot be used; `null`: it can, or the number is of something else. */
export const doseFault = (name: string, value: number | string): string | null =>
  doseVolumes.has(name) && typeof value === 'number' && value <= 0 ? jobFormsWords.mustBeAbove0 : null;

/** Why the value of a field cannot be used; `null`: it can. */
export function fieldFault(field: StartField, values: StartValues): string | null {
  const value = enteredIn(field, values);
  if (field.kind === 'number') return numberFault(field, value) ?? doseFault(field.name, value);
  if (String(value).trim() === '') {
    if (!field.isRequired) return null;
    return field.kind === 'scale' ? jobFormsWords.chooseOne : commonWords.valueIsNeeded;
  }
  if (field.kind === 'choice' && !field.choices.includes(String(value)))
    return jobFormsWords.oneOfIsNeeded(field.choices.join(', '));
  return null;
}

/** The kind that ran last, if a person had started it and it can be started; `null`: none. */
export function lastVariant({ variants }: StartForm): string | null {
  const last = variants
    .filter(({ lastRun }) => lastRun !== null)
    .sort((left, right) => (right.lastRun?.atMs ?? 0) - (left.lastRun?.atMs ?? 0))[0];
  return last?.missing === null && last.lastRun?.isByPerson === true ? last.name : null;
}

/** The kind that a person started last, otherwise the first one that can be started. */
export const proposedVariant = (form: StartForm): string | null =>
  lastVariant(form) ?? form.variants.find(({ missing }) => missing === null)?.name ?? null;

type OptionValue = number | string | boolean | readonly string[];

function optionOf(field: StartField, values: StartValues): OptionValue | undefined {
  const value = enteredIn(field, values);
  const text = String(value).trim();
  if (text === '') return undefined;
  if (field.kind === 'number') return typeof value === 'number' ? value : undefined;
  if (field.kind === 'switch') return text === 'yes';
  if (!field.isMultiple) return text;
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

/** The form without last targets that were numbers of another scale than the one that their signal has now. */
export function formOnScales(form: StartForm, choices: readonly Pick<BiomassChoice, 'signal' | 'scale'>[]): StartForm {
  const scaleOf = (signal: string) => choices.find((choice) => choice.signal === signal)?.scale;
  const settled = (fields: readonly StartField[]) => fields.map((field) => onPresentScale(field, scaleOf));
  return {
    ...form,
    fields: settled(form.fields),
    variants: form.variants.map((variant) => ({ ...variant, fields: settled(variant.fields) })),
  };
}

/** The fields of the form for a kind of a job. */
export const fieldsFor = ({ fields, variants }: StartForm, variant: string | null): readonly StartField[] => [
  ...fields,
  ...(variants.find(({ name }) => name === variant)?.fields ?? []),
];

/** The options of a start: what was left empty stays as configured. */
export function startOptions(
  form: StartForm,
  variant: string | null,
  values: StartValues,
): Readonly<Record<string, OptionValue>> {
  const named = fieldsFor(form, variant).flatMap((field) => {
    const value = optionOf(field, values);
    return value === undefined ? [] : [[field.name, value] as const];
  });
  return { ...(variant === null ? {} : { automation_name: variant }), ...Object.fromEntries(named) };
}

/** Whether a job can be started without asking anything. */
export const needsNoQuestion = ({ fields, variants, isWhole }: StartForm): boolean =>
  isWhole && fields.length === 0 && variants.length === 0;
