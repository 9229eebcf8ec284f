import { type Static, Type } from 'typebox';
import { closed, Nullable } from './common.ts';

const Source = Type.String({ description: '`app`, or the plugin that defines it' });

/** One published setting, as its control or its value is drawn. */
export const DescribedSetting = closed(
  {
    key: Type.String(),
    type: Type.Union([Type.Literal('numeric'), Type.Literal('boolean'), Type.Literal('string'), Type.Literal('json')]),
    display: Type.Boolean(),
    description: Nullable(Type.String()),
    default: Type.Union([Type.Number(), Type.String(), Type.Boolean(), Type.Null()]),
    unit: Nullable(Type.String()),
    label: Nullable(Type.String({ description: 'Present where `display` is true' })),
    editable: Type.Boolean(),
    min: Nullable(Type.Number()),
    max: Nullable(Type.Number()),
  },
  { title: 'DescribedSetting' },
);
export type DescribedSetting = Static<typeof DescribedSetting>;

/** How the web UI shows a job. */
export const JobDescriptor = closed(
  {
    display_name: Type.String(),
    job_name: Type.String(),
    display: Type.Boolean({ description: 'Whether it is shown among the jobs that people start' }),
    published_settings: Type.Array(DescribedSetting),
    source: Nullable(Source),
    description: Nullable(Type.String()),
    subtext: Nullable(Type.String({ description: 'Key of the setting whose value is shown below the name' })),
    is_testing: Type.Boolean(),
  },
  { title: 'JobDescriptor' },
);
export type JobDescriptor = Static<typeof JobDescriptor>;

/** Values of a unit that belong to no job, such as the volume in its vial. */
export const SettingsDescriptor = closed(
  {
    key: Type.String(),
    display_name: Type.String(),
    display: Type.Boolean(),
    published_settings: Type.Array(DescribedSetting),
    source: Nullable(Source),
    description: Nullable(Type.String()),
    subtext: Nullable(Type.String()),
  },
  { title: 'SettingsDescriptor' },
);
export type SettingsDescriptor = Static<typeof SettingsDescriptor>;

export const AutomationField = closed(
  {
    key: Type.String(),
    default: Type.Union([Type.Number(), Type.String(), Type.Boolean(), Type.Null()]),
    label: Type.String(),
    disabled: Type.Boolean(),
    required: Type.Boolean(),
    unit: Type.String({ description: 'Empty when there is none' }),
    type: Type.Union([
      Type.Literal('numeric'),
      Type.Literal('string'),
      Type.Literal('select'),
      Type.Literal('boolean'),
    ]),
    options: Nullable(Type.Array(Type.String())),
  },
  { title: 'AutomationField' },
);
export type AutomationField = Static<typeof AutomationField>;

/** A kind of an automation, with the fields that its start form has. */
export const AutomationDescriptor = closed(
  {
    display_name: Type.String(),
    automation_name: Type.String(),
    description: Type.String(),
    source: Nullable(Source),
    fields: Type.Array(AutomationField),
  },
  { title: 'AutomationDescriptor' },
);
export type AutomationDescriptor = Static<typeof AutomationDescriptor>;

/** A descriptor file that cannot be used, and is left out. */
export const DescriptorProblem = closed(
  {
    kind: Type.String({ description: '`jobs`, `settings`, `charts`, `readings`, `automations/dosing`, …' }),
    file: Type.String({ description: 'Below the data folder' }),
    line: Nullable(Type.Integer({ minimum: 1 })),
    reason: Type.String(),
  },
  { title: 'DescriptorProblem' },
);
export type DescriptorProblem = Static<typeof DescriptorProblem>;
