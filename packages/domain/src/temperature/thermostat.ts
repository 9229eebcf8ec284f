import type { Model } from '@lcs/contract';
import { initialPidState, type PidRecord, type PidState, pidStep } from '../control/pid.ts';

export interface ThermostatGains {
  readonly proportional: number;
  readonly integral: number;
  readonly derivative: number;
}

/**
 * % per °C. The held duty moves by `proportional` for each °C and step; `derivative` is what the duty is above the held one
 * for each °C that is missing: the same as an answer to each change of the temperature. Chosen on the vial model, half of
 * the vials with constants off by up to 30 % (`npm run bench:science -- --case thermostat`). The steps of the held duty add
 * up, so that no integral gain is needed to arrive.
 */
export const defaultThermostatGains: ThermostatGains = { proportional: 2.6, integral: 0, derivative: 7 };

/**
 * °C: what is missing beyond this moves the held duty no faster, so that it does not run away on a long way up; and less
 * once the target was reached, for what disturbs it then passes.
 */
const farthestOnTheWay = 0.75;
const farthestOnceThere = 0.25;
/** °C within which a target counts as reached. */
const arrivedWithin = 0.25;

/** °C between two steps: a faster change does not determine the duty that holds the temperature. */
const fastestSteady = 0.35;

/** Largest change of the held duty in one step, %. */
const largestChange = 25;

/** % per °C above a usual room: a little less than most vials need, so that they come from below. */
const dutyPerDegree = 1.5;
const defaultAmbientC = 22;

/** State of a thermostat; plain data. */
export interface ThermostatState {
  /** The estimated duty that holds the target, %. */
  readonly heldDuty: number;
  readonly previousC: number | null;
  readonly hasArrived: boolean;
  readonly pid: PidState;
}

export interface ThermostatStep {
  /** New duty of the heater, 0 to 100 %, two decimals. */
  readonly duty: number;
  readonly state: ThermostatState;
  /** Record of the controller. Its output is the change of the held duty, applied while the temperature is nearly steady. */
  readonly control: PidRecord;
}

const percent = (value: number): number => Math.min(100, Math.max(0, value));

/** The initial state; `heldDuty` (%): the duty that held this target before, if known. */
export const initialThermostatState = (targetC: number, heldDuty?: number): ThermostatState => ({
  heldDuty: percent(heldDuty ?? dutyPerDegree * (targetC - defaultAmbientC)),
  previousC: null,
  hasArrived: false,
  pid: initialPidState,
});

/** The state for another target: the held duty changes by the expected difference. */
export const withNewTarget = (state: ThermostatState, fromC: number, toC: number): ThermostatState => ({
  heldDuty: percent(state.heldDuty + dutyPerDegree * (toC - fromC)),
  previousC: null,
  hasArrived: false,
  pid: initialPidState,
});

/**
 * One step for each new temperature of the liquid (°C). The held duty only moves while the temperature is nearly steady and
 * the heater has room to follow: a door that was open for a while must not leave a culture too hot afterwards.
 */
export function thermostatStep(
  state: ThermostatState,
  gains: ThermostatGains,
  now: { readonly targetC: number; readonly liquidC: number },
): ThermostatStep {
  const missing = now.targetC - now.liquidC;
  const farthest = state.hasArrived ? farthestOnceThere : farthestOnTheWay;
  const counted = Math.min(farthest, Math.max(-farthest, missing));
  const hasArrived = state.hasArrived || Math.abs(missing) <= arrivedWithin;
  const above = gains.derivative * missing;
  const demand = state.heldDuty + above;
  const isFull = (demand >= 100 && counted > 0) || (demand <= 0 && counted < 0);
  const isSteady = state.previousC === null || Math.abs(now.liquidC - state.previousC) <= fastestSteady;
  const limits = { lowest: -largestChange, highest: largestChange };
  const parameters = { ...gains, derivative: 0, ...limits };
  const step = pidStep(state.pid, parameters, { setpoint: counted, input: 0, dt: 1 });
  const moves = isSteady && !isFull;
  const heldDuty = moves ? percent(state.heldDuty + step.output) : state.heldDuty;
  return {
    duty: Math.round(100 * percent(heldDuty + above)) / 100,
    state: { heldDuty, previousC: now.liquidC, hasArrived, pid: moves ? step.state : state.pid },
    control: { setpoint: now.targetC, input: now.liquidC, output: step.output, parameters, terms: step.terms },
  };
}

export type HeatLimits = Pick<
  Model,
  'max_temp_to_reduce_heating' | 'max_temp_to_disable_heating' | 'max_temp_to_shutdown'
>;

/** The lower limits of two reactors; `other` may be unknown. */
export const lowerLimits = (one: HeatLimits, other: HeatLimits = one): HeatLimits => ({
  max_temp_to_reduce_heating: Math.min(one.max_temp_to_reduce_heating, other.max_temp_to_reduce_heating),
  max_temp_to_disable_heating: Math.min(one.max_temp_to_disable_heating, other.max_temp_to_disable_heating),
  max_temp_to_shutdown: Math.min(one.max_temp_to_shutdown, other.max_temp_to_shutdown),
});

/** The action that the temperature of the heater's board demands. */
export type HeatDemand = 'none' | 'reduce' | 'disable' | 'shut_down';

/** The demand of a board temperature (°C) by the limits of the model: above a limit, not at it. */
export function heatDemand(boardC: number, limits: HeatLimits): HeatDemand {
  if (boardC > limits.max_temp_to_shutdown) return 'shut_down';
  if (boardC > limits.max_temp_to_disable_heating) return 'disable';
  return boardC > limits.max_temp_to_reduce_heating ? 'reduce' : 'none';
}

/** Share of the duty that remains when the heater must be reduced. Chosen. */
const reducedShare = 0.9;

/** The duty (%) that a demand allows. */
export const limitDuty = (demand: HeatDemand, duty: number): number =>
  demand === 'none' ? duty : demand === 'reduce' ? reducedShare * duty : 0;

/** A target (°C) within the limits of the model. */
export const limitTarget = (targetC: number, limits: HeatLimits): number =>
  Math.min(limits.max_temp_to_reduce_heating, Math.max(0, targetC));
