import type { JobDescriptor, Json } from '@lcs/contract';

/** A value that a job publishes: its type, its unit, and whether others may change it. */
export type JobSettingDeclaration =
  | (JobSettingBase & {
      readonly type: 'float' | 'integer';
      readonly min?: number;
      readonly max?: number;
      /** What happens to a value outside the range. Default `refuse`. */
      readonly outside?: 'refuse' | 'clamp';
      readonly default?: number;
      /** The more, the more is driven: a lower value is applied whatever the disk is. */
      readonly lowerIsSafer?: true;
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
  /** Stays shown after the end of the job, until the job clears it. */
  readonly outlivesJob?: boolean;
}

interface JobOptionBase {
  readonly required?: boolean;
  /** Takes a list; only then is one understood. */
  readonly multiple?: boolean;
  /** For tests and programs: no form offers it. */
  readonly isDeveloper?: true;
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
