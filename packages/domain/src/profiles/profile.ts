import type { Json } from '@lcs/contract';

/** True, false, or an expression for it (with or without `${{ }}`). */
export type ProfileCondition = boolean | string;

interface ActionBase {
  readonly hours_elapsed: number | null;
  /** A number of hours, or `10s`, `15m`, `1.5h`, `2d`. */
  readonly t: number | string | null;
  readonly if: ProfileCondition;
}

/** Values by name. A text that is exactly one `${{ expression }}` is replaced by its value. */
export type ProfileValues = { readonly [name: string]: Json };

export const profileLogLevels = ['DEBUG', 'INFO', 'NOTICE', 'WARNING', 'ERROR'] as const;
export type ProfileLogLevel = (typeof profileLogLevels)[number];

export interface LogAction extends ActionBase {
  readonly type: 'log';
  /** `level` as it was written, in upper or lower case. */
  readonly options: { readonly message: string; readonly level: string };
}

export interface StartAction extends ActionBase {
  readonly type: 'start';
  readonly options: ProfileValues;
  readonly args: readonly string[];
  /** Overrides of section `<job>.config`, for this run only. */
  readonly config_overrides: ProfileValues;
}

export interface UpdateAction extends ActionBase {
  readonly type: 'update';
  readonly options: ProfileValues;
}

export interface PauseResumeStopAction extends ActionBase {
  readonly type: 'pause' | 'resume' | 'stop';
}

/** An action at one time. */
export type BasicAction = LogAction | StartAction | UpdateAction | PauseResumeStopAction;

export interface RepeatAction extends ActionBase {
  readonly type: 'repeat';
  readonly repeat_every_hours: number | null;
  readonly every: number | string | null;
  readonly while: ProfileCondition;
  readonly max_hours: number | null;
  readonly max_time: number | string | null;
  readonly actions: readonly BasicAction[];
}

export interface WhenAction extends ActionBase {
  readonly type: 'when';
  readonly condition: ProfileCondition | null;
  readonly wait_until: ProfileCondition | null;
  readonly actions: readonly ProfileAction[];
}

export type ProfileAction = BasicAction | RepeatAction | WhenAction;

export interface ProfileJob {
  readonly actions: readonly ProfileAction[];
  readonly description: string | null;
}

/** By job name, in the order of the file. */
export type ProfileJobs = Readonly<Record<string, ProfileJob>>;

export interface ProfilePlugin {
  readonly name: string;
  /** `1.2.3`, `==1.2.3`, `>=1.2.3`, `<=1.2.3`. */
  readonly version: string;
}

/** What becomes of actions that were missed while the leader was off. */
export const lateActionPolicies = ['run', 'skip', 'ask'] as const;
export type LateActionPolicy = (typeof lateActionPolicies)[number];

/** An experiment profile: timed actions on jobs. Every field is present, with its default. */
export interface Profile {
  readonly version: string;
  readonly experiment_profile_name: string;
  readonly metadata: { readonly author: string | null; readonly description: string | null };
  readonly plugins: readonly ProfilePlugin[];
  /** For every unit. */
  readonly common: { readonly jobs: ProfileJobs };
  /** By unit. */
  readonly reactors: Readonly<Record<string, { readonly label: string | null; readonly jobs: ProfileJobs }>>;
  /** Global variables of expressions. */
  readonly inputs: ProfileValues;
  /** Null: as `skip`, but missed messages are logged late. */
  readonly late_actions: LateActionPolicy | null;
}

/** The profile of an empty file. `name`: of the file, without its extension. */
export const placeholderProfile = (name: string): Profile => ({
  version: '1.0',
  experiment_profile_name: `temporary name: ${name}`,
  metadata: { author: null, description: null },
  plugins: [],
  common: { jobs: {} },
  reactors: {},
  inputs: {},
  late_actions: null,
});
