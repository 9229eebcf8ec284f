import type { PidRecord } from '../control/pid.ts';
import {
  type HeatDemand,
  type HeatLimits,
  heatDemand,
  initialThermostatState,
  type LiquidForecast,
  limitDuty,
  limitTarget,
  type ThermostatGains,
  type ThermostatState,
  type ThermostatStep,
  thermostatStep,
} from './thermostat.ts';

/** A sensor that is silent for this time while the heater is on switches it off: sooner than the guard does, ms. */
const longestSilenceMs = 20_000;

/** A doubtful sensor that shows so much more than the target cannot lead to heating, °C. */
const farAboveC = 2;

/** One measurement of the temperature of the liquid. */
export interface LiquidReading {
  readonly celsius: number;
  readonly forecast: LiquidForecast;
  /** The board at the end of the measurement. */
  readonly boardC: number;
  /** Whether the board cooled as it must after being heated. */
  readonly fitsHeater: boolean;
  readonly hottestBoardC: number;
}

/** The work of a thermostat besides measuring; undefined: the job only records. */
export interface ThermostatParameters {
  readonly gains: ThermostatGains;
  readonly targetC: number;
}

/** A decision until the guard has accepted it. */
interface Decision {
  readonly step: ThermostatStep;
  readonly celsius: number;
}

/** The present activity of the job. */
export type TemperatureActivity =
  | { readonly kind: 'paused' }
  /** The heater has its duty until the next measurement. */
  | { readonly kind: 'holding' }
  /** The heater is off and its board cools; `duty`: the duty before, %. */
  | { readonly kind: 'measuring'; readonly duty: number }
  /** The heater gets the duty of a decision. */
  | { readonly kind: 'driving'; readonly decision: Decision }
  /** The job was paused in the middle of a measurement, which counts for nothing. */
  | { readonly kind: 'discarding'; readonly next: 'holding' | 'paused' };

/** The state of temperature_automation; plain data. */
export interface TemperatureState {
  readonly activity: TemperatureActivity;
  /** `doubtful`: the sensor does not follow the heater. Nothing is heated until a person resumes the job. */
  readonly sensor: 'trusted' | 'doubtful';
  readonly targetC: number;
  readonly thermostat: ThermostatState;
  /** Duty of the last decision, %. A paused job continues with it. */
  readonly requestedDuty: number;
  /** Duty of the heater, %, and since when, ms. */
  readonly duty: number;
  readonly dutySinceMs: number;
  /** The last response of the sensor while the heater was on, ms. */
  readonly sensorSeenMs: number;
}

export type TemperatureEvent =
  /** The liquid is to be measured. */
  | { readonly kind: 'due' }
  | { readonly kind: 'measured'; readonly reading: LiquidReading }
  /** The measurement ended without a result, because the job was paused. */
  | { readonly kind: 'abandoned' }
  | { readonly kind: 'measurement_failed'; readonly error: Error }
  /** Model and sensor are to be checked between two measurements. */
  | { readonly kind: 'check_due' }
  | { readonly kind: 'sensor_seen' }
  | { readonly kind: 'sensor_silent'; readonly error: Error }
  /** The duty that the heater has got; a refused one is 0. */
  | { readonly kind: 'driven'; readonly duty: number }
  | { readonly kind: 'set_target'; readonly targetC: number }
  | { readonly kind: 'pause' }
  | { readonly kind: 'resume' }
  | { readonly kind: 'stop'; readonly rule: string };

/** An event with the present situation of the unit. */
export type TemperatureInput = TemperatureEvent & {
  /** Monotonic clock. */
  readonly nowMs: number;
  /** Limits of the present reactor; undefined: the job only records. */
  readonly limits: HeatLimits | undefined;
};

export type TemperatureNotice =
  | { readonly code: 'target_lowered'; readonly targetC: number; readonly requestedC: number }
  | { readonly code: 'sensor_doubtful'; readonly duty: number; readonly boardC: number }
  | { readonly code: 'board_hot'; readonly demand: Exclude<HeatDemand, 'none'>; readonly boardC: number };

