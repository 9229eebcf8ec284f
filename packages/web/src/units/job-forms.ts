import type { DescribedSetting } from '@lcs/contract';
import {
  builtInJobs,
  type JobDeclaration,
  type JobOptionDeclaration,
  type JobOptions,
  type JobSettings,
} from '@lcs/domain';

/** One thing that can be said when a job is started. */
export interface StartField {
  readonly name: string;
  readonly label: string;
  readonly unit: string | null;
  readonly isRequired: boolean;
  readonly min: number | null;
  readonly max: number | null;
  /** Asked at once; the others only on demand. */
  readonly isMain: boolean;
}

/** A kind of an automation. */
interface StartVariant {
  readonly name: string;
  readonly label: string;
  readonly help: string;
  readonly fields: readonly StartField[];
}

/** How a job is started: fields, or one of several kinds with fields of its own. */
export interface StartForm {
  readonly fields: readonly StartField[];
  readonly variants: readonly StartVariant[];
}

/** `target_rpm` → `Target rpm` */
export const wordsOf = (name: string): string => {
  const words = name.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
};

type NumericOption = Extract<JobOptionDeclaration, { readonly type: 'float' | 'integer' }>;
const isNumeric = (option: JobOptionDeclaration): option is NumericOption =>
  option.type === 'float' || option.type === 'integer';

const rangeOf = (setting: JobSettings[string] | undefined): { readonly min?: number; readonly max?: number } =>
  setting?.type === 'float' || setting?.type === 'integer' ? setting : {};

function fieldsOf(
  options: JobOptions,
  settings: JobSettings,
  described: readonly DescribedSetting[],
): readonly StartField[] {
  return Object.entries(options).flatMap(([name, option]) => {
    if (!isNumeric(option)) return [];
    const shown = described.find(({ key, display }) => key === name && display);
    const range = { ...rangeOf(settings[name]), ...option };
    return [
      {
        name,
        label: shown?.label ?? wordsOf(name),
        unit: shown?.unit ?? settings[name]?.unit ?? null,
        isRequired: option.required ?? false,
        min: range.min ?? null,
        max: range.max ?? null,
        isMain: shown !== undefined || option.required === true,
      },
    ];
  });
}

/** What is asked before a job starts. */
function startForm({ options, settings, variants = {}, descriptor }: JobDeclaration): StartForm {
  const described = descriptor?.published_settings ?? [];
  return {
    fields: fieldsOf(options, settings, described),
    variants: Object.entries(variants).map(([name, variant]) => ({
      name,
      label: wordsOf(name),
      help: variant.help,
      fields: fieldsOf(variant.options, variant.settings, described),
    })),
  };
}

/** A job that people see, with all they can do with it. */
export interface ShownJob {
  readonly name: string;
  readonly title: string;
  readonly help: string;
  readonly form: StartForm;
  /** Values of a running job that are shown and changed. */
  readonly settings: readonly DescribedSetting[];
  /** The setting whose value stands beside the name. */
  readonly subtext: string | null;
}

function settingsOf({ settings, variants = {}, descriptor }: JobDeclaration): readonly DescribedSetting[] {
  const all: JobSettings = Object.assign({}, settings, ...Object.values(variants).map((variant) => variant.settings));
  return (descriptor?.published_settings ?? [])
    .filter(({ display }) => display)
    .map((setting) => {
      const range = rangeOf(all[setting.key]);
      return { ...setting, min: setting.min ?? range.min ?? null, max: setting.max ?? range.max ?? null };
    });
}

/** The jobs that people see, in the order of the screen. */
export const shownJobs: readonly ShownJob[] = builtInJobs.flatMap((declaration) =>
  declaration.descriptor?.display
    ? [
        {
          name: declaration.name,
          title: declaration.descriptor.display_name,
          help: declaration.descriptor.description ?? declaration.help,
          form: startForm(declaration),
          settings: settingsOf(declaration),
          subtext: declaration.descriptor.subtext,
        },
      ]
    : [],
);

export type StartValues = Readonly<Record<string, number | '' | undefined>>;

/** Why a value cannot be used; `null`: it can. */
export function fieldFault(
  field: Pick<StartField, 'isRequired' | 'min' | 'max' | 'unit'>,
  value: number | string | undefined,
): string | null {
  if (value === '' || value === undefined) return field.isRequired ? 'A value is needed.' : null;
  const unit = field.unit === null ? '' : ` ${field.unit}`;
  if (typeof value !== 'number' || !Number.isFinite(value)) return 'Not a number.';
  if (field.min !== null && value < field.min) return `At least ${field.min}${unit}.`;
  if (field.max !== null && value > field.max) return `At most ${field.max}${unit}.`;
  return null;
}

/** The options of a start: what was left empty stays as configured. */
export function startOptions(
  form: StartForm,
  variant: string | null,
  values: StartValues,
): Record<string, number | string> {
  const fields = [...form.fields, ...(form.variants.find(({ name }) => name === variant)?.fields ?? [])];
  const named = fields.flatMap(({ name }) => {
    const value = values[name];
    return typeof value === 'number' ? [[name, value] as const] : [];
  });
  return { ...(variant === null ? {} : { automation_name: variant }), ...Object.fromEntries(named) };
}

/** Whether a job can be started without asking anything. */
export const needsNoQuestion = ({ fields, variants }: StartForm): boolean =>
  fields.length === 0 && variants.length === 0;
