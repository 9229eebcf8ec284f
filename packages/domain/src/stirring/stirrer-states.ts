import type { PidRecord } from '../control/pid.ts';
import type { OpticalReading } from '../od/optical-reading.ts';
import { countingSeconds, searchCountingSeconds } from './measured-speed.ts';
import {
  dutyAfterStall,
  type HeldDuty,
  initialDuty,
  initialSearch,
  initialSpeedState,
  isBarLoose,
  isImplausibleChange,
  type ObservedSpeed,
  proportionalDuty,
  recordKick,
  recouplingKick,
  type SpeedGains,
  type SpeedSearch,
  type SpeedState,
  searchStep,
  speedStep,
  speedUpKick,
  stallKick,
  startKick,
} from './speed-controller.ts';

/** The settling time after a kick, and after a change of the duty during a search, ms. */
const afterKickMs = 2_200;
const afterChangeMs = 1_400;

/** The search tries again after this time when another measurement occupies the sensor, ms. */
const sensorBusyMs = 200;

/** After recoupling kicks without effect a loose bar is ignored for this time, ms. */
const ignoreLooseMs = 600_000;

/** A kick disturbs an optical reading that begins within this time; a reading lasts at most as long, ms. */
const nearReadingMs = 2_000;

/** Duration of a measurement that controls nothing, s. */
const watchingSeconds = 4;

/** A published duty is written to disk: smaller changes (%) are not published. */
const publishedStep = 1;

/** What does not change during a run of the job. */
export interface StirrerParameters {
  /** `control`: the speed is measured and controlled; `watch`: only measured; `blind`: neither. */
  readonly mode: 'control' | 'watch' | 'blind';
  readonly targetRpm: number;
  /** Duty that the start names, %. */
  readonly givenDuty: number | undefined;
  /** First duty without a calibration, %. */
  readonly initialDuty: number;
  readonly gains: SpeedGains;
  /** The duty (%) for a speed by the active calibration; undefined: no calibration, or outside its range. */
  readonly calibratedDuty: (rpm: number) => number | undefined;
}

/** The present activity of the stirrer. Each activity has at most one timer, which ends with it. */
export type StirrerActivity =
  | { readonly kind: 'starting' }
  | { readonly kind: 'paused' }
  /** Kicks that are still to come or under way, the first one now. */
  | { readonly kind: 'kicking'; readonly kicks: readonly HeldDuty[]; readonly next: 'searching' | 'holding' }
  /** The kick waits for the end of an optical reading. */
  | { readonly kind: 'postponing'; readonly kicks: readonly HeldDuty[] }
  /** Search for the duty of a new speed: waits for a steady speed, then measures it. */
  | { readonly kind: 'settling'; readonly search: SpeedSearch }
  | { readonly kind: 'searching'; readonly search: SpeedSearch }
  | { readonly kind: 'holding' }
  /** Measures the speed at a constant duty; a second time after an implausible change. */
  | { readonly kind: 'checking'; readonly attempt: 1 | 2 };

/** The state of the stirrer; plain data. */
export interface StirrerState {
  readonly activity: StirrerActivity;
  /** Only one measurement can use the sensor at a time; it may outlast the activity that began it. */
  readonly sensor: 'free' | 'counting';
  /** `unreported` in quiet periods: the speed changes so often that neither duty nor target is published or recorded. */
  readonly changes: 'reported' | 'unreported';
  /** Controlled speed; null: the duty is constant. */
  readonly targetRpm: number | null;
  readonly speed: SpeedState;
  /** Duty after the kicks, %. */
  readonly orderedDuty: number;
  readonly publishedDuty: number | undefined;
  /** Duty that a search or the controller found for a speed. */
  readonly foundDuties: ReadonlyMap<number, number>;
  /** The last speed with a coupled bar. */
  readonly coupled: ObservedSpeed | undefined;
  /** Times of the kicks of the last ten minutes, ms. */
  readonly stallKicksMs: readonly number[];
  readonly recouplingKicksMs: readonly number[];
  readonly ignoresLooseUntilMs: number;
}

export type StirrerEvent =
  /** The timer of the activity is over. */
  | { readonly kind: 'timer' }
  /** The speed is to be measured. `schedule`: at the regular interval. */
  | { readonly kind: 'due'; readonly by: 'schedule' | 'quiet_period' }
  | { readonly kind: 'measured'; readonly rpm: number }
  | { readonly kind: 'measurement_failed' }
  | { readonly kind: 'set_target'; readonly rpm: number }
  | { readonly kind: 'set_duty'; readonly duty: number }
  | { readonly kind: 'set_changes'; readonly changes: StirrerState['changes'] }
  | { readonly kind: 'pause' }
  /** Also after the start. */
  | { readonly kind: 'resume' }
  | { readonly kind: 'stop'; readonly rule: string };