export type TemperatureEffect =
  /** Switches the heater off if it was on with `duty` (%) for `heatedS` seconds, and measures. */
  | { readonly kind: 'measure'; readonly duty: number; readonly heatedS: number }
  | { readonly kind: 'read_board' }
  /** Sets the heater, %; the duty that it gets is an input. */
  | { readonly kind: 'heat'; readonly duty: number }
  /** The estimate with the board and the duty that it was made from, for calibration sessions. */
  | {
      readonly kind: 'publish_estimate';
      readonly celsius: number;
      readonly boardC: number;
      readonly duty: number;
    }
  | { readonly kind: 'report'; readonly celsius: number; readonly flags: readonly 'sensor_doubtful'[] }
  | { readonly kind: 'show_control'; readonly control: PidRecord }
  /** An actuation, for the record. */
  | { readonly kind: 'record'; readonly from: number; readonly to: number; readonly rule: string }
  /** An actuation by a decision of the thermostat. */
  | {
      readonly kind: 'record_step';
      readonly from: number;
      readonly to: number;
      readonly targetC: number;
      readonly celsius: number;
    }
  | { readonly kind: 'publish_target'; readonly targetC: number }
  /** An interval of constant settings begins. */
  | { readonly kind: 'record_settings' }
  | { readonly kind: 'notify'; readonly notice: TemperatureNotice }
  | { readonly kind: 'log_fault'; readonly error: Error };

interface Step {
  readonly state: TemperatureState;
  readonly effects: readonly TemperatureEffect[];
}

export const initialTemperatureState = (thermostat: ThermostatParameters | undefined): TemperatureState => ({
  activity: { kind: 'holding' },
  sensor: 'trusted',
  targetC: thermostat?.targetC ?? 0,
  thermostat: initialThermostatState,
  requestedDuty: 0,
  duty: 0,
  dutySinceMs: 0,
  sensorSeenMs: Number.NEGATIVE_INFINITY,
});

/**
 * temperature_automation as a state machine:
 *
 * | activity | input | next activity |
 * |---|---|---|
 * | holding | due; check_due after a change of the model to lower limits | measuring |
 * | measuring | measured | driving; holding if the job only records or the sensor is doubtful |
 * | measuring | measurement_failed | holding: heater off |
 * | driving | driven | holding |
 * | holding, driving | pause | paused: heater off |
 * | measuring | pause | discarding: heater off |
 * | paused | resume | holding with the duty of the last decision |
 * | discarding | pause, resume | discarding, then paused or holding |
 * | discarding | measured, abandoned, measurement_failed | paused or holding |
 *
 * All other inputs leave the activity as it is. The sensor becomes doubtful by a measurement that does not fit the heater, and
 * trusted again by resume. A silent sensor switches the heater off in `holding`.
 */
export function temperatureStep(
  state: TemperatureState,
  input: TemperatureInput,
  thermostat: ThermostatParameters | undefined,
): Step {
  const { activity } = state;
  switch (input.kind) {
    case 'due':
      return measure(state, input.nowMs);
    case 'measured':
      if (activity.kind === 'discarding') return only({ ...state, activity: { kind: activity.next } });
      return activity.kind === 'measuring' ? afterMeasurement(state, activity.duty, input, thermostat) : only(state);
    case 'abandoned':
      return 'next' in activity ? only({ ...state, activity: { kind: activity.next } }) : only(state);
    case 'measurement_failed':
      return afterFailure(state, input.error);
    case 'check_due':
      return check(state, input);
    case 'sensor_seen':
      return only({ ...state, sensorSeenMs: input.nowMs });
    case 'sensor_silent':
      return afterSilence(state, input);
    case 'driven':
      return afterDriving(state, input);
    case 'set_target':
      return setTarget(state, input.targetC, input.limits);
    case 'pause':
      return pause(state);
    case 'resume':
      return resume(state);
    case 'stop':
      return only(state, ...recordOff(recordedDuty(state), input.rule));
  }
}

