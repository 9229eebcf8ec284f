import type { Model } from '@lcs/contract';
import { freshPid, type PidState, pidStep } from '../control/pid.ts';

export interface ThermostatGains {
  readonly proportional: number;
  readonly integral: number;
  readonly derivative: number;
}

/**
 * % per °C and step. Chosen; the tests show what they do to the vial model. The steps themselves add up, so that no
 * integral gain is needed to arrive.
 */
export const usualThermostatGains: ThermostatGains = { proportional: 2.6, integral: 0, derivative: 4.6 };

/** Largest change of the heater's duty in one step, %. Chosen. */
const largestChange = 25;

export interface ThermostatStep {
  /** New duty of the heater, 0 to 100 %, two decimals. */
  readonly duty: number;
  readonly change: number;
  readonly state: PidState;
}

export const freshThermostat: PidState = freshPid;

/** One step for each new temperature of the liquid (°C): the duty moves by what the controller gives. */
export function thermostatStep(
  state: PidState,
  gains: ThermostatGains,
  now: { readonly targetC: number; readonly liquidC: number; readonly duty: number },
): ThermostatStep {
  const limits = { lowest: -largestChange, highest: largestChange };
  const step = pidStep(state, { ...gains, ...limits }, { setpoint: now.targetC, input: now.liquidC, dt: 1 });
  const wished = Math.min(100, Math.max(0, now.duty + step.output));
  const duty = Math.round(wished * 100) / 100;
  return { duty, change: Math.round((duty - now.duty) * 100) / 100, state: step.state };
}

type HeatLimits = Pick<Model, 'max_temp_to_reduce_heating' | 'max_temp_to_disable_heating' | 'max_temp_to_shutdown'>;

/** What the temperature of the heater's board demands. */
export type HeatDemand = 'none' | 'reduce' | 'disable' | 'shut_down';

/** Judges a board temperature (°C) by the limits of the model: above the limit, not at it. */
export function heatDemand(boardC: number, limits: HeatLimits): HeatDemand {
  if (boardC > limits.max_temp_to_shutdown) return 'shut_down';
  if (boardC > limits.max_temp_to_disable_heating) return 'disable';
  return boardC > limits.max_temp_to_reduce_heating ? 'reduce' : 'none';
}

/** Share of its duty that a heater keeps when it has to be reduced. Chosen. */
const reducedShare = 0.9;

/** Duty (%) that a demand leaves of `duty`. */
export const dutyAllowed = (demand: HeatDemand, duty: number): number =>
  demand === 'none' ? duty : demand === 'reduce' ? reducedShare * duty : 0;

/** A target (°C) within what the model bears. */
export const targetAllowed = (targetC: number, limits: HeatLimits): number =>
  Math.min(limits.max_temp_to_reduce_heating, Math.max(0, targetC));
