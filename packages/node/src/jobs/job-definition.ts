import type { JobWarning, Json, RunJob } from '@lcs/contract';
import type { JobOptions, JobSettings } from '@lcs/domain';
import type { Clock, IniView } from '@lcs/platform';
import type { BusMark, BusTopic, ListenOptions } from './job-bus.ts';
import type { OptionValues } from './job-options.ts';
import type { EndReason, JobStateKind } from './job-state.ts';
import type { StopGroup } from './stop-order.ts';

/** Levels of the experiment log that users read. */
export type JobLogLevel = 'DEBUG' | 'INFO' | 'NOTICE' | 'WARNING' | 'ERROR' | 'CRITICAL';

/** Which job something comes from. */
export interface JobOrigin {
  readonly jobId: number;
  readonly jobName: string;
  readonly experiment: string;
  /** Null for experiments that the node was never told about. */
  readonly experimentUid: string | null;
  /** Who started the job. */
  readonly jobSource: string;
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
  /** What measures ended here: the true value is this or higher. For other jobs; it is not stored. */
  readonly isLeast?: boolean;
  /** What was in force when it was measured. */
  readonly context?: Readonly<Record<string, Json>>;
  readonly derivation?: Readonly<Record<string, Json>>;
}

/** Something that happened, kept for ever. */
export interface JobEvent {
  readonly name: string;
  readonly message?: string;
  readonly data: Readonly<Record<string, Json>>;
}

/** What jobs of one node tell each other. */
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

/** The right to drive outputs, given by whoever guards them. After the job's end every use of it is refused. */
export interface ActuatorLease {
  /**
   * Sets an output to a level in its own unit. `forMs`: the guard then switches it off by itself; pumps run no other way.
   * Rejects when the guard refuses.
   */
  set(output: string, level: number, forMs?: number): Promise<void>;
  /** Makes the outputs safe and gives them back. */
  release(): Promise<void>;
}

/** The way to the guard of the outputs. A job's id is its generation: ids only grow, and a revoked one never returns. */
export interface ActuatorPort {
  acquire(job: JobOrigin, outputs: readonly string[]): Promise<ActuatorLease>;
  /** Refuses everything of this job from now on and makes its outputs safe. */
  revoke(jobId: number): Promise<void>;
}

/** What a job is given. Whatever it starts through this ends with it, and a throw in it ends only this job. */
export interface JobContext extends JobOrigin {
  readonly unit: string;
  readonly model: { readonly name: string; readonly version: string } | undefined;
  readonly options: OptionValues;
  readonly args: readonly string[];
  /** The configuration with the overrides of this run. */
  readonly config: IniView;
  /** Its timers stop with the job. */
  readonly clock: Clock;
  /** Aborted when the job must end. */
  readonly signal: AbortSignal;
  readonly topics: JobTopics;
  /**
   * Runs `action` every `intervalMs` on a fixed grid, never overlapping (a late one skips a beat), not while the job sleeps.
   */
  repeat(intervalMs: number, action: () => void | Promise<void>): () => void;
  listen<Value>(
    topic: BusTopic<Value>,
    listener: (value: Value, key: string, mark: BusMark) => void | Promise<void>,
    options?: ListenOptions,
  ): () => void;
  /** The value of one of its settings; null when it has none. */
  setting(name: string): Json;
  /** Publishes one of its declared settings; null clears it. */
  publish(name: string, value: Json): void;
  reading(reading: JobReading): void;
  event(event: JobEvent): void;
  log(level: JobLogLevel, message: string): void;
  lease(outputs: readonly string[]): Promise<ActuatorLease>;
  /** Puts the job to sleep, as a person would; whoever wakes it up has looked at what was wrong. Does not wait for it. */
  rest(): void;
}

/** How a change of settings is meant. */
export interface ChangeOptions {
  /** What it says about pumps that dilute at once: see `UpdateJobSettings`. */
  readonly confirmsDilution?: boolean | undefined;
}

/** A job that is up. */
export interface Job {
  /** For jobs that end by themselves: resolves when the work is done, rejects when it failed. */
  readonly done?: Promise<unknown>;
  sleep?(): void | Promise<void>;
  wake?(): void | Promise<void>;
  /**
   * Takes over new values that fit their declarations, before they are published. Throwing SettingRefused leaves everything
   * as it was.
   */
  apply?(values: Readonly<Record<string, Json>>): void | Promise<void>;
  /** What these values would do at once, and a person must know before. Changes nothing. */
  foresee?(values: Readonly<Record<string, Json>>): JobWarning | undefined;
  /** Leaves things as they should be found; `why` it ends. Timers and listeners are gone already. */
  stop?(why: EndReason): void | Promise<void>;
}

/** New values that the job cannot take; the message is one sentence for the caller. */
export class SettingRefused extends Error {
  readonly setting: string;
  constructor(setting: string, message: string) {
    super(message);
    this.name = 'SettingRefused';
    this.setting = setting;
  }
}

