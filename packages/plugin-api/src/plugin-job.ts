import type { Json } from '@lcs/contract';
import type { JobOptions, JobSettings } from '@lcs/domain';

export type PluginLogLevel = 'DEBUG' | 'INFO' | 'NOTICE' | 'WARNING' | 'ERROR';

/** The node's configuration at the start of the job: section, key, text as written. */
export type PluginConfig = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** A measured or computed value; it is stored permanently. */
export interface PluginReading {
  /** The name of the series: `od`, `growth_rate`, or one of the plugin's own. */
  readonly source: string;
  readonly channel?: string;
  /** A finite number. */
  readonly value: number;
  /** Milliseconds since 1970. Default: now. */
  readonly atMs?: number;
  readonly flags?: readonly string[];
}

/** The node's clock. */
export interface PluginClock {
  /** Milliseconds since 1970, by the node's clock. */
  now(): number;
  /** Rejects if the job ends first. */
  sleep(delayMs: number): Promise<void>;
}

/** The phase of the unit's optical readings, for jobs that disturb light. */
export interface OpticalPhase {
  /** `off`: no readings are planned. `ended`: jobs may disturb the light until the next reading. */
  readonly phase: 'off' | 'begun' | 'ended';
  /** Milliseconds until the next reading begins, and between readings. Null when `off`. */
  readonly nextInMs: number | null;
  readonly intervalMs: number | null;
}

/** The right to drive outputs, granted by the guard. It always ends with the job. */
export interface OutputLease {
  /**
   * Drives an output at 0 to 100 %. `forMs`: the guard switches it off after that many milliseconds, even if the plugin has ended;
   * required for pumps, within the guard's limits of a run and of an hour. Rejects when the guard refuses.
   * Report the volume that a pump has moved with `event('dosing', {event: 'add_media', volume_change_ml: 0.5})`.
   */
  set(output: string, percent: number, forMs?: number): Promise<void>;
  /** Switches the outputs off and releases them. */
  release(): Promise<void>;
}

/** The node, for a job of a plugin. Everything that the job starts through it ends with the job. */
export interface PluginJobContext {
  readonly unit: string;
  readonly experiment: string;
  readonly jobId: number;
  readonly jobName: string;
  readonly model: { readonly name: string; readonly version: string } | undefined;
  /** Validated by the declarations. */
  readonly options: Readonly<Record<string, string | number | boolean | readonly (string | number | boolean)[]>>;
  readonly config: PluginConfig;
  readonly clock: PluginClock;
  /** Aborted when the job must end. */
  readonly signal: AbortSignal;
  /** Runs `action` every `intervalMs` on a fixed grid, never overlapping, not while the job sleeps. Returns a function that stops it. */
  repeat(intervalMs: number, action: () => void | Promise<void>): () => void;
  /** The value of one of its settings; null when it has none. */
  setting(name: string): Json;
  /** Publishes one of its declared settings; null clears it. */
  publish(name: string, value: Json): void;
  /** Records a sample. */
  reading(reading: PluginReading): void;
  /** Records an event. */
  event(name: string, data: Readonly<Record<string, Json>>, message?: string): void;
  /** Writes to the event log. */
  log(level: PluginLogLevel, message: string): void;
  /** Subscribes to readings of the unit's jobs, by `<source>` or `<source>/<channel>`. */
  onReading(key: string, listener: (reading: PluginReading) => void | Promise<void>): void;
  /** Subscribes to a setting of another job. */
  onSetting(job: string, setting: string, listener: (value: Json) => void | Promise<void>): void;
  /** Subscribes to the state of another job: `init`, `ready`, `sleeping`, `disconnected`. */
  onState(job: string, listener: (state: string) => void | Promise<void>): void;
  /** Subscribes to the phases of the optical readings; the first call is the present phase. */
  onOpticalReading(listener: (phase: OpticalPhase) => void | Promise<void>): void;
  /** Takes outputs (`pwm1` to `pwm5`, `ledA` to `ledD`). Only for jobs that declare `drivesOutputs`. */
  lease(outputs: readonly string[]): Promise<OutputLease>;
}

/** A job that is ready. */
export interface RunningPluginJob {
  /** Resolves when the job ends by itself. */
  readonly done?: Promise<unknown>;
  sleep?(): void | Promise<void>;
  wake?(): void | Promise<void>;
  /** Applies new, validated values. If it throws SettingRefused, all settings keep their values. */
  apply?(values: Readonly<Record<string, Json>>): void | Promise<void>;
  /** Cleans up within 5 s. */
  stop?(): void | Promise<void>;
}

/** A job, as data and one function. */
export interface PluginJob {
  /** Small letters, digits and `_`; names of built-in jobs are reserved. */
  readonly name: string;
  /** One sentence for people. */
  readonly help?: string;
  /** It drives heater, pumps, stirrer, LEDs or another device on an output. */
  readonly drivesOutputs?: boolean;
  /**
   * Its position when all jobs of the unit are stopped. Default: `heat_and_pwm` when it drives outputs, else `rest`. Declare `pumps` when it
   * runs pumps. A stop of pumps also ends a job that drives outputs and declares nothing, its start, and its resumption after a restart: it
   * may run pumps. Whatever a job declares, a stop of pumps ends it when it has taken the output of a pump.
   */
  readonly stopGroup?: 'pumps' | 'heat_and_pwm' | 'automations' | 'rest' | 'leds';
  /** Jobs of the unit that it needs while it runs: a person who stops one of them is asked about this job. */
  readonly usesJobs?: readonly string[];
  readonly settings?: JobSettings;
  readonly options?: JobOptions;
  /** Starts the job within 10 s; it is ready when this resolves. */
  start(context: PluginJobContext): undefined | RunningPluginJob | Promise<undefined | RunningPluginJob>;
}
