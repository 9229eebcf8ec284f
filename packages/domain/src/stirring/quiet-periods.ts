import type { OpticalReading } from '../od/optical-reading.ts';

/** Maximum duration of an optical reading, and duration of a speed measurement with its steps, ms. */
const readingMs = 1_000;
const measuringMs = 1_300;

/** Limits of the time that the stirrer gets to reach a new speed before it is measured, ms. */
const minSettleMs = 1_000;
const maxSettleMs = 2_500;

/** At shorter intervals there is hardly any stirring left, ms. */
const shortIntervalMs = 8_333;

/** What does not change during a run of the job. */
export interface QuietPeriodParameters {
  /** Without speed control there are no quiet periods. */
  readonly controlsSpeed: boolean;
  /** The stirrer is slow this long before a reading, and after it, ms. */
  readonly preDelayMs: number;
  readonly postDelayMs: number;
}

/** Each phase has at most one timer, which ends with it. */
export type QuietPeriodPhase =
  /** The job is paused, or not yet started. */
  | { readonly kind: 'paused'; readonly from: 'steady' | 'alternating' }
  /** One speed all the time. */
  | { readonly kind: 'steady' }
  /** Slow until the end of the reading. */
  | { readonly kind: 'quiet' }
  /** Slow until the delay after the reading is over. */
  | { readonly kind: 'leaving'; readonly nextAtMs: number }
  /** Fast; the speed is measured as soon as it is steady. */
  | { readonly kind: 'settling'; readonly quietAtMs: number }
  /** Fast until the next quiet period. */
  | { readonly kind: 'stirring' };

/** The state of the quiet periods; plain data. */
export interface QuietPeriodState {
  readonly phase: QuietPeriodPhase;
  /** The setting `enable_dodging_od`. */
  readonly isEnabled: boolean;
  /** Speeds during and outside readings. */
  readonly duringRpm: number;
  readonly outsideRpm: number;
  /** The interval of readings that the last notice was about. */
  readonly notifiedIntervalMs: number | undefined;
}

type QuietPeriodSettings = Partial<Pick<QuietPeriodState, 'isEnabled' | 'duringRpm' | 'outsideRpm'>>;

export type QuietPeriodEvent =
  | { readonly kind: 'timer' }
  /** The schedule of the readings has changed: see `optical`. */
  | { readonly kind: 'optical_reading' }
  /** `targetRpm`: the speed that a person requests. */
  | { readonly kind: 'set'; readonly settings: QuietPeriodSettings; readonly targetRpm?: number }
  | { readonly kind: 'pause' }
  /** Also after the start. */
  | { readonly kind: 'resume' };

/** An event with the present situation of the unit. */
export type QuietPeriodInput = QuietPeriodEvent & {
  /** Monotonic clock. */
  readonly nowMs: number;
  readonly optical: OpticalReading;
};

export type QuietPeriodNotice = 'speed_not_controlled' | 'no_time_to_stir' | 'little_time_to_stir';

export type QuietPeriodEffect =
  | { readonly kind: 'timer'; readonly ms: number }
  | { readonly kind: 'set_target'; readonly rpm: number }
  /** Measures the speed, and corrects it. */
  | { readonly kind: 'measure' }
  | { readonly kind: 'set_changes'; readonly changes: 'reported' | 'unreported' }
  | {
      readonly kind: 'publish';
      readonly setting:
        | 'currently_dodging_od'
        | 'target_rpm'
        | 'target_rpm_during_od_reading'
        | 'target_rpm_outside_od_reading';
      readonly value: number | boolean | null;
    }
  | { readonly kind: 'notify'; readonly notice: QuietPeriodNotice; readonly intervalMs: number };

interface Step {
  readonly state: QuietPeriodState;
  readonly effects: readonly QuietPeriodEffect[];
}

export const initialQuietPeriods = (
  settings: Pick<QuietPeriodState, 'isEnabled' | 'duringRpm' | 'outsideRpm'>,
): QuietPeriodState => ({
  phase: { kind: 'paused', from: 'steady' },
  ...settings,
  notifiedIntervalMs: undefined,
});

/** Whether the stirrer is slow during readings now. */
export const isAlternating = ({ phase }: QuietPeriodState): boolean =>
  phase.kind === 'paused' ? phase.from === 'alternating' : phase.kind !== 'steady';

/**
 * Slow stirring during each optical reading, as a state machine:
 *
 * | phase | input | next phase |
 * |---|---|---|
 * | any | pause | paused |
 * | paused | resume | as after optical_reading |
 * | any but paused | optical_reading, while a reading is under way | the same |
 * | any but paused | optical_reading, set isEnabled | leaving if it is enabled and leaves time to stir, else steady |
 * | leaving | timer | settling if there is time to measure the speed, else stirring |
 * | settling | timer | stirring; the speed is measured |
 * | stirring | timer | quiet |
 */
export function quietPeriodStep(
  state: QuietPeriodState,
  input: QuietPeriodInput,
  parameters: QuietPeriodParameters,
): Step {
  switch (input.kind) {
    case 'timer':
      return afterTimer(state, input, parameters);
    case 'optical_reading':
      return followReadings(state, input, parameters);
    case 'set':
      return set(state, input, parameters);
    case 'pause':
      return only({ ...state, phase: { kind: 'paused', from: isAlternating(state) ? 'alternating' : 'steady' } });
    case 'resume':
      return resume(state, input, parameters);
  }
}