const only = (state: TemperatureState, ...effects: readonly TemperatureEffect[]): Step => ({ state, effects });

const recordOff = (from: number, rule: string): readonly TemperatureEffect[] =>
  from > 0 ? [{ kind: 'record', from, to: 0, rule }] : [];

/** The duty that the last record has: while the heater rests for a measurement, and until its decision is carried out, that from before. */
function recordedDuty({ activity, duty, requestedDuty }: TemperatureState): number {
  if (activity.kind === 'measuring') return activity.duty;
  return activity.kind === 'driving' ? requestedDuty : duty;
}

/** Switches the heater off, and records why. */
const off = (from: number, rule: string): readonly TemperatureEffect[] => [
  { kind: 'heat', duty: 0 },
  { kind: 'record', from, to: 0, rule },
];

function measure(state: TemperatureState, nowMs: number): Step {
  if (state.activity.kind !== 'holding') return only(state);
  const { duty, dutySinceMs } = state;
  const heatedS = (nowMs - dutySinceMs) / 1000;
  return only({ ...state, duty: 0, activity: { kind: 'measuring', duty } }, { kind: 'measure', duty, heatedS });
}

function afterMeasurement(
  state: TemperatureState,
  duty: number,
  { reading, limits }: Extract<TemperatureInput, { kind: 'measured' }>,
  thermostat: ThermostatParameters | undefined,
): Step {
  const { celsius, boardC } = reading;
  const estimate: TemperatureEffect = { kind: 'publish_estimate', celsius, boardC, duty };
  const holding: TemperatureState = { ...state, activity: { kind: 'holding' } };
  if (thermostat === undefined || limits === undefined)
    return only(holding, estimate, { kind: 'report', celsius, flags: [] });
  const isDoubtful = !reading.fitsHeater && celsius < state.targetC + farAboveC;
  if (isDoubtful || state.sensor === 'doubtful') {
    const report: TemperatureEffect = { kind: 'report', celsius, flags: ['sensor_doubtful'] };
    if (!isDoubtful) return only(holding, estimate, report);
    const rule = 'The board did not cool down after heating: its sensor cannot be trusted.';
    return only(
      { ...holding, sensor: 'doubtful', requestedDuty: 0 },
      estimate,
      { kind: 'notify', notice: { code: 'sensor_doubtful', duty, boardC } },
      ...off(duty, rule),
      report,
    );
  }
  return decide(state, reading, limits, thermostat, estimate);
}

function decide(
  state: TemperatureState,
  { celsius, forecast, hottestBoardC: boardC }: LiquidReading,
  limits: HeatLimits,
  { gains }: ThermostatParameters,
  estimate: TemperatureEffect,
): Step {
  const step = thermostatStep(state.thermostat, gains, { targetC: state.targetC, liquidC: celsius, forecast });
  const demand = heatDemand(boardC, limits);
  const duty = Math.round(100 * limitDuty(demand, step.duty)) / 100;
  const notices: readonly TemperatureEffect[] =
    demand === 'none' ? [] : [{ kind: 'notify', notice: { code: 'board_hot', demand, boardC } }];
  return only(
    { ...state, activity: { kind: 'driving', decision: { step, celsius } } },
    estimate,
    { kind: 'show_control', control: step.control },
    ...notices,
    { kind: 'report', celsius, flags: [] },
    { kind: 'heat', duty },
  );
}

