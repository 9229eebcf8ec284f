/** Temperatures, °C, of the heater's board below the vial, of glass and sleeve, and of the liquid. */
export interface ThermalState {
  readonly heaterC: number;
  readonly sleeveC: number;
  readonly liquidC: number;
}

/**
 * Three lumps of heat joined by conductances. Only ratios show in temperatures, so the power is a choice; with it the
 * time constants are about 19 s (heater), 90 s (sleeve) and 22 min (liquid of 15 ml).
 */
export interface ThermalParameters {
  readonly heaterW: number;
  /** J/K. */
  readonly heaterCapacity: number;
  readonly sleeveCapacity: number;
  /** The heat capacity besides the liquid: glass, bar, cap. */
  readonly glassCapacity: number;
  /** W/K. */
  readonly heaterToSleeve: number;
  readonly heaterToLiquid: number;
  readonly heaterToAir: number;
  readonly sleeveToLiquid: number;
  readonly sleeveToAir: number;
  readonly liquidToAir: number;
}

export interface ThermalInputs {
  readonly duty: number;
  readonly volumeMl: number;
  readonly ambientC: number;
  readonly stirred: boolean;
}

/** J/(ml·K), water between 20 and 40 °C (CRC Handbook of Chemistry and Physics). */
export const waterHeatCapacity = 4.18;

/** Without stirring the liquid takes up heat through a still layer. Chosen. */
const stillLiquid = 0.6;

/** Seconds; a quarter of the shortest time constant, where Runge-Kutta's error is below 1e-5 of a temperature step. */
const longestStepS = 5;

export const defaultThermal: ThermalParameters = {
  heaterW: 7,
  heaterCapacity: 7.5,
  sleeveCapacity: 22,
  glassCapacity: 12,
  heaterToSleeve: 0.25,
  heaterToLiquid: 0.055,
  heaterToAir: 0.007,
  sleeveToLiquid: 0.15,
  sleeveToAir: 0.045,
  liquidToAir: 0.027,
};

/** The temperatures after `seconds` of even conditions; `duty` in %. */
export function heated(
  parameters: ThermalParameters,
  state: ThermalState,
  inputs: ThermalInputs,
  seconds: number,
): ThermalState {
  const steps = Math.max(1, Math.ceil(seconds / longestStepS));
  const h = seconds / steps;
  let current = state;
  for (let step = 0; step < steps; step += 1) {
    const a = slopes(parameters, current, inputs);
    const b = slopes(parameters, moved(current, a, h / 2), inputs);
    const c = slopes(parameters, moved(current, b, h / 2), inputs);
    const d = slopes(parameters, moved(current, c, h), inputs);
    current = {
      heaterC: current.heaterC + (h / 6) * (a.heaterC + 2 * b.heaterC + 2 * c.heaterC + d.heaterC),
      sleeveC: current.sleeveC + (h / 6) * (a.sleeveC + 2 * b.sleeveC + 2 * c.sleeveC + d.sleeveC),
      liquidC: current.liquidC + (h / 6) * (a.liquidC + 2 * b.liquidC + 2 * c.liquidC + d.liquidC),
    };
  }
  return current;
}

/** J per K of the vial with its liquid. */
export const liquidCapacity = (parameters: ThermalParameters, volumeMl: number): number =>
  parameters.glassCapacity + waterHeatCapacity * volumeMl;

/** The same with all that goes to the air multiplied. */
export const withLoss = (parameters: ThermalParameters, factor: number): ThermalParameters => ({
  ...parameters,
  heaterToAir: factor * parameters.heaterToAir,
  sleeveToAir: factor * parameters.sleeveToAir,
  liquidToAir: factor * parameters.liquidToAir,
});

const moved = (state: ThermalState, slope: ThermalState, seconds: number): ThermalState => ({
  heaterC: state.heaterC + slope.heaterC * seconds,
  sleeveC: state.sleeveC + slope.sleeveC * seconds,
  liquidC: state.liquidC + slope.liquidC * seconds,
});

/** Degrees per second. */
function slopes(parameters: ThermalParameters, state: ThermalState, inputs: ThermalInputs): ThermalState {
  const { heaterC, sleeveC, liquidC } = state;
  const { ambientC } = inputs;
  const toSleeve = parameters.heaterToSleeve * (heaterC - sleeveC);
  const toLiquid = parameters.heaterToLiquid * (heaterC - liquidC);
  const throughGlass = parameters.sleeveToLiquid * (inputs.stirred ? 1 : stillLiquid) * (sleeveC - liquidC);
  const power = (parameters.heaterW * inputs.duty) / 100;
  return {
    heaterC: (power - toSleeve - toLiquid - parameters.heaterToAir * (heaterC - ambientC)) / parameters.heaterCapacity,
    sleeveC: (toSleeve - throughGlass - parameters.sleeveToAir * (sleeveC - ambientC)) / parameters.sleeveCapacity,
    liquidC:
      (toLiquid + throughGlass - parameters.liquidToAir * (liquidC - ambientC)) /
      liquidCapacity(parameters, inputs.volumeMl),
  };
}
