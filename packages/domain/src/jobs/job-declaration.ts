import type { Json } from '@lcs/contract';

/** A value that a job publishes: its type, its unit, and whether others may change it. */
export type JobSettingDeclaration =
  | (JobSettingBase & {
      readonly type: 'float' | 'integer';
      readonly min?: number;
      readonly max?: number;
      /** What happens to a value outside the range. Default `refuse`. */
      readonly outside?: 'refuse' | 'clamp';
      readonly default?: number;
    })
  | (JobSettingBase & { readonly type: 'boolean'; readonly default?: boolean })
  | (JobSettingBase & { readonly type: 'string'; readonly choices?: readonly string[]; readonly default?: string })
  | (JobSettingBase & { readonly type: 'json'; readonly default?: Json });

interface JobSettingBase {
  /** `RPM`, `%`, … for people. */
  readonly unit?: string;
  /** Published, but changed by the job only. */
  readonly readOnly?: boolean;
  /** Null is a value of it. */
  readonly nullable?: boolean;
}

interface JobOptionBase {
  readonly required?: boolean;
  /** Takes a list; only then is one understood. */
  readonly multiple?: boolean;
}

/** Something that can be said when a job is started. */
export type JobOptionDeclaration =
  | (JobOptionBase & { readonly type: 'float' | 'integer'; readonly min?: number; readonly max?: number })
  | (JobOptionBase & { readonly type: 'boolean' })
  | (JobOptionBase & { readonly type: 'string'; readonly choices?: readonly string[] });

/** By name, as published. */
export type JobSettings = Readonly<Record<string, JobSettingDeclaration>>;
/** By name, written with `_`. */
export type JobOptions = Readonly<Record<string, JobOptionDeclaration>>;

/** One setting as a control of the job is drawn. */
export interface DescribedSetting {
  readonly key: string;
  readonly type: 'numeric' | 'string' | 'boolean' | 'json';
  readonly display: boolean;
  readonly description: string;
  readonly default: number | string | boolean | null;
  readonly unit: string | null;
  readonly label: string;
  readonly editable: boolean;
  readonly min: number | null;
  readonly max: number | null;
}

/** A job as people see it. */
export interface JobDescriptor {
  readonly display_name: string;
  readonly job_name: string;
  readonly display: boolean;
  readonly published_settings: readonly DescribedSetting[];
  /** `app`, or the plugin that brought it. */
  readonly source: string;
  readonly description: string;
  /** Setting whose value is shown below the name. */
  readonly subtext: string | null;
  readonly is_testing: boolean;
}

/** A kind of an automation, with what it has beyond the job's own. */
export interface JobVariant {
  readonly help: string;
  readonly settings: JobSettings;
  readonly options: JobOptions;
}

/** All about a built-in job that is not its code. */
export interface JobDeclaration {
  readonly name: string;
  readonly help: string;
  readonly settings: JobSettings;
  readonly options: JobOptions;
  /** By `automation_name`. */
  readonly variants?: Readonly<Record<string, JobVariant>>;
  /** `null`: the job is not shown among those that people start. */
  readonly descriptor: JobDescriptor | null;
}