/** An event with the present situation of the unit. */
export type StirrerInput = StirrerEvent & {
  /** Monotonic clock. */
  readonly nowMs: number;
  readonly optical: OpticalReading;
};

/** `stalled_for_good` and `bar_lost`: kicks did not help. */
export type StirrerNotice =
  | { readonly code: 'stalled' | 'stalled_for_good' }
  | { readonly code: 'bar_loose' | 'bar_lost'; readonly rpm: number };

export type StirrerEffect =
  /** Sets the motor, %. */
  | { readonly kind: 'drive'; readonly duty: number }
  /** Starts the timer of the activity. */
  | { readonly kind: 'timer'; readonly ms: number }
  /** Measures the speed; the result is an input. */
  | { readonly kind: 'measure'; readonly seconds: number }
  | { readonly kind: 'publish'; readonly setting: 'duty_cycle' | 'target_rpm'; readonly value: number }
  /** A reading of the speed. */
  | { readonly kind: 'report'; readonly rpm: number; readonly flags: readonly 'bar_loose'[] }
  /** An actuation, for the record. */
  | {
      readonly kind: 'record';
      readonly unit: 'RPM' | '%';
      readonly from: number;
      readonly to: number;
      /** Absent: a person requested it. */
      readonly rule?: string;
      /** Measured speed that led to it. */
      readonly rpm?: number;
    }
  | { readonly kind: 'show_control'; readonly control: PidRecord }
  /** Logs a fault, and shows it on the board's light. */
  | { readonly kind: 'notify'; readonly notice: StirrerNotice }
  /** Pauses the job until a person resumes it. */
  | { readonly kind: 'pause_job' };

interface Step {
  readonly state: StirrerState;
  readonly effects: readonly StirrerEffect[];
}

export function initialStirrerState(parameters: StirrerParameters): StirrerState {
  const { mode, initialDuty: configured, givenDuty, calibratedDuty } = parameters;
  const targetRpm = mode === 'control' ? parameters.targetRpm : null;
  const calibrated = targetRpm === null ? undefined : calibratedDuty(targetRpm);
  const duty =
    targetRpm === null ? configured : initialDuty(targetRpm, givenDuty ?? calibrated ?? configured, calibrated);
  return {
    activity: { kind: 'starting' },
    sensor: 'free',
    changes: 'reported',
    targetRpm,
    speed: initialSpeedState(duty),
    orderedDuty: 0,
    publishedDuty: undefined,
    foundDuties: new Map(),
    coupled: undefined,
    stallKicksMs: [],
    recouplingKicksMs: [],
    ignoresLooseUntilMs: Number.NEGATIVE_INFINITY,
  };
}

/**
 * The stirrer as a state machine:
 *
 * | activity | input | next activity |
 * |---|---|---|
 * | starting, paused | resume | kicking (duty 0: as after the kicks) |
 * | any but starting and paused | set_target | kicking if the motor was off, else settling; in quiet periods and for 0 RPM holding |
 * | any but starting and paused | set_duty | holding |
 * | any | pause | paused: motor off |
 * | kicking | timer | kicking (next kick), then settling (after a new target) or holding |
 * | postponing | timer | kicking |
 * | settling | timer | searching; settling while the sensor is occupied |
 * | searching | measured | settling; holding when the speed is found or the motor does not turn |
 * | holding | due | checking, unless the sensor is occupied; in quiet periods only when these ask for it |
 * | checking | measured | checking (after an implausible change), postponing or kicking (stall, loose bar), holding |
 * | searching, checking | measurement_failed | holding with the same duty |
 *
 * All other inputs leave the activity as it is. After too many kicks a stall pauses the job; a lost bar does not.
 */
export function stirrerStep(state: StirrerState, input: StirrerInput, parameters: StirrerParameters): Step {
  switch (input.kind) {
    case 'timer':
      return afterTimer(state);
    case 'due':
      return startCheck(state, input, parameters);
    case 'measured':
      return afterMeasurement({ ...state, sensor: 'free' }, input, input.rpm, parameters);
    case 'measurement_failed':
      return isMeasuring(state) ? hold({ ...state, sensor: 'free' }) : only({ ...state, sensor: 'free' });
    case 'set_target':
      return setTarget(state, input.rpm, parameters);
    case 'set_duty':
      return setDuty(state, input.duty);
    case 'set_changes':
      return only({ ...state, changes: input.changes });
    case 'pause':
      return pause(state, parameters);
    case 'resume':
      return resume({ ...state, stallKicksMs: [] }, parameters);
    case 'stop':
      return only(state, ...recordOff(state, input.rule));
  }
}

