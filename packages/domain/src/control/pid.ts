/** Gains and limits of a controller. The output has the unit of the actuator, the gains carry the rest. */
export interface PidParameters {
  readonly proportional: number;
  /** Per unit of the time step. */
  readonly integral: number;
  /** Times the unit of the time step. */
  readonly derivative: number;
  readonly lowest: number;
  readonly highest: number;
}

/** State of a controller between two steps; plain data. */
export interface PidState {
  /** The integral term, in the unit of the output. */
  readonly integralTerm: number;
  readonly previousInput: number | null;
}

export interface PidStep {
  readonly output: number;
  readonly terms: { readonly proportional: number; readonly integral: number; readonly derivative: number };
  readonly state: PidState;
}

/** Record of one step for choosing the gains, in the units of the controlled variable and of the actuator. */
export interface PidRecord {
  readonly setpoint: number;
  readonly input: number;
  readonly output: number;
  readonly parameters: PidParameters;
  readonly terms: PidStep['terms'];
}

export const initialPidState: PidState = { integralTerm: 0, previousInput: null };

const clamp = (value: number, lowest: number, highest: number): number => Math.min(highest, Math.max(lowest, value));

/**
 * One step of a controller with the derivative on the measurement, so that a new setpoint gives no derivative kick.
 * Anti-windup: the integral term stays within the limits of the output, and does not increase beyond the output's limit while the
 * error has that sign (conditional integration; Åström and Hägglund, "PID Controllers:
 * Theory, Design and Tuning", 1995, section 3.5).
 */
export function pidStep(
  state: PidState,
  parameters: PidParameters,
  measurement: { readonly setpoint: number; readonly input: number; readonly dt: number },
): PidStep {
  const { lowest, highest } = parameters;
  const { setpoint, input, dt } = measurement;
  const error = setpoint - input;
  const proportional = parameters.proportional * error;
  const slope = state.previousInput === null || dt <= 0 ? 0 : (input - state.previousInput) / dt;
  const derivative = slope === 0 ? 0 : -parameters.derivative * slope;
  const increment = parameters.integral * error * dt;
  const integral = integrated(state.integralTerm, increment, proportional + derivative, parameters);
  return {
    output: clamp(proportional + integral + derivative, lowest, highest),
    terms: { proportional, integral, derivative },
    state: { integralTerm: integral, previousInput: input },
  };
}

/** The integral term after `increment`, given the sum of the two `others`. */
function integrated(
  term: number,
  increment: number,
  others: number,
  { lowest, highest }: Pick<PidParameters, 'lowest' | 'highest'>,
): number {
  const furthest = increment > 0 ? Math.max(term, highest - others) : Math.min(term, lowest - others);
  const reached = increment > 0 ? Math.min(term + increment, furthest) : Math.max(term + increment, furthest);
  return clamp(reached, lowest, highest);
}
