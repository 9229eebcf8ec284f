import type { JobWarning, Json, RunJob } from '@lcs/contract';
import type { JobOptions, JobSettings } from '@lcs/domain';
import type { Clock, IniView } from '@lcs/platform';
import type { BusPosition, BusTopic, ListenOptions } from './job-bus.ts';
import type { OptionValues } from './job-options.ts';
import type { EndReason, JobStateKind } from './job-state.ts';

/** Levels of the experiment's event log. */
export type JobLogLevel = 'DEBUG' | 'INFO' | 'NOTICE' | 'WARNING' | 'ERROR' | 'CRITICAL';

/** The job that something comes from. */
export interface JobOrigin {
  readonly jobId: number;
  readonly jobName: string;
  readonly experiment: string;
  /** Null for experiments that are unknown to the node. */
  readonly experimentUid: string | null;
  /** How the job was started. */
  readonly jobSource: string;
  /** How the job was started that this one continues after a restart of the node: a stop of the first source also ends it. */
  readonly resumedSource?: string;
  /** Name of the person or program that started it; absent: the node itself, or nobody has an account. */
  readonly startedBy?: string;
}

/** A measured or computed value. */
export interface JobReading {
  /** Which series: `od`, `growth_rate`, … */
  readonly source: string;
  readonly channel?: string;
  /** Degrees. */
  readonly angle?: number;
  readonly value: number;
  /** Milliseconds since 1970; absent: now. */
  readonly atMs?: number;
  readonly flags?: readonly string[];
  /** The upper limit of the measurement: the true value is this or higher. For other jobs; it is not stored. */
  readonly isLeast?: boolean;
  /** The value before smoothing, where that differs. For other jobs; it is not stored. */
  readonly unsmoothed?: number;
  /** The settings at the time of the measurement. */
  readonly context?: Readonly<Record<string, Json>>;
  readonly derivation?: Readonly<Record<string, Json>>;
}

/** An event, kept permanently. */
export interface JobEvent {
  readonly name: string;
  readonly message?: string;
  readonly data: Readonly<Record<string, Json>>;
}

/** The bus between the jobs of one node. */
export interface JobTopics {
  /** By `<source>` or `<source>/<channel>`. */
  readonly readings: BusTopic<JobReading & { readonly atMs: number }>;
  /** By the name of the event. */
  readonly events: BusTopic<JobEvent>;
  /** By job name. */
  readonly states: BusTopic<{ readonly jobId: number; readonly state: JobStateKind }>;
  /** By `<job name>/<setting>`. */
  readonly settings: BusTopic<Json>;
}

/** The right to drive outputs, granted by their guard. After the job's end every use of it is rejected. */
export interface ActuatorLease {
  /**
   * Sets an output to a level in its own unit. `forMs`: the guard switches it off after this time; required for pumps. Rejects when the
   * guard rejects.
   */
  set(output: string, level: number, forMs?: number): Promise<void>;
  /** Makes the outputs safe and releases them. */
  release(): Promise<void>;
}

/** Receives the level of an output that the guard has changed by itself, and the requested level when the output has that again. */
export type OverrideListener = (output: string, level: number) => void;

/** The interface to the guard of the outputs. A job's ID is its generation: IDs only grow, and a revoked one is never reused. */
export interface ActuatorPort {
  acquire(job: JobOrigin, outputs: readonly string[], onOverridden?: OverrideListener): Promise<ActuatorLease>;
  /** Rejects all further requests of this job and makes its outputs safe. */
  revoke(jobId: number): Promise<void>;
}

/** The context of a job. Everything that a job starts through it ends with the job, and a throw in it ends only this job. */
export interface JobContext extends JobOrigin {
  readonly unit: string;
  readonly model: { readonly name: string; readonly version: string } | undefined;
  readonly options: OptionValues;
  readonly args: readonly string[];
  /** The configuration with the overrides of this run. */
  readonly config: IniView;
  /** Its timers stop with the job. */
  readonly clock: Clock;
  /** Aborted when the job ends. */
  readonly signal: AbortSignal;
  readonly topics: JobTopics;
  /**
   * Runs `action` every `intervalMs` on a fixed grid, never overlapping (a late one skips an interval), not while the job sleeps.
   */
  repeat(intervalMs: number, action: () => void | Promise<void>): () => void;
  listen<Value>(
    topic: BusTopic<Value>,
    listener: (value: Value, key: string, mark: BusPosition) => void | Promise<void>,
    options?: ListenOptions,
  ): () => void;
  /** The value of one of its settings; null when it has none. */
  setting(name: string): Json;
  /** Publishes one of its declared settings; null clears it. */
  publish(name: string, value: Json): void;
  reading(reading: JobReading): void;
  event(event: JobEvent): void;
  log(level: JobLogLevel, message: string): void;
  lease(outputs: readonly string[], onOverridden?: OverrideListener): Promise<ActuatorLease>;
  /** Puts the job to sleep until a user wakes it after correcting the fault. Does not wait for it. */
  rest(): void;
}