const only = (state: StirrerState, ...effects: readonly StirrerEffect[]): Step => ({ state, effects });
const hold = (state: StirrerState): Step => only({ ...state, activity: { kind: 'holding' } });
const isOff = ({ activity: { kind } }: StirrerState): boolean => kind === 'starting' || kind === 'paused';
const isMeasuring = ({ activity: { kind } }: StirrerState): boolean => kind === 'searching' || kind === 'checking';

/** Effects before those of a step. */
const after = (effects: readonly StirrerEffect[], step: Step): Step => ({
  state: step.state,
  effects: [...effects, ...step.effects],
});

/** The actuation of a motor that is switched off. */
function recordOff(state: StirrerState, rule: string): readonly StirrerEffect[] {
  if (isOff(state) || state.orderedDuty === 0) return [];
  const [unit, from] =
    state.targetRpm === null ? (['%', state.orderedDuty] as const) : (['RPM', state.targetRpm] as const);
  return [{ kind: 'record', unit, from, to: 0, rule }];
}

/** The actuation of a motor that starts, or gets another target. */
const recordTarget = ({ targetRpm, speed }: StirrerState, fromRpm: number): StirrerEffect =>
  targetRpm === null
    ? { kind: 'record', unit: '%', from: 0, to: speed.duty }
    : { kind: 'record', unit: 'RPM', from: fromRpm, to: targetRpm };

/** The resolution of the output, %. */
const rounded = (duty: number): number => Math.round(duty * 1e5) / 1e5;

/** Orders a duty, after these kicks. */
function order(state: StirrerState, duty: number, kicks: readonly HeldDuty[], next: 'searching' | 'holding'): Step {
  const orderedDuty = rounded(duty);
  const known = state.publishedDuty;
  const isShown =
    known !== undefined && Math.abs(orderedDuty - known) < publishedStep && (orderedDuty === 0) === (known === 0);
  const publishes = state.changes === 'reported' && !isShown;
  const ordered = { ...state, orderedDuty, publishedDuty: publishes ? orderedDuty : known };
  const published: readonly StirrerEffect[] = publishes
    ? [{ kind: 'publish', setting: 'duty_cycle', value: orderedDuty }]
    : [];
  return after(published, kick(ordered, kicks, next));
}

function kick(state: StirrerState, kicks: readonly HeldDuty[], next: 'searching' | 'holding'): Step {
  const [first] = kicks;
  if (first === undefined) {
    const drive: StirrerEffect = { kind: 'drive', duty: state.orderedDuty };
    if (next === 'holding') return after([drive], hold(state));
    return after([drive], settle(state, initialSearch, afterKickMs));
  }
  return only(
    { ...state, activity: { kind: 'kicking', kicks, next } },
    { kind: 'drive', duty: first.duty },
    { kind: 'timer', ms: 1000 * first.seconds },
  );
}

const settle = (state: StirrerState, search: SpeedSearch, ms: number): Step =>
  only({ ...state, activity: { kind: 'settling', search } }, { kind: 'timer', ms });

/** Drives the duty of the target, and searches a better one where the speed is controlled. */
function drivePresent(state: StirrerState, kicks: readonly HeldDuty[], { mode }: StirrerParameters): Step {
  const searches = mode === 'control' && state.changes === 'reported' && (state.targetRpm ?? 0) > 0;
  return order(state, state.speed.duty, kicks, searches ? 'searching' : 'holding');
}

function resume(state: StirrerState, parameters: StirrerParameters): Step {
  if (!isOff(state)) return only(state);
  return after([recordTarget(state, 0)], drivePresent(state, state.speed.duty > 0 ? startKick : [], parameters));
}

function pause(state: StirrerState, { mode }: StirrerParameters): Step {
  const paused: StirrerState = { ...state, activity: { kind: 'paused' } };
  const report: StirrerEffect = { kind: 'report', rpm: 0, flags: flagsOf(state) };
  const record = recordOff(state, 'The job sleeps.');
  if (mode !== 'control')
    // The published duty stays: the job continues with it, also after a restart.
    return only({ ...paused, orderedDuty: 0 }, ...record, { kind: 'drive', duty: 0 }, report);
  const off = order(paused, 0, [], 'holding');
  return only({ ...off.state, activity: { kind: 'paused' } }, ...record, ...off.effects, report);
}

