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
      /** A higher value drives an output harder: a lower value is applied even when the disk is full. */
      readonly lowerIsSafer?: true;
    })
  | (JobSettingBase & { readonly type: 'boolean'; readonly default?: boolean })
  | (JobSettingBase & { readonly type: 'string'; readonly choices?: readonly string[]; readonly default?: string })
  | (JobSettingBase & { readonly type: 'json'; readonly default?: Json });

interface JobSettingBase {
  /** `RPM`, `%`, … for people. */
  readonly unit?: string;
  /** Only the job changes it. */
  readonly readOnly?: boolean;
  /** Read-only, but it changes seldom: its value is recorded with those that people set. */
  readonly isKept?: true;
  /** Null is allowed. */
  readonly nullable?: boolean;
  /** Stays published after the end of the job, until the job clears it. */
  readonly outlivesJob?: boolean;
}

interface JobOptionBase {
  readonly required?: boolean;
  /** Accepts a list. */
  readonly multiple?: boolean;
  /** For tests and programs: forms do not show it. */
  readonly isDeveloper?: true;
}

/** An option of the start of a job. */
export type JobOptionDeclaration =
  | (JobOptionBase & { readonly type: 'float' | 'integer'; readonly min?: number; readonly max?: number })
  | (JobOptionBase & { readonly type: 'boolean' })
  | (JobOptionBase & { readonly type: 'string'; readonly choices?: readonly string[] });

/** By name, as published. */
export type JobSettings = Readonly<Record<string, JobSettingDeclaration>>;
/** By name, written with `_`. */
export type JobOptions = Readonly<Record<string, JobOptionDeclaration>>;

/** What becomes of a job without another one that it needs. */
export type WithoutUsed = 'waits' | 'goes on';

/** A variant of a job by automation, with its further settings and options. */
export interface JobVariant {
  readonly help: string;
  readonly settings: JobSettings;
  readonly options: JobOptions;
  /** As those of the job, which also count. */
  readonly usesJobs?: readonly string[];
}

/** The declaration of a built-in job. */
export interface JobDeclaration {
  readonly name: string;
  readonly help: string;
  readonly settings: JobSettings;
  readonly options: JobOptions;
  /** Jobs of the same unit whose effect or values it needs while it runs. */
  readonly usesJobs?: readonly string[];
  /** What it does while one of them is off: it has no values and waits, or it goes on with doubtful ones. */
  readonly withoutUsed?: WithoutUsed;
  /** By `automation_name`. */
  readonly variants?: Readonly<Record<string, JobVariant>>;
  /** `null`: user interfaces do not list the job. */
  readonly descriptor: JobDescriptor | null;
}
