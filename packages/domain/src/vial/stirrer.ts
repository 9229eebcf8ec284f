export interface StirrerParameters {
  /** RPM per % of duty above the dead zone. */
  readonly rpmPerPercent: number;
  readonly deadZonePercent: number;
  /** Duty below which a standing stirrer does not start. */
  readonly startPercent: number;
  readonly timeConstantS: number;
}

/** A small 5 V fan with magnets: 30 % duty give about 500 RPM. Chosen. */
export const defaultStirrer: StirrerParameters = {
  rpmPerPercent: 21,
  deadZonePercent: 6,
  startPercent: 14,
  timeConstantS: 0.6,
};

/** Slower than this, friction stops the stirrer. RPM. */
const slowestRpm = 60;

export interface StirrerState {
  readonly rpm: number;
  /** Turns since the start, with a fraction. */
  readonly turns: number;
}

export interface StirrerInputs {
  readonly duty: number;
  /** Around 1: supply, load and drift. */
  readonly strength: number;
  readonly blocked: boolean;
}

/** Changes the stirrer to that after `seconds` of constant conditions: the speed follows the duty exponentially, turns are its exact integral. */
export function stir(
  parameters: StirrerParameters,
  state: { -readonly [Key in keyof StirrerState]: number },
  inputs: StirrerInputs,
  seconds: number,
): void {
  if (inputs.blocked) {
    state.rpm = 0;
    return;
  }
  const isStandingStill = state.rpm < slowestRpm;
  const { duty } = inputs;
  const driven = isStandingStill && duty < parameters.startPercent ? 0 : Math.max(0, duty - parameters.deadZonePercent);
  const steady = parameters.rpmPerPercent * driven * inputs.strength;
  const decay = Math.exp(-seconds / parameters.timeConstantS);
  const rpm = steady + (state.rpm - steady) * decay;
  const turned = (steady * seconds + (state.rpm - steady) * parameters.timeConstantS * (1 - decay)) / 60;
  state.rpm = rpm < slowestRpm && steady < slowestRpm ? 0 : rpm;
  state.turns += Math.max(0, turned);
}