function setTarget(state: StirrerState, targetRpm: number, parameters: StirrerParameters): Step {
  const duty = dutyFor(state, targetRpm, parameters);
  const next = { ...state, targetRpm, speed: initialSpeedState(duty), stallKicksMs: [] };
  const before = state.targetRpm;
  if (state.activity.kind === 'starting') return only(next);
  const record = state.changes === 'reported' && before !== targetRpm ? [recordTarget(next, before ?? 0)] : [];
  if (isOff(state)) return only(next, ...record);
  const isStarting = targetRpm > 0 && state.orderedDuty === 0;
  return after(record, drivePresent(next, isStarting ? speedUpKick : [], parameters));
}

function setDuty(state: StirrerState, duty: number): Step {
  const next = { ...state, speed: initialSpeedState(duty) };
  const record: StirrerEffect = { kind: 'record', unit: '%', from: state.orderedDuty, to: duty };
  return isOff(state) ? only(next, record) : after([record], order(next, duty, [], 'holding'));
}

function dutyFor(state: StirrerState, targetRpm: number, parameters: StirrerParameters): number {
  const known = state.foundDuties.get(targetRpm);
  if (known !== undefined) return known;
  const calibrated = parameters.calibratedDuty(targetRpm);
  if (calibrated === undefined && state.coupled !== undefined && targetRpm > 0)
    return proportionalDuty(targetRpm, state.coupled);
  const present = state.speed.duty > 0 ? state.speed.duty : parameters.initialDuty;
  return initialDuty(targetRpm, present, calibrated);
}

function afterTimer(state: StirrerState): Step {
  const { activity } = state;
  switch (activity.kind) {
    case 'kicking':
      return kick(state, activity.kicks.slice(1), activity.next);
    case 'postponing':
      return order(state, state.speed.duty, activity.kicks, 'holding');
    case 'settling':
      return state.sensor === 'free'
        ? measure(
            { ...state, activity: { kind: 'searching', search: activity.search } },
            searchCountingSeconds(state.targetRpm ?? 0),
          )
        : settle(state, activity.search, sensorBusyMs);
    default:
      return only(state);
  }
}

const measure = (state: StirrerState, seconds: number): Step =>
  only({ ...state, sensor: 'counting' }, { kind: 'measure', seconds });

function startCheck(
  state: StirrerState,
  { by }: Extract<StirrerEvent, { kind: 'due' }>,
  { mode }: StirrerParameters,
): Step {
  const isAllowed = by === 'quiet_period' || state.changes === 'reported';
  if (!isAllowed || state.activity.kind !== 'holding' || state.sensor === 'counting') return only(state);
  const seconds = mode === 'watch' ? watchingSeconds : countingSeconds(state.targetRpm ?? 0);
  return measure({ ...state, activity: { kind: 'checking', attempt: 1 } }, seconds);
}

const flagsOf = ({ recouplingKicksMs }: StirrerState): readonly 'bar_loose'[] =>
  recouplingKicksMs.length > 0 ? ['bar_loose'] : [];

function afterMeasurement(state: StirrerState, input: StirrerInput, rpm: number, parameters: StirrerParameters): Step {
  const { activity } = state;
  if (isOff(state)) return only(state);
  const report: StirrerEffect = { kind: 'report', rpm, flags: flagsOf(state) };
  if (activity.kind === 'searching') return after([report], searchFurther(state, activity.search, rpm));
  // A duty that changed during the measurement makes its result meaningless for the controller.
  if (activity.kind !== 'checking') return only(state, report);
  if (activity.attempt === 1 && rpm > 0 && isImplausibleChange(state.coupled, { duty: state.orderedDuty, rpm })) {
    const again = startCheck(
      { ...state, activity: { kind: 'holding' } },
      { kind: 'due', by: 'quiet_period' },
      parameters,
    );
    return only({ ...again.state, activity: { kind: 'checking', attempt: 2 } }, report, ...again.effects);
  }
  return after([report], correct({ ...state, activity: { kind: 'holding' } }, input, rpm, parameters));
}

