import { type Static, type TSchema, Type } from 'typebox';
import { ChartDescriptor } from './chart.ts';
import { closed, Nullable } from './common.ts';
import { AutomationField, DescribedSetting } from './descriptor.ts';
import { ReadingSource } from './time-series.ts';

/*
 * Descriptors as plugins and people write them, one YAML file each. What is left out has a default; a field that is not
 * known is an error, because it is misspelt.
 */

const optional = <Schema extends TSchema>(schema: Schema) => Type.Optional(schema);

const SettingInFile = closed({
  key: DescribedSetting.properties.key,
  type: DescribedSetting.properties.type,
  display: DescribedSetting.properties.display,
  description: optional(DescribedSetting.properties.description),
  default: optional(DescribedSetting.properties.default),
  unit: optional(DescribedSetting.properties.unit),
  label: optional(DescribedSetting.properties.label),
  editable: optional(DescribedSetting.properties.editable),
  min: optional(DescribedSetting.properties.min),
  max: optional(DescribedSetting.properties.max),
});
export type SettingInFile = Static<typeof SettingInFile>;

const shown = {
  display_name: Type.String(),
  display: Type.Boolean(),
  published_settings: Type.Array(SettingInFile),
  source: optional(Nullable(Type.String())),
  description: optional(Nullable(Type.String())),
  subtext: optional(Nullable(Type.String())),
};

export const JobFile = closed({ job_name: Type.String(), ...shown, is_testing: optional(Type.Boolean()) });
export type JobFile = Static<typeof JobFile>;

export const SettingsFile = closed({ key: Type.String(), ...shown });
export type SettingsFile = Static<typeof SettingsFile>;

const FieldInFile = closed({
  key: AutomationField.properties.key,
  default: AutomationField.properties.default,
  label: AutomationField.properties.label,
  disabled: optional(AutomationField.properties.disabled),
  required: optional(AutomationField.properties.required),
  unit: optional(Nullable(Type.String())),
  type: optional(AutomationField.properties.type),
  options: optional(AutomationField.properties.options),
});

export const AutomationFile = closed({
  automation_name: Type.String(),
  display_name: Type.String(),
  description: Type.String(),
  source: optional(Nullable(Type.String())),
  fields: optional(Type.Array(FieldInFile)),
});
export type AutomationFile = Static<typeof AutomationFile>;

const chart = ChartDescriptor.properties;

export const ChartFile = closed({
  chart_key: chart.chart_key,
  data_source: chart.data_source,
  title: chart.title,
  source: chart.source,
  y_axis_label: chart.y_axis_label,
  fixed_decimals: chart.fixed_decimals,
  down_sample: optional(chart.down_sample),
  mqtt_topic: optional(chart.mqtt_topic),
  lookback: optional(
    Type.Union([Type.Number({ minimum: 0 }), Type.String()], {
      description: 'Hours. A text that is no number was an expression for another program: everything is loaded',
    }),
  ),
  data_source_column: optional(chart.data_source_column),
  payload_key: optional(chart.payload_key),
  y_transformation: optional(chart.y_transformation),
  y_axis_domain: optional(chart.y_axis_domain),
  interpolation: optional(
    Type.Union(
      [
        ...['basis', 'bundle', 'cardinal', 'catmullRom', 'linear', 'none', 'monotoneX', 'monotoneY', 'natural'],
        ...['step', 'stepAfter', 'stepBefore'],
      ].map((word) => Type.Literal(word)),
    ),
  ),
});
export type ChartFile = Static<typeof ChartFile>;

const reading = ReadingSource.properties;

/** A source of readings that a plugin records. */
export const ReadingFile = closed({
  name: reading.name,
  label: optional(reading.label),
  unit: optional(reading.unit),
  decimals: optional(Type.Integer({ minimum: 0, maximum: 7 })),
  job: optional(reading.job),
});
export type ReadingFile = Static<typeof ReadingFile>;
