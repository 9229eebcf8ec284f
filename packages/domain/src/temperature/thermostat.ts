import type { Model } from '@lcs/contract';
import { initialPidState, type PidRecord, type PidState, pidStep } from '../control/pid.ts';

/** % per °C; keys Kp, Ki and Kd of the configuration. */
export interface ThermostatGains {
  /** Duty beyond the one that holds the liquid, for each missing °C. */
  readonly proportional: number;
  /** Growth of that duty from cycle to cycle, for each missing °C. */
  readonly integral: number;
  /** Reduction of that duty for each °C that the liquid has warmed since the former cycle. */
  readonly derivative: number;
}

/**
 * Chosen on the vial model with heat flows off by up to 50 % (`npm run bench:science -- --case room`). What a vial needs is part of
 * the forecast, so that no integral is needed to arrive.
 */
export const defaultThermostatGains: ThermostatGains = { proportional: 12, integral: 0, derivative: 0 };

/** What the inference expects of the liquid at the end of the next cycle of the heater; linear in duty and room. */
export interface LiquidForecast {
  readonly roomC: number;
  /** Duty after which the liquid has its present temperature again, %; may be outside 0 to 100. */
  readonly holdingDuty: number;
  /** °C for each % of duty. */
  readonly perDuty: number;
  /** °C for each °C of the room. */
  readonly perRoom: number;
}

/** State of a thermostat; plain data. */
export interface ThermostatState {
  /** The room without short changes, °C; null before the first step. */
  readonly usualRoomC: number | null;
  readonly pid: PidState;
}

export interface ThermostatStep {
  /** New duty of the heater, 0 to 100 %, two decimals. */
  readonly duty: number;
  readonly state: ThermostatState;
  /** Record of the controller. Its output is the duty beyond the one that holds the liquid. */
  readonly control: PidRecord;
}

export const initialThermostatState: ThermostatState = { usualRoomC: null, pid: initialPidState };

/**
 * °C by which the usual room follows the present one in a cycle (9 °C in an hour). Chosen: it follows days and heating, but not a door
 * that is open for ten minutes.
 */
const usualRoomStepC = 0.5;

/**
 * What a room that returns may warm the liquid by, as a multiple of the forecast. Chosen: a draught also takes more heat, so that its end is more
 * than another temperature of the room.
 */
const returnFactor = 1.2;

const percent = (value: number): number => Math.min(100, Math.max(0, value));

/**
 * One step for each new temperature of the liquid (°C): the duty that holds the liquid (feedforward by the model of the vial), and a PID
 * controller for what is missing. The duty is at most the one with which the liquid reaches the target at the end of the cycle
 * (deadbeat: Åström and Wittenmark, "Computer-Controlled Systems", 1997, section 4.3), even if a room that has become colder is as warm as
 * usual again: an open door may close.
 */
export function thermostatStep(
  { usualRoomC: before, pid }: ThermostatState,
  gains: ThermostatGains,
  {
    targetC,
    liquidC,
    forecast,
  }: {
    readonly targetC: number;
    readonly liquidC: number;
    readonly forecast: LiquidForecast;
  },
): ThermostatStep {
  const { roomC, holdingDuty, perDuty, perRoom } = forecast;
  const change = roomC - (before ?? roomC);
  const usualRoomC = roomC - change + Math.min(usualRoomStepC, Math.max(-usualRoomStepC, change));
  const warmerC = Math.max(0, usualRoomC - roomC);
  const most = percent(holdingDuty + (targetC - liquidC - returnFactor * perRoom * warmerC) / perDuty);
  const parameters = { ...gains, lowest: -100, highest: 100 };
  const step = pidStep(pid, parameters, { setpoint: targetC, input: liquidC, dt: 1 });
  const demand = holdingDuty + step.output;
  const duty = Math.min(most, percent(demand));
  // Conditional integration, as in the controller itself.
  const integralTerm = duty === demand ? step.state.integralTerm : pid.integralTerm;
  return {
    duty: Math.round(100 * duty) / 100,
    state: { usualRoomC, pid: { ...step.state, integralTerm } },
    control: { setpoint: targetC, input: liquidC, output: step.output, parameters, terms: step.terms },
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
