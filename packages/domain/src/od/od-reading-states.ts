import type { OpticalReading } from './optical-reading.ts';

/** Faster readings wear the LED and warm the culture, s. */
const shortIntervalS = 1;

/** A higher intensity ages the LED quickly, %. */
const highIntensity = 90;

/** The brightness of the LED and the noise of the signals are reported with one of so many readings. */
const brightnessEvery = 5;

/** What does not change during a run of the job. */
export interface OdReadingParameters {
  /** Other LEDs must be off during a reading. */
  readonly turnsOffOtherLeds: boolean;
  /** Whether the LED stays on between two readings of this interval, because there is no time to switch it off. */
  readonly staysLit: (intervalS: number | null) => boolean;
}

/** The present activity of the job. Every operation on the hardware is an activity, so that only one runs at a time. */
export type OdActivity =
  | { readonly kind: 'paused' }
  /** Waits until the next reading is due. */
  | { readonly kind: 'idle' }
  /** Measures darkness, chooses gains and intensity. */
  | { readonly kind: 'preparing' }
  | { readonly kind: 'measuring'; readonly intensity: number }
  | { readonly kind: 'reporting' }
  /** The job was paused in the middle of an operation: its result counts for nothing. */
  | { readonly kind: 'discarding'; readonly next: 'idle' | 'paused' }
  /** Another job uses the LED between two readings. */
  | { readonly kind: 'light_shared'; readonly next: 'idle' | 'paused' };

/** The state of od_reading; plain data. */
export interface OdReadingState {
  readonly activity: OdActivity;
  readonly requestedIntensity: number | 'auto';
  /** Intensity of the readings, %; undefined before the preparation. */
  readonly intensity: number | undefined;
  /** null: readings are taken only on request. */
  readonly intervalS: number | null;
  /** Start of the grid of readings, ms. */
  readonly gridMs: number;
  /** Readings beside the grid that a job has asked for: when they are due, monotonic clock, in order. */
  readonly extraAtMs: readonly number[];
  readonly led: 'on' | 'off';
  /** Readings that were reported. */
  readonly readings: number;
}

/** `Measured`: the result of a measurement, which the state machine only passes on. */
export type OdReadingEvent<Measured> =
  /** Begins a grid of readings, the first one now. */
  | { readonly kind: 'start' }
  | { readonly kind: 'due' }
  /** The suitable intensity, %. */
  | { readonly kind: 'prepared'; readonly intensity: number }
  /** `atMs`: time of the measurement, ms since 1970. */
  | { readonly kind: 'measured'; readonly measured: Measured; readonly atMs: number }
  | { readonly kind: 'reported' }
  /** A fault of the hardware ended the operation. */
  | { readonly kind: 'failed' }
  | { readonly kind: 'set_intensity'; readonly intensity: number }
  | { readonly kind: 'set_interval'; readonly intervalS: number | null }
  /** Readings beside the grid become due at these times: jobs that disturb the light learn of them before. */
  | { readonly kind: 'plan_extra'; readonly atMs: readonly number[] }
  | { readonly kind: 'share_light' }
  | { readonly kind: 'returned' }
  | { readonly kind: 'pause' }
  | { readonly kind: 'resume' };

/** An event with the present situation of the unit. */
export type OdReadingInput<Measured> = OdReadingEvent<Measured> & {
  /** Monotonic clock. */
  readonly nowMs: number;
};

export type OdReadingNotice = 'short_interval' | 'high_intensity';

export type OdReadingEffect<Measured> =
  /** Publishes the schedule for jobs that disturb the light. */
  | { readonly kind: 'announce'; readonly reading: OpticalReading }
  /** Readings become due now and then at this interval; null: no more. */
  | { readonly kind: 'schedule'; readonly intervalMs: number | null }
  | { readonly kind: 'prepare'; readonly intensity: number | 'auto' }
  /** Switches the LED on, waits until the light is steady if `settles`, and measures. */
  | {
      readonly kind: 'measure';
      readonly intensity: number;
      readonly settles: boolean;
      readonly isFirst: boolean;
    }
  | {
      readonly kind: 'report';
      readonly measured: Measured;
      readonly atMs: number;
      readonly intensity: number;
      readonly reportsBrightness: boolean;
    }
  | { readonly kind: 'led_off' }
  | { readonly kind: 'publish_intensity'; readonly intensity: number }
  /** The light was changed on purpose: forgets what reference and signals were. */
  | { readonly kind: 'restart_tracking' }
  /** The converters may have been without power: sets their gains again. */
  | { readonly kind: 'reset_gains' }
  | { readonly kind: 'notify'; readonly notice: OdReadingNotice; readonly value: number };

interface Step<Measured> {
  readonly state: OdReadingState;
  readonly effects: readonly OdReadingEffect<Measured>[];
}