/** Options of a change of settings. */
export interface ChangeOptions {
  /** Its confirmation of pumps that dilute at once: see `UpdateJobSettings`. */
  readonly confirmsDilution?: boolean | undefined;
}

/** A started job. */
export interface Job {
  /** For jobs that end by themselves: resolves when the work is done, rejects when it has failed. */
  readonly done?: Promise<unknown>;
  sleep?(): void | Promise<void>;
  wake?(): void | Promise<void>;
  /**
   * Applies new valid values before they are published. Throw SettingRefused to leave everything unchanged.
   */
  apply?(values: Readonly<Record<string, Json>>): void | Promise<void>;
  /** The immediate consequences of these values that a user must confirm. Changes nothing. */
  warningOf?(values: Readonly<Record<string, Json>>): JobWarning | undefined;
  /** Cleans up; `why`: the reason of the end. Timers and listeners have already ended. */
  stop?(why: EndReason): void | Promise<void>;
}

/** Values that the job cannot apply; the message is one sentence for the client. */
export class SettingRefused extends Error {
  readonly setting: string;
  constructor(setting: string, message: string) {
    super(message);
    this.name = 'SettingRefused';
    this.setting = setting;
  }
}

/** A validated start. */
export interface JobRequest {
  readonly definition: JobDefinition;
  readonly options: OptionValues;
  readonly args: readonly string[];
  readonly overrides: readonly (readonly [section: string, key: string, value: string])[];
  /** Absent: the experiment to which the unit is assigned. */
  readonly experiment: string | undefined;
  readonly source: string;
  /** See `JobOrigin`. */
  readonly resumedSource?: string;
  /** See `JobOrigin`. */
  readonly startedBy?: string;
  /** Absent: the node's own value. */
  readonly isActive: boolean | undefined;
  readonly model: { readonly name: string; readonly version: string } | undefined;
  /** The original body, to resume the job after a restart. */
  readonly body: RunJob;
  /** Only for a job that resumes after a restart. */
  readonly restored?: RestoredSettings;
}

/** The effective settings of an interrupted job. */
interface RestoredSettings {
  /** All of them, by name. */
  readonly values: Readonly<Record<string, Json>>;
  /** Those without a start option: the job applies them before it is ready. */
  readonly toApply: Readonly<Record<string, Json>>;
  readonly isAsleep: boolean;
  /** Those that the job no longer accepts, with the reason. */
  readonly lost: readonly { readonly setting: string; readonly cause: string }[];
}

/** The state of the node at the time of a start request. */
export interface NodeNow {
  readonly topics: JobTopics;
  readonly clock: Clock;
  /** The configuration with the overrides of this start. */
  readonly config: IniView;
}

/** The additions of one kind of an automation to its job. */
interface JobDefinitionVariant {
  readonly help?: string;
  readonly settings: JobSettings;
  readonly options: JobOptions;
  readonly usesJobs?: readonly string[];
}

/** A word that a start has after the name of the job. */
export interface JobArgument {
  readonly name: string;
  readonly isRequired: boolean;
  /** Any number of words. */
  readonly isList?: true;
}

/** Something else that a job does, chosen by the first word after its name: `od_blank delete`. It needs no part of the board. */
interface JobCommand {
  readonly word: string;
  readonly help: string;
  readonly takes?: readonly JobArgument[];
  readonly options?: JobOptions;
}