function searchFurther(state: StirrerState, search: SpeedSearch, rpm: number): Step {
  // The regular measurement handles a motor that does not turn.
  if (rpm === 0) return hold(state);
  const targetRpm = state.targetRpm ?? 0;
  const next = searchStep(search, { targetRpm, measuredRpm: rpm, duty: state.speed.duty });
  const speed = initialSpeedState(next.duty);
  const driven = order({ ...state, speed }, next.duty, [], 'holding');
  if (!next.isOver) return after(driven.effects, settle(driven.state, next.search, afterChangeMs));
  const foundDuties = new Map(state.foundDuties).set(targetRpm, speed.duty);
  return { ...driven, state: { ...driven.state, foundDuties, coupled: { duty: speed.duty, rpm } } };
}

/** Moves the duty towards the target, or frees a stalled motor and a loose bar. */
function correct(state: StirrerState, input: StirrerInput, rpm: number, parameters: StirrerParameters): Step {
  const { targetRpm, orderedDuty: duty } = state;
  if (parameters.mode !== 'control' || targetRpm === null) return only(state);
  if (rpm === 0 && targetRpm > 0) return freeFromStall(state, input);
  const turning = { ...state, stallKicksMs: [] };
  if (input.nowMs >= state.ignoresLooseUntilMs) {
    if (isBarLoose(state.coupled, { duty, rpm })) return recouple(turning, input, rpm);
    return control({ ...turning, recouplingKicksMs: [] }, rpm, targetRpm, parameters);
  }
  return control(turning, rpm, targetRpm, parameters);
}

function control(state: StirrerState, rpm: number, targetRpm: number, { gains }: StirrerParameters): Step {
  const speed = speedStep(state.speed, gains, { targetRpm, measuredRpm: rpm });
  const shown: readonly StirrerEffect[] =
    speed.control === undefined ? [] : [{ kind: 'show_control', control: speed.control }];
  const foundDuties = targetRpm > 0 ? new Map(state.foundDuties).set(targetRpm, speed.duty) : state.foundDuties;
  // The speed of a motor without its bar must not become the reference.
  const isReference = targetRpm > 0 && state.recouplingKicksMs.length === 0;
  const coupled = isReference ? { duty: state.orderedDuty, rpm } : state.coupled;
  return after(shown, order({ ...state, speed, foundDuties, coupled }, speed.duty, [], 'holding'));
}

/** A motor that cannot turn only gets hot: after a few kicks the job pauses. */
function freeFromStall(state: StirrerState, input: StirrerInput): Step {
  const { kicksMs, giveUp } = recordKick(state.stallKicksMs, input.nowMs);
  if (giveUp)
    return only(
      { ...state, stallKicksMs: [] },
      { kind: 'notify', notice: { code: 'stalled_for_good' } },
      { kind: 'pause_job' },
    );
  const speed = initialSpeedState(dutyAfterStall(state.speed.duty));
  const rule = 'It stood still and gets a kick.';
  return after(
    [
      { kind: 'notify', notice: { code: 'stalled' } },
      { kind: 'record', unit: 'RPM', from: 0, to: state.targetRpm ?? 0, rule, rpm: 0 },
    ],
    kickPastReading({ ...state, stallKicksMs: kicksMs, speed }, stallKick, input),
  );
}

/** Without its bar the motor turns faster at the same duty. */
function recouple(state: StirrerState, input: StirrerInput, rpm: number): Step {
  const { kicksMs: recouplingKicksMs, giveUp } = recordKick(state.recouplingKicksMs, input.nowMs);
  const next = { ...state, recouplingKicksMs };
  if (giveUp)
    return only(
      { ...next, ignoresLooseUntilMs: input.nowMs + ignoreLooseMs },
      { kind: 'notify', notice: { code: 'bar_lost', rpm } },
    );
  const rule = 'The bar seemed loose and is taken up again.';
  return after(
    [
      { kind: 'notify', notice: { code: 'bar_loose', rpm } },
      { kind: 'record', unit: 'RPM', from: rpm, to: state.targetRpm ?? 0, rule, rpm },
    ],
    kickPastReading(next, recouplingKick, input),
  );
}

/** A kick must not disturb an optical reading that is near or under way. */
function kickPastReading(state: StirrerState, kicks: readonly HeldDuty[], { optical, nowMs }: StirrerInput): Step {
  const startsInMs =
    optical.phase === 'off' ? Number.POSITIVE_INFINITY : optical.phase === 'begun' ? 0 : optical.nextAtMs - nowMs;
  if (startsInMs > nearReadingMs) return order(state, state.speed.duty, kicks, 'holding');
  const ms = Math.max(0, startsInMs) + nearReadingMs;
  return only({ ...state, activity: { kind: 'postponing', kicks } }, { kind: 'timer', ms });
}
