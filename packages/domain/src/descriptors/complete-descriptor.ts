import type {
  AutomationDescriptor,
  AutomationFile,
  ChartDescriptor,
  ChartFile,
  DescribedSetting,
  JobDescriptor,
  JobFile,
  ReadingFile,
  ReadingSource,
  SettingInFile,
  SettingsDescriptor,
  SettingsFile,
} from '@lcs/contract';
import { isBuiltInSource, isSourceName, readingSource } from '../readings/reading-sources.ts';

/** More than eleven years: all data. */
export const everythingHours = 100_000;

/** A descriptor whose fields are valid one by one but not together; `path`: the field. */
export class InvalidDescriptor extends Error {
  readonly path: readonly (string | number)[];
  constructor(path: readonly (string | number)[], message: string) {
    super(message);
    this.path = path;
  }
}

function expectDistinct(items: readonly { readonly key: string }[], at: string): void {
  const seen = new Set<string>();
  for (const [index, { key }] of items.entries()) {
    if (seen.has(key)) throw new InvalidDescriptor([at, index, 'key'], `The key '${key}' must occur only once.`);
    seen.add(key);
  }
}

function completeSetting(setting: SettingInFile, index: number): DescribedSetting {
  const at = ['published_settings', index];
  const { min = null, max = null, label = null } = setting;
  if (min !== null && max !== null && min > max) {
    throw new InvalidDescriptor([...at, 'min'], `min (${min}) must not be above max (${max}).`);
  }
  if (setting.display && (label === null || label.trim() === '')) {
    throw new InvalidDescriptor(at, `'${setting.key}' is displayed and must have a label.`);
  }
  return {
    key: setting.key,
    type: setting.type,
    display: setting.display,
    description: setting.description ?? null,
    default: setting.default ?? null,
    unit: setting.unit ?? null,
    label,
    editable: setting.editable ?? true,
    min,
    max,
  };
}

function completeSettings(settings: readonly SettingInFile[]): DescribedSetting[] {
  expectDistinct(settings, 'published_settings');
  return settings.map(completeSetting);
}

/** A job's descriptor with all its fields. @throws InvalidDescriptor */
export const completeJob = (file: JobFile): JobDescriptor => ({
  display_name: file.display_name,
  job_name: file.job_name,
  display: file.display,
  published_settings: completeSettings(file.published_settings),
  source: file.source ?? null,
  description: file.description ?? null,
  subtext: file.subtext ?? null,
  is_testing: file.is_testing ?? false,
});

/** A collection of settings with all its fields. @throws InvalidDescriptor */
export const completeSettingsCollection = (file: SettingsFile): SettingsDescriptor => ({
  key: file.key,
  display_name: file.display_name,
  display: file.display,
  published_settings: completeSettings(file.published_settings),
  source: file.source ?? null,
  description: file.description ?? null,
  subtext: file.subtext ?? null,
});

/** An automation's descriptor with all its fields. @throws InvalidDescriptor */
export function completeAutomation(file: AutomationFile): AutomationDescriptor {
  const { fields = [] } = file;
  expectDistinct(fields, 'fields');
  return {
    display_name: file.display_name,
    automation_name: file.automation_name,
    description: file.description,
    source: file.source ?? null,
    fields: fields.map((field, index) => {
      const { type = 'numeric', options = null } = field;
      if (type === 'select' && (options === null || options.length === 0)) {
        throw new InvalidDescriptor(['fields', index], `'${field.key}' is a select and must have options.`);
      }
      return {
        key: field.key,
        default: field.default,
        label: field.label,
        disabled: field.disabled ?? false,
        required: field.required ?? true,
        unit: field.unit ?? '',
        type,
        options,
      };
    }),
  };
}

/** Hours, rounded up; a value that is not a number means all data. */
function lookbackHours(lookback: ChartFile['lookback']): number {
  const hours = typeof lookback === 'string' ? Number(lookback.trim() || Number.NaN) : (lookback ?? everythingHours);
  return Number.isFinite(hours) && hours >= 0 ? Math.ceil(hours) : everythingHours;
}

/** A chart's descriptor with all its fields. */
export const completeChart = (file: ChartFile): ChartDescriptor => ({
  chart_key: file.chart_key,
  data_source: file.data_source,
  title: file.title,
  source: file.source,
  y_axis_label: file.y_axis_label,
  fixed_decimals: file.fixed_decimals,
  down_sample: file.down_sample ?? true,
  mqtt_topic: file.mqtt_topic ?? null,
  lookback: lookbackHours(file.lookback),
  data_source_column: file.data_source_column ?? null,
  payload_key: file.payload_key ?? null,
  y_transformation: file.y_transformation ?? '(y) => y',
  y_axis_domain: file.y_axis_domain ?? null,
  interpolation: file.interpolation ?? 'stepAfter',
});

/** A plugin's source of readings with all its fields. */
export function completeReading({ name, label = name, unit, decimals, job = null }: ReadingFile): ReadingSource {
  if (!isSourceName(name))
    throw new InvalidDescriptor(['name'], 'The name must consist of letters, digits and underscores.');
  if (isBuiltInSource(name)) throw new InvalidDescriptor(['name'], `The name '${name}' is that of a built-in source.`);
  const source = readingSource(name);
  return { name, label, unit: unit ?? source.unit, decimals: decimals ?? source.decimals, job };
}