/** A kind of job, as data and one function. */
export interface JobDefinition {
  /** `^[a-z][a-z0-9_]{0,63}$`, but not a reserved word. */
  readonly name: string;
  /** What it does, in a sentence for users. */
  readonly help?: string;
  /** Jobs that cannot run at the same time, because they need the same hardware. */
  readonly excludes?: readonly string[];
  /** Whether another job must not start while this one runs. One-sided: this job itself checks what runs when it starts. */
  refusesStartOf?(other: JobDefinition): boolean;
  /** Not affected by "stop all", and runs on inactive units. */
  readonly isLongRunning?: boolean;
  /**
   * Serves the whole cluster, not the vial of this node: orders of the unit's document (a move, a release) do not affect it, and the
   * unit's heartbeat omits it.
   */
  readonly servesCluster?: boolean;
  /** Several may run at a time: actions such as a dose. They are not resumed, unless `isResumedAction`. */
  readonly allowsSeveral?: boolean;
  /** A running action resumes after a restart: `start` with source `resume` implements it. */
  readonly isResumedAction?: boolean;
  /** Drives heater, pumps, stirrer or an LED other than the infrared one. */
  readonly isActuating: boolean;
  readonly stopGroup: StopGroup;
  /** It may run pumps whatever its group: a stop of pumps ends it, its start and its resumption, also before it has taken the output of a pump. */
  readonly mayRunPumps?: boolean;
  /** Jobs of the same node that it needs while it runs. */
  readonly usesJobs?: readonly string[];
  readonly settings: JobSettings;
  readonly options: JobOptions;
  /** The values that options get from the configuration, for forms. @throws ConfigValueError */
  optionDefaults?(config: IniView): Readonly<Record<string, number | string>>;
  /** Kinds of an automation by `automation_name`, each with settings and options of its own. */
  readonly variants?: Readonly<Record<string, JobDefinitionVariant>>;
  /** The words after its name, for the list of capabilities; `argsFault` checks them. */
  readonly takes?: readonly JobArgument[];
  readonly commands?: readonly JobCommand[];
  /** The reason for rejecting these arguments. Without it a job accepts none. */
  argsFault?(args: readonly string[]): string | undefined;
  /** The experiment that these arguments name, for jobs that receive it so. Otherwise the environment of the start has it. */
  experimentOf?(args: readonly string[]): string | undefined;
  /** Checks a request before it is accepted; throws an ApiError to reject it. */
  validate?(request: JobRequest): void;
  /**
   * Whether this start only reduces outputs: it is then done even if the disk rejects its record, which follows afterwards. Default: no.
   */
  isSafer?(request: JobRequest): boolean;
  /** The immediate consequences of a start that a user must confirm. Changes nothing. */
  warningOf?(request: JobRequest, node: NodeNow): JobWarning | undefined;
  /**
   * Starts the job. It is ready when this resolves. The options of a resumed job have its earlier settings. `apply` and `sleep` of the job
   * may follow at once, before any timer of it: drive outputs from a timer, not in `start`.
   */
  start(context: JobContext): Job | Promise<Job>;
}

/** The group with which a job is stopped: its start and its resumption, too. */
export const effectiveStopGroup = ({
  stopGroup,
  mayRunPumps,
}: Pick<JobDefinition, 'stopGroup' | 'mayRunPumps'>): StopGroup => (mayRunPumps === true ? 'pumps' : stopGroup);

/** Whether a job may resume after a restart of the node. */
export const isResumable = ({
  allowsSeveral,
  isResumedAction,
}: Pick<JobDefinition, 'allowsSeveral' | 'isResumedAction'>): boolean =>
  allowsSeveral !== true || isResumedAction === true;

/** Words of the topic tree that cannot be names of jobs. */
const reservedNames = new Set([
  'run',
  'dosing_events',
  'leds',
  'led_change_events',
  'unit_label',
  'pwm',
  'pwms',
  'assignment',
  'logs',
  'bioreactor',
  'pid_log',
]);

/** Why a definition is not valid: a mistake in the program or the plugin. */
export function definitionFault({ name, variants }: Pick<JobDefinition, 'name' | 'variants'>): string | undefined {
  if (!/^[a-z][a-z0-9_]{0,63}$/.test(name) || reservedNames.has(name))
    return `${name} is a reserved name and cannot be the name of a job.`;
  // The configuration section of a job ends in `.config`; an automation with that name would share it.
  return variants !== undefined && Object.hasOwn(variants, 'config')
    ? 'The name config is reserved and cannot be the name of an automation.'
    : undefined;
}

/** The outputs of a job determine the order of its stop: pumps first, then heater and stirrer, the light last. */
const stopOrder = ['pumps', 'heat_and_pwm', 'automations', 'rest', 'leds'] as const;
export type StopGroup = (typeof stopOrder)[number];

/** Groups of jobs that are stopped one after the other; those of a group at the same time. */
export function inStopOrder<Job>(jobs: Iterable<Job>, groupOf: (job: Job) => StopGroup): readonly (readonly Job[])[] {
  const all = [...jobs];
  return stopOrder.map((group) => all.filter((job) => groupOf(job) === group)).filter((group) => group.length > 0);
}