export const initialOdReadingState = (
  settings: Pick<OdReadingState, 'requestedIntensity' | 'intervalS'>,
): OdReadingState => ({
  activity: { kind: 'idle' },
  ...settings,
  intensity: undefined,
  gridMs: 0,
  extraAtMs: [],
  led: 'off',
  readings: 0,
});

/** Whether another job can have the LED now. */
export const canShareLight = ({ activity: { kind } }: OdReadingState): boolean => kind === 'idle' || kind === 'paused';

/**
 * The optical readings of a unit as a state machine:
 *
 * | activity | input | next activity |
 * |---|---|---|
 * | idle | due | preparing before the first reading, then measuring |
 * | preparing | prepared | measuring |
 * | measuring | measured | reporting; idle if the intensity has changed in the meantime |
 * | reporting | reported | idle |
 * | preparing, measuring, reporting | failed | idle: LED off |
 * | idle, reporting | pause | paused: LED off |
 * | preparing, measuring | pause | discarding: LED off |
 * | discarding | pause, resume | discarding, then paused or idle |
 * | discarding | prepared, measured, failed | paused or idle: LED off |
 * | paused | resume | idle |
 * | idle, paused | share_light | light_shared |
 * | light_shared | returned | the one before: LED off |
 *
 * All other inputs leave the activity as it is. `start` and `set_interval` begin a new grid of readings; `plan_extra` plans some beside it.
 */
export function odReadingStep<Measured>(
  state: OdReadingState,
  input: OdReadingInput<Measured>,
  parameters: OdReadingParameters,
): Step<Measured> {
  const situation = { nowMs: input.nowMs, ...parameters };
  switch (input.kind) {
    case 'start':
      return startGrid(state, situation);
    case 'set_interval':
      return setInterval({ ...state, intervalS: input.intervalS }, situation);
    case 'plan_extra':
      return planExtra({ ...state, extraAtMs: input.atMs }, situation);
    case 'due':
      return startReading(state, situation);
    case 'prepared':
      return afterPreparation(state, input.intensity, situation);
    case 'measured':
      return afterMeasurement(state, input, situation);
    case 'reported':
      if (state.activity.kind !== 'reporting') return only(state);
      return endReading({ ...state, readings: state.readings + 1 }, situation);
    case 'failed':
      return afterFailure(state, situation);
    case 'set_intensity':
      return setIntensity(state, input.intensity);
    case 'share_light':
      return canShareLight(state)
        ? only({ ...state, activity: { kind: 'light_shared', next: nextOf(state) } })
        : only(state);
    case 'returned':
      if (state.activity.kind !== 'light_shared') return only(state);
      return only({ ...state, activity: { kind: state.activity.next }, led: 'off' }, { kind: 'led_off' });
    case 'pause':
      return pause(state, situation);
    case 'resume':
      return resume(state, situation);
  }
}

interface Situation extends OdReadingParameters {
  readonly nowMs: number;
}

type PlainEffect = OdReadingEffect<never>;
type PlainStep = Step<never>;

const only = (state: OdReadingState, ...effects: readonly PlainEffect[]): PlainStep => ({ state, effects });

/** Effects before those of a step. */
const after = (effects: readonly PlainEffect[], step: PlainStep): PlainStep =>
  only(step.state, ...effects, ...step.effects);

/** Whether the job is paused, or will be after the present operation. */
const nextOf = ({ activity }: OdReadingState): 'idle' | 'paused' => {
  if ('next' in activity) return activity.next;
  return activity.kind === 'paused' ? 'paused' : 'idle';
};

function announce(
  state: OdReadingState,
  phase: 'begun' | 'ended',
  { nowMs, turnsOffOtherLeds }: Situation,
): PlainEffect {
  const { intervalS, gridMs, extraAtMs } = state;
  if (intervalS === null || nextOf(state) === 'paused') return { kind: 'announce', reading: { phase: 'off' } };
  const intervalMs = 1000 * intervalS;
  const nextOfGridMs = gridMs + (Math.floor((nowMs - gridMs) / intervalMs) + 1) * intervalMs;
  const nextAtMs = Math.min(nextOfGridMs, ...extraAtMs.filter((atMs) => atMs > nowMs));
  return { kind: 'announce', reading: { phase, nextAtMs, intervalMs, wantsDark: turnsOffOtherLeds } };
}

function startGrid(state: OdReadingState, situation: Situation): PlainStep {
  const { intervalS } = state;
  const next = { ...state, gridMs: situation.nowMs };
  const announced = announce(next, 'ended', situation);
  if (intervalS === null) return only(state, announced, { kind: 'schedule', intervalMs: null });
  const notices: readonly PlainEffect[] =
    intervalS < shortIntervalS ? [{ kind: 'notify', notice: 'short_interval', value: intervalS }] : [];
  return only(next, announced, ...notices, { kind: 'schedule', intervalMs: 1000 * intervalS });
}

function setInterval(state: OdReadingState, situation: Situation): PlainStep {
  const { state: next, effects } = startGrid(state, situation);
  if (situation.staysLit(state.intervalS) || !canShareLight(state)) return only(next, ...effects);
  return only({ ...next, led: 'off' }, ...effects, { kind: 'led_off' });
}

