import { type PwmChannel, pwmChannels } from '../board-layout.ts';
import { type LedName, ledNames } from '../chips/led-driver.ts';

/** An output by its place on the board: `pwm1` … `pwm5`, `ledA` … `ledD`. */
export type OutputId = `pwm${PwmChannel}` | `led${LedName}`;

/** All outputs, in the order in which they are switched off: what moves liquid or heats before light. */
export const outputIds: readonly OutputId[] = [
  ...pwmChannels.map((channel): OutputId => `pwm${channel}`),
  ...ledNames.map((led): OutputId => `led${led}`),
];

export type PwmUse = 'heater' | 'pump' | 'stirrer' | 'other';

/** The device on a PWM channel. A channel without an entry can only be off. */
export interface PwmWiring {
  readonly use: PwmUse;
  readonly hertz: number;
}

export type Wiring = Readonly<Partial<Record<PwmChannel, PwmWiring>>>;

/** The usual wiring of a unit, with its usual frequencies. */
export const defaultWiring: Wiring = {
  1: { use: 'stirrer', hertz: 200 },
  2: { use: 'pump', hertz: 250 },
  3: { use: 'pump', hertz: 250 },
  4: { use: 'pump', hertz: 250 },
  5: { use: 'heater', hertz: 16 },
};

/** Temperatures of the heater's board in degrees Celsius, of the reactor's model; each acts when it is reached. */
export interface HeatLimits {
  /** From here on the heater's level is cut by a tenth with each reading. */
  readonly reduceCelsius: number;
  /** The heater is off until the board is below `reduceCelsius`. */
  readonly disableCelsius: number;
  /** The heater is off; seen in several readings in a row, until a job that is newer takes it. */
  readonly shutdownCelsius: number;
}

/** The limits of one pump. A run lasts until the pump is off; an hour is any hour, not one by the clock. */
export interface PumpLimits {
  readonly maxRunMs: number;
  readonly maxRunMl: number;
  readonly maxHourMs: number;
  readonly maxHourMl: number;
  /** Flow at 100 %; at other levels in proportion. An upper bound. */
  readonly mlPerSecondAtFull: number;
}

/** A run of a pump that a guard did not see, because it is new. */
export interface PastRun {
  readonly output: OutputId;
  readonly percent: number;
  readonly ranMs: number;
  /** Milliseconds since its end. */
  readonly endedAgoMs: number;
}

export interface GuardLimits {
  readonly heat: HeatLimits;
  readonly pumps: Readonly<Partial<Record<PwmChannel, PumpLimits>>>;
}

/** `generation` numbers the runs of jobs on a unit, growing: a stop refuses all commands up to its own. */
export type GuardRequest =
  /** null: the model is unknown; heater and pumps stay off. An output whose own limits change is switched off. */
  | { readonly kind: 'limits'; readonly limits: GuardLimits | null }
  /** Effective as soon as no lease holds a PWM output; until then no lease is granted for one whose use or frequency changes. */
  | { readonly kind: 'wiring'; readonly wiring: Wiring }
  | {
      readonly kind: 'acquire';
      readonly lease: string;
      readonly generation: number;
      readonly outputs: readonly OutputId[];
    }
  /** Earlier pump runs: they count towards the hourly limit. Their only effect is that runs are refused. */
  | { readonly kind: 'past_runs'; readonly runs: readonly PastRun[] }
  /** Also a heartbeat of the node, even with an empty list. */
  | { readonly kind: 'renew'; readonly leases: readonly string[] }
  | {
      readonly kind: 'set';
      readonly lease: string;
      readonly generation: number;
      readonly output: OutputId;
      readonly percent: number;
      /** After this time the guard switches the output off by itself; required for a pump that is to run. */
      readonly forMs?: number;
    }
  | { readonly kind: 'release'; readonly lease: string }
  /** Without `outputs`: all. */
  | { readonly kind: 'stop'; readonly generation: number; readonly outputs?: readonly OutputId[] };

export type RefusalCode =
  | 'bad_request'
  | 'stopped'
  | 'no_lease'
  | 'output_taken'
  | 'wiring_changes'
  | 'unknown_output'
  | 'no_limits'
  | 'no_temperature'
  | 'too_hot'
  | 'shut_down'
  | 'sensor_detached'
  | 'duration_needed'
  | 'pump_time'
  | 'pump_volume'
  | 'output_failed';

export type GuardResponse = { readonly ok: true } | { readonly ok: false; readonly code: RefusalCode };

/** An action of the guard by itself. */
export type GuardNotice =
  | { readonly what: 'lease_lost'; readonly lease: string; readonly outputs: readonly OutputId[] }
  | { readonly what: 'parent_lost' }
  | { readonly what: 'all_off' }
  /** `value`: degrees Celsius, or milliseconds without a reading. */
  | {
      readonly what: 'limit';
      readonly output: OutputId;
      readonly limit: 'reduce' | 'disable' | 'shutdown' | 'no_temperature' | 'sensor_detached';
      readonly value: number;
    }
  /**
   * The heater has another level than the node knows: because of its temperature, its new limits or a failure of its output; or it has the
   * requested level again. `requested`: what the job wants, 0 when that is void.
   */
  | { readonly what: 'overridden'; readonly output: OutputId; readonly percent: number; readonly requested: number }
  /** A time given with `set` is over; `ranMs`: how long the output was on. */
  | { readonly what: 'ended'; readonly output: OutputId; readonly ranMs: number }
  /** It has not run for all of its time: its own limits have changed, or it went off because it could not be set again. */
  | { readonly what: 'cut'; readonly output: OutputId; readonly ranMs: number }
  | { readonly what: 'output_failed'; readonly output: OutputId; readonly reason: string };