/** A start that was understood. */
export interface JobRequest {
  readonly definition: JobDefinition;
  readonly options: OptionValues;
  readonly args: readonly string[];
  readonly overrides: readonly (readonly [section: string, key: string, value: string])[];
  /** Absent: the experiment the unit is assigned to. */
  readonly experiment: string | undefined;
  readonly source: string;
  /** Absent: as the node knows it. */
  readonly isActive: boolean | undefined;
  readonly model: { readonly name: string; readonly version: string } | undefined;
  /** As it came, to start the job again after a restart. */
  readonly body: RunJob;
  /** Only of a job that goes on after a restart. */
  readonly restored?: RestoredSettings;
}

/** What was in force when a job was cut. */
interface RestoredSettings {
  /** All of them, by name. */
  readonly values: Readonly<Record<string, Json>>;
  /** Those that no option of the start can express: the job applies them before it is ready. */
  readonly toApply: Readonly<Record<string, Json>>;
  readonly isAsleep: boolean;
  /** Those that the job does not take any more, and why. */
  readonly lost: readonly { readonly setting: string; readonly cause: string }[];
}

/** What is so on the node when a start is asked for. */
export interface NodeNow {
  readonly topics: JobTopics;
  readonly clock: Clock;
  /** The configuration with the overrides of this start. */
  readonly config: IniView;
}

/** What one kind of an automation has beyond the job's own. */
interface JobDefinitionVariant {
  readonly help?: string;
  readonly settings: JobSettings;
  readonly options: JobOptions;
}

/** A kind of job, as data and one function. */
export interface JobDefinition {
  /** `^[a-z][a-z0-9_]{0,63}$`, and none of the reserved words. */
  readonly name: string;
  /** What it does, in a sentence for people. */
  readonly help?: string;
  /** Jobs that cannot run beside it, in either order: they need the same hardware. */
  readonly excludes?: readonly string[];
  /** Outlives "stop all", and runs on inactive units. */
  readonly isLongRunning?: boolean;
  /**
   * Serves the whole cluster, not the vial of this node: orders of the unit's document (a move, a release) spare it, and the
   * unit's heartbeat leaves it out.
   */
  readonly servesCluster?: boolean;
  /** Several may run at a time: actions such as a dose. They are not resumed, unless `isResumedAction`. */
  readonly allowsSeveral?: boolean;
  /** Of several that may run, the one that runs goes on after a restart: `start` with source `resume` knows how. */
  readonly isResumedAction?: boolean;
  /** Drives heater, pumps, stirrer or an LED other than the infrared one. */
  readonly isActuating: boolean;
  readonly stopGroup: StopGroup;
  readonly settings: JobSettings;
  readonly options: JobOptions;
  /** Kinds of an automation by `automation_name`, each with settings and options of its own. */
  readonly variants?: Readonly<Record<string, JobDefinitionVariant>>;
  /** Says why these words cannot be taken. Without it a job takes none. */
  refuseArgs?(args: readonly string[]): string | undefined;
  /** The experiment that these words name, for jobs that are told it so. Otherwise the environment of the start says it. */
  experimentOf?(args: readonly string[]): string | undefined;
  /** Looks at a request before it is accepted; throws an ApiError to refuse it. */
  admit?(request: JobRequest): void;
  /**
   * Whether this start only takes away from what is driven: it is then done whatever the disk is, and recorded afterwards.
   * Without it no start is.
   */
  isSafer?(request: JobRequest): boolean;
  /** What a start would do at once, and a person must know before. Changes nothing. */
  foresee?(request: JobRequest, node: NodeNow): JobWarning | undefined;
  /**
   * Brings the job up. It is ready when this resolves. The options of one that goes on after a restart have the settings that were
   * in force. `apply` and `sleep` of the job may follow at once, before anything that this has put on a timer: what an output gets
   * is decided there, not in `start`.
   */
  start(context: JobContext): Job | Promise<Job>;
}

/** Whether a job may go on after a restart of the node. */
export const isResumable = ({
  allowsSeveral,
  isResumedAction,
}: Pick<JobDefinition, 'allowsSeveral' | 'isResumedAction'>): boolean =>
  allowsSeveral !== true || isResumedAction === true;

/** Words of the topic tree that would collide with a job's name. */
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

/** @throws Error for a definition that cannot be: a mistake in the program or the plugin. */
export function checkDefinition({ name, variants }: JobDefinition): void {
  if (!/^[a-z][a-z0-9_]{0,63}$/.test(name) || reservedNames.has(name)) throw new Error(`No job can be called ${name}.`);
  // The configuration section of a job ends in `.config`; an automation of that name would share it.
  if (variants !== undefined && Object.hasOwn(variants, 'config'))
    throw new Error('No automation can be called config.');
}