/** During a reading the end of it announces the next one. */
const planExtra = (state: OdReadingState, situation: Situation): PlainStep =>
  canShareLight(state) ? only(state, announce(state, 'ended', situation)) : only(state);

function startReading(state: OdReadingState, situation: Situation): PlainStep {
  if (state.activity.kind !== 'idle') return only(state);
  const begun = announce(state, 'begun', situation);
  if (state.intensity !== undefined) return after([begun], measure(state, state.intensity));
  return only({ ...state, activity: { kind: 'preparing' } }, begun, {
    kind: 'prepare',
    intensity: state.requestedIntensity,
  });
}

const measure = (state: OdReadingState, intensity: number): PlainStep =>
  only(
    { ...state, led: 'on', activity: { kind: 'measuring', intensity } },
    { kind: 'measure', intensity, settles: state.led === 'off', isFirst: state.readings === 0 },
  );

function afterPreparation(state: OdReadingState, found: number, situation: Situation): PlainStep {
  if (state.activity.kind === 'discarding') return endDiscarded(state, situation);
  if (state.activity.kind !== 'preparing') return only(state);
  // A person may have set another intensity in the meantime.
  const intensity = state.requestedIntensity === 'auto' ? found : state.requestedIntensity;
  const next: OdReadingState = { ...state, intensity, led: 'on' };
  return after([{ kind: 'publish_intensity', intensity }], measure(next, intensity));
}

function afterMeasurement<Measured>(
  state: OdReadingState,
  { measured, atMs }: Extract<OdReadingInput<Measured>, { kind: 'measured' }>,
  situation: Situation,
): Step<Measured> {
  if (state.activity.kind === 'discarding') return endDiscarded(state, situation);
  if (state.activity.kind !== 'measuring') return only(state);
  const { intensity } = state.activity;
  const staysLit = situation.staysLit(state.intervalS);
  const dark: readonly PlainEffect[] = staysLit ? [] : [{ kind: 'led_off' }];
  const next: OdReadingState = { ...state, led: staysLit ? 'on' : 'off' };
  // The light changed during the measurement.
  if (intensity !== state.intensity) return after(dark, endReading(next, situation));
  const reportsBrightness = state.readings % brightnessEvery === 0;
  return {
    state: { ...next, activity: { kind: 'reporting' } },
    effects: [...dark, { kind: 'report', measured, atMs, intensity, reportsBrightness }],
  };
}

const endReading = (state: OdReadingState, situation: Situation): PlainStep => {
  const next: OdReadingState = { ...state, activity: { kind: 'idle' } };
  return only(next, announce(next, 'ended', situation));
};

function afterFailure(state: OdReadingState, situation: Situation): PlainStep {
  const { kind } = state.activity;
  if (kind === 'discarding') return after([{ kind: 'reset_gains' }], endDiscarded(state, situation));
  if (kind !== 'preparing' && kind !== 'measuring' && kind !== 'reporting') return only(state);
  return after([{ kind: 'reset_gains' }, { kind: 'led_off' }], endReading({ ...state, led: 'off' }, situation));
}

const endDiscarded = (state: OdReadingState, situation: Situation): PlainStep => {
  const next: OdReadingState = { ...state, led: 'off', activity: { kind: nextOf(state) } };
  return only(next, { kind: 'led_off' }, announce(next, 'ended', situation));
};

function setIntensity(state: OdReadingState, intensity: number): PlainStep {
  const notices: readonly PlainEffect[] =
    intensity > highIntensity ? [{ kind: 'notify', notice: 'high_intensity', value: intensity }] : [];
  const next: OdReadingState = { ...state, requestedIntensity: intensity };
  if (state.intensity === undefined) return only(next, ...notices);
  return only({ ...next, intensity }, ...notices, { kind: 'restart_tracking' });
}

function pause(state: OdReadingState, situation: Situation): PlainStep {
  const next: OdReadingState = { ...state, led: 'off', activity: pausedActivity(state.activity) };
  return only(next, announce(next, 'ended', situation), { kind: 'led_off' });
}

function pausedActivity(activity: OdActivity): OdActivity {
  switch (activity.kind) {
    case 'light_shared':
      return { kind: 'light_shared', next: 'paused' };
    case 'preparing':
    case 'measuring':
    case 'discarding':
      return { kind: 'discarding', next: 'paused' };
    default:
      return { kind: 'paused' };
  }
}

function resume(state: OdReadingState, situation: Situation): PlainStep {
  const { activity } = state;
  if (nextOf(state) !== 'paused') return only(state);
  const resumed: OdActivity = 'next' in activity ? { kind: activity.kind, next: 'idle' } : { kind: 'idle' };
  const next: OdReadingState = { ...state, activity: resumed };
  return only(next, announce(next, 'ended', situation));
}