const only = (state: QuietPeriodState, ...effects: readonly QuietPeriodEffect[]): Step => ({ state, effects });

function resume(state: QuietPeriodState, input: QuietPeriodInput, parameters: QuietPeriodParameters): Step {
  if (state.phase.kind !== 'paused') return only(state);
  const kind = state.phase.from === 'alternating' ? 'quiet' : 'steady';
  return followReadings({ ...state, phase: { kind } }, input, parameters);
}

function set(
  state: QuietPeriodState,
  input: Extract<QuietPeriodInput, { kind: 'set' }>,
  parameters: QuietPeriodParameters,
): Step {
  const { settings, targetRpm } = input;
  // With quiet periods the requested speed is the speed between readings.
  const isOutside = targetRpm !== undefined && isAlternating(state);
  const changed = { ...state, ...settings, ...(isOutside && { outsideRpm: targetRpm }) };
  const { state: next, effects } =
    settings.isEnabled === undefined ? only(changed) : followReadings(changed, input, parameters);
  if (targetRpm === undefined) return only(next, ...effects);
  if (isOutside) return only(next, publish('target_rpm_outside_od_reading', targetRpm), ...effects);
  return only(next, { kind: 'set_target', rpm: targetRpm }, ...effects);
}

type Publish = Extract<QuietPeriodEffect, { kind: 'publish' }>;

const publish = (setting: Publish['setting'], value: Publish['value']): Publish => ({
  kind: 'publish',
  setting,
  value,
});

function followReadings(
  state: QuietPeriodState,
  { optical }: QuietPeriodInput,
  parameters: QuietPeriodParameters,
): Step {
  if (state.phase.kind === 'paused' || optical.phase === 'begun') return only(state);
  if (optical.phase === 'off' || !state.isEnabled) return end(state);
  const { intervalMs, nextAtMs } = optical;
  const notice = noticeOf(intervalMs, parameters);
  const isNew = state.notifiedIntervalMs !== intervalMs;
  const notices: readonly QuietPeriodEffect[] =
    isNew && notice !== undefined ? [{ kind: 'notify', notice, intervalMs }] : [];
  const next = { ...state, notifiedIntervalMs: intervalMs };
  if (notice === 'speed_not_controlled' || notice === 'no_time_to_stir') {
    const ended = end(next);
    return only(ended.state, ...notices, ...ended.effects);
  }
  const begun: readonly QuietPeriodEffect[] = isAlternating(state)
    ? []
    : [
        { kind: 'set_changes', changes: 'unreported' },
        publish('currently_dodging_od', true),
        publish('target_rpm_during_od_reading', state.duringRpm),
        publish('target_rpm_outside_od_reading', state.outsideRpm),
      ];
  const phase = { kind: 'leaving', nextAtMs } as const;
  return only({ ...next, phase }, ...notices, ...begun, { kind: 'timer', ms: parameters.postDelayMs });
}

function noticeOf(
  intervalMs: number,
  { controlsSpeed, preDelayMs, postDelayMs }: QuietPeriodParameters,
): QuietPeriodNotice | undefined {
  if (!controlsSpeed) return 'speed_not_controlled';
  if (intervalMs - readingMs <= preDelayMs + postDelayMs) return 'no_time_to_stir';
  return intervalMs < shortIntervalMs ? 'little_time_to_stir' : undefined;
}

function end(state: QuietPeriodState): Step {
  const steady: QuietPeriodState = { ...state, phase: { kind: 'steady' } };
  if (!isAlternating(state)) return only(steady);
  return only(
    steady,
    { kind: 'set_changes', changes: 'reported' },
    publish('currently_dodging_od', false),
    publish('target_rpm_during_od_reading', null),
    publish('target_rpm_outside_od_reading', null),
    publish('target_rpm', state.outsideRpm),
    { kind: 'set_target', rpm: state.outsideRpm },
  );
}

function afterTimer(state: QuietPeriodState, { nowMs }: QuietPeriodInput, { preDelayMs }: QuietPeriodParameters): Step {
  const { phase } = state;
  switch (phase.kind) {
    case 'leaving': {
      const quietAtMs = phase.nextAtMs - preDelayMs;
      const settleMs = Math.min(maxSettleMs, quietAtMs - nowMs - measuringMs);
      const isLong = settleMs >= minSettleMs;
      return only(
        { ...state, phase: isLong ? { kind: 'settling', quietAtMs } : { kind: 'stirring' } },
        { kind: 'set_target', rpm: state.outsideRpm },
        { kind: 'timer', ms: isLong ? settleMs : Math.max(0, quietAtMs - nowMs) },
      );
    }
    case 'settling': {
      const ms = Math.max(0, phase.quietAtMs - nowMs);
      return only({ ...state, phase: { kind: 'stirring' } }, { kind: 'measure' }, { kind: 'timer', ms });
    }
    case 'stirring':
      return only({ ...state, phase: { kind: 'quiet' } }, { kind: 'set_target', rpm: state.duringRpm });
    default:
      return only(state);
  }
}
