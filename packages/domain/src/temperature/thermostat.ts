import type { Model } from '@lcs/contract';
import { initialPidState, type PidRecord, type PidState, pidStep } from '../control/pid.ts';

/** % per °C; keys Kp, Ki and Kd of the configuration. */
export interface ThermostatGains {
  /** What the held duty moves by in each step, for each missing °C. */
  readonly heldDutyPerStep: number;
  /** What that movement grows by from step to step while °C are missing. */
  readonly heldDutyAcceleration: number;
  /** What the duty is above the held one for each missing °C: the same as an answer to each change of the temperature. */
  readonly extraDuty: number;
}

/**
 * Chosen on the vial model, half of the vials with constants off by up to 30 % (`npm run bench:science -- --case thermostat`). The
 * steps of the held duty add up, so that it needs no acceleration to arrive.
 */
export const defaultThermostatGains: ThermostatGains = { heldDutyPerStep: 2.6, heldDutyAcceleration: 0, extraDuty: 7 };

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
  /** The room that the held duty is for, °C; null: that of the next step. */
  readonly roomC: number | null;
  readonly hasArrived: boolean;
  readonly pid: PidState;
}

/** The room, as the inference knows it. */
export interface RoomHeat {
  readonly roomC: number;
  /** Duty that keeps the liquid 1 °C above the room, %. */
  readonly dutyPerDegree: number;
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
  roomC: heldDuty === undefined ? defaultAmbientC : null,
  hasArrived: false,
  pid: initialPidState,
});

/** The state for another target: the held duty changes by the expected difference. */
export const withNewTarget = (state: ThermostatState, fromC: number, toC: number): ThermostatState => ({
  ...state,
  heldDuty: percent(state.heldDuty + dutyPerDegree * (toC - fromC)),
  previousC: null,
  hasArrived: false,
  pid: initialPidState,
});

/** Vials need between these, %/°C: a wrong estimate of one must not move the duty further. */
const [leastPerDegree, mostPerDegree] = [1, 6];

/**
 * Share by which the held duty follows a room that is colder, in one step; a warmer one it follows at once. Chosen: a door that is open
 * for ten minutes must not leave a culture too hot when it closes.
 */
const colderFollowed = 0.2;

/** The held duty in a room that has changed: what the room no longer gives, the heater must (feedforward). */
function inRoom({ heldDuty, roomC: before }: ThermostatState, room: RoomHeat | undefined) {
  if (room === undefined || before === null) return { heldDuty, roomC: room?.roomC ?? before };
  const change = room.roomC - before;
  const followed = change < 0 ? colderFollowed * change : change;
  const perDegree = Math.min(mostPerDegree, Math.max(leastPerDegree, room.dutyPerDegree));
  return { heldDuty: percent(heldDuty - perDegree * followed), roomC: before + followed };
}

/**
 * One step for each new temperature of the liquid (°C). The held duty follows the room; besides that it only moves while the temperature is nearly steady and
 * the heater has room to follow: a door that was open for a while must not leave a culture too hot afterwards.
 */
export function thermostatStep(
  state: ThermostatState,
  gains: ThermostatGains,
  now: { readonly targetC: number; readonly liquidC: number; readonly room?: RoomHeat | undefined },
): ThermostatStep {
  const { heldDuty: roomDuty, roomC } = inRoom(state, now.room);
  const missing = now.targetC - now.liquidC;
  const farthest = state.hasArrived ? farthestOnceThere : farthestOnTheWay;
  const counted = Math.min(farthest, Math.max(-farthest, missing));
  const hasArrived = state.hasArrived || Math.abs(missing) <= arrivedWithin;
  const above = gains.extraDuty * missing;
  const demand = roomDuty + above;
  const isFull = (demand >= 100 && counted > 0) || (demand <= 0 && counted < 0);
  const isSteady = state.previousC === null || Math.abs(now.liquidC - state.previousC) <= fastestSteady;
  const limits = { lowest: -largestChange, highest: largestChange };
  const parameters = {
    proportional: gains.heldDutyPerStep,
    integral: gains.heldDutyAcceleration,
    derivative: 0,
    ...limits,
  };
  const step = pidStep(state.pid, parameters, { setpoint: counted, input: 0, dt: 1 });
  const moves = isSteady && !isFull;
  const heldDuty = moves ? percent(roomDuty + step.output) : roomDuty;
  return {
    duty: Math.round(100 * percent(heldDuty + above)) / 100,
    state: { heldDuty, previousC: now.liquidC, roomC, hasArrived, pid: moves ? step.state : state.pid },
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
