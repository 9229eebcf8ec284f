import type { Json } from '@lcs/contract';
import type { JobOptions, JobSettings } from '@lcs/domain';

export type PluginLogLevel = 'DEBUG' | 'INFO' | 'NOTICE' | 'WARNING' | 'ERROR';

/** The node's configuration when the job was started: section, key, text as written. */
export type PluginConfig = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** A measured or computed value, kept for ever. */
export interface PluginReading {
  /** Which series: `od`, `growth_rate`, or one of the plugin's own. */
  readonly source: string;
  readonly channel?: string;
  /** Finite. */
  readonly value: number;
  /** Milliseconds since 1970. Default: now. */
  readonly atMs?: number;
  readonly flags?: readonly string[];
}

/** The node's clock. */
export interface PluginClock {
  /** Milliseconds since 1970, as the node has it. */
  now(): number;
  /** Rejects when the job ends meanwhile. */
  sleep(delayMs: number): Promise<void>;
}

/** Where the optical readings of the unit are in time, for jobs that disturb light. */
export interface OpticalPhase {
  /** `off`: none are planned. `ended`: until the next one anything may move. */
  readonly phase: 'off' | 'begun' | 'ended';
  /** Milliseconds until the next reading begins, and from one to the next. Null when `off`. */
  readonly nextInMs: number | null;
  readonly intervalMs: number | null;
}

/** The right to drive outputs, given by the guard. It ends with the job, whatever the job does. */
export interface OutputLease {
  /**
   * Percent, 0 to 100. `forMs`: for that many milliseconds, then the guard switches it off by itself, whatever becomes of the
   * plugin; pumps run no other way, and within the guard's limits of a run and of an hour. Rejects when the guard refuses.
   * What a pump has moved is told with `event('dosing', {event: 'add_media', volume_change_ml: 0.5})`, so that it counts.
   */
  set(output: string, percent: number, forMs?: number): Promise<void>;
  /** Switches the outputs off and gives them back. */
  release(): Promise<void>;
}

/** The node as a job of a plugin sees it. Everything that it starts through this ends with it. */
export interface PluginJobContext {
  readonly unit: string;
  readonly experiment: string;
  readonly jobId: number;
  readonly jobName: string;
  readonly model: { readonly name: string; readonly version: string } | undefined;
  /** As declared, checked. */
  readonly options: Readonly<Record<string, string | number | boolean | readonly (string | number | boolean)[]>>;
  readonly config: PluginConfig;
  readonly clock: PluginClock;
  /** Aborted when the job must end. */
  readonly signal: AbortSignal;
  /** Runs `action` every `intervalMs` on a fixed grid, never overlapping, not while the job sleeps. Returns what ends it. */
  repeat(intervalMs: number, action: () => void | Promise<void>): () => void;
  /** Value of one of its settings; null when it has none. */
  setting(name: string): Json;
  /** Publishes one of its declared settings; null clears it. */
  publish(name: string, value: Json): void;
  /** Records a sample. */
  reading(reading: PluginReading): void;
  /** Records that something happened. */
  event(name: string, data: Readonly<Record<string, Json>>, message?: string): void;
  /** To the event log that people read. */
  log(level: PluginLogLevel, message: string): void;
  /** Hears readings of the unit's jobs by `<source>` or `<source>/<channel>`. */
  onReading(key: string, listener: (reading: PluginReading) => void | Promise<void>): void;
  /** Hears a setting of another job each time it is published. */
  onSetting(job: string, setting: string, listener: (value: Json) => void | Promise<void>): void;
  /** Hears the state of another job: `init`, `ready`, `sleeping`, `disconnected`. */
  onState(job: string, listener: (state: string) => void | Promise<void>): void;
  /** Hears where the optical readings are, first where they are now. */
  onOpticalReading(listener: (phase: OpticalPhase) => void | Promise<void>): void;
  /** Takes outputs (`pwm1` to `pwm5`, `ledA` to `ledD`). Only for jobs that declare `drivesOutputs`. */
  lease(outputs: readonly string[]): Promise<OutputLease>;
}

/** A job that is up. */
export interface RunningPluginJob {
  /** For jobs that end by themselves. */
  readonly done?: Promise<unknown>;
  sleep?(): void | Promise<void>;
  wake?(): void | Promise<void>;
  /** Takes over new values that fit their declarations. Throwing SettingRefused leaves everything as it was. */
  apply?(values: Readonly<Record<string, Json>>): void | Promise<void>;
  /** Leaves things as they should be found: it has 5 s. */
  stop?(): void | Promise<void>;
}

/** A kind of job, as data and one function. */
export interface PluginJob {
  /** Small letters, digits, `_`; the name of no built-in job. */
  readonly name: string;
  /** What it does, in a sentence for people. */
  readonly help?: string;
  /** Drives heater, pumps, stirrer, LEDs or anything else on an output. */
  readonly drivesOutputs?: boolean;
  /** When it is stopped among all jobs of the unit. Default: `heat_and_pwm` when it drives outputs, else `rest`. */
  readonly stopGroup?: 'pumps' | 'heat_and_pwm' | 'automations' | 'rest' | 'leds';
  readonly settings?: JobSettings;
  readonly options?: JobOptions;
  /** Brings the job up; it is ready when this resolves. It has 10 s. */
  start(context: PluginJobContext): undefined | RunningPluginJob | Promise<undefined | RunningPluginJob>;
}