function afterDriving(state: TemperatureState, { duty, nowMs }: Extract<TemperatureInput, { kind: 'driven' }>): Step {
  const { activity, targetC, requestedDuty: from } = state;
  // The guard has read the sensor too, or it would have refused.
  const sensorSeenMs = duty > 0 ? nowMs : state.sensorSeenMs;
  const driven: TemperatureState = { ...state, duty, dutySinceMs: nowMs, sensorSeenMs };
  if (activity.kind !== 'driving') return only(driven);
  const { step, celsius } = activity.decision;
  const next: TemperatureState = { ...driven, activity: { kind: 'holding' }, requestedDuty: duty };
  const record: readonly TemperatureEffect[] =
    duty === from ? [] : [{ kind: 'record_step', from, to: duty, targetC, celsius }];
  // A refused or limited duty must not accumulate in the controller.
  if (duty !== step.duty) return only(next, ...record);
  return only({ ...next, thermostat: step.state }, ...record);
}

/** Without a measurement the liquid must not get warmer. */
function afterFailure(state: TemperatureState, error: Error): Step {
  const { activity } = state;
  const rule = 'The temperature could not be measured.';
  const log: TemperatureEffect = { kind: 'log_fault', error };
  if (activity.kind === 'discarding') {
    const heats = state.duty > 0 ? off(state.duty, rule) : [];
    return only({ ...state, activity: { kind: activity.next } }, log, ...heats);
  }
  if (activity.kind !== 'measuring') return only(state);
  const heated = activity.duty > 0 ? off(activity.duty, rule) : [];
  return only({ ...state, activity: { kind: 'holding' } }, log, ...heated);
}

function check(state: TemperatureState, { limits, nowMs }: TemperatureInput): Step {
  if (limits !== undefined && limitTarget(state.targetC, limits) !== state.targetC) {
    const lowered = setTarget(state, state.targetC, limits);
    const measured = measure(lowered.state, nowMs);
    return only(measured.state, ...lowered.effects, ...measured.effects);
  }
  return state.activity.kind === 'holding' && state.duty > 0 ? only(state, { kind: 'read_board' }) : only(state);
}

function afterSilence(
  state: TemperatureState,
  { nowMs, error }: Extract<TemperatureInput, { kind: 'sensor_silent' }>,
): Step {
  if (nowMs - state.sensorSeenMs < longestSilenceMs || state.activity.kind !== 'holding') return only(state);
  return only(state, { kind: 'log_fault', error }, ...off(state.duty, 'The temperature sensor was silent for 20 s.'));
}

function setTarget(state: TemperatureState, requestedC: number, limits: HeatLimits | undefined): Step {
  if (limits === undefined) return only(state);
  const targetC = limitTarget(requestedC, limits);
  const notices: readonly TemperatureEffect[] =
    targetC === requestedC
      ? []
      : [
          { kind: 'notify', notice: { code: 'target_lowered', targetC, requestedC } },
          { kind: 'publish_target', targetC },
        ];
  if (targetC === state.targetC) return only(state, ...notices);
  return only({ ...state, targetC }, ...notices, { kind: 'record_settings' });
}

function pause(state: TemperatureState): Step {
  const { activity } = state;
  const isMeasuring = activity.kind === 'measuring' || activity.kind === 'discarding';
  const from = activity.kind === 'measuring' ? activity.duty : state.duty;
  return only(
    { ...state, activity: isMeasuring ? { kind: 'discarding', next: 'paused' } : { kind: 'paused' } },
    ...(state.requestedDuty > 0 ? recordOff(from, 'The job sleeps.') : []),
    { kind: 'heat', duty: 0 },
  );
}

function resume(state: TemperatureState): Step {
  const { activity, requestedDuty } = state;
  const record: readonly TemperatureEffect[] =
    requestedDuty > 0
      ? [{ kind: 'record', from: 0, to: requestedDuty, rule: 'The job continues with its last duty.' }]
      : [];
  return only(
    {
      ...state,
      sensor: 'trusted',
      activity: activity.kind === 'discarding' ? { kind: 'discarding', next: 'holding' } : { kind: 'holding' },
    },
    ...record,
    { kind: 'heat', duty: requestedDuty },
  );
}
