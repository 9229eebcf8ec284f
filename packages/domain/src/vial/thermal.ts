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
  const after = { ...state };
  heat(parameters, after, inputs, seconds);
  return after;
}

/** The same in place, by the method of Runge and Kutta of fourth order; all slopes are degrees per second. */
export function heat(
  parameters: ThermalParameters,
  state: { -readonly [Key in keyof ThermalState]: number },
  { duty, volumeMl, ambientC, stirred }: ThermalInputs,
  seconds: number,
): void {
  const { heaterW, heaterCapacity, sleeveCapacity, heaterToSleeve, heaterToLiquid } = parameters;
  const { heaterToAir, sleeveToAir, liquidToAir } = parameters;
  const power = (heaterW * duty) / 100;
  const throughGlass = parameters.sleeveToLiquid * (stirred ? 1 : stillLiquid);
  const capacity = liquidCapacity(parameters, volumeMl);
  const ofHeater = (heaterC: number, sleeveC: number, liquidC: number): number =>
    (power -
      heaterToSleeve * (heaterC - sleeveC) -
      heaterToLiquid * (heaterC - liquidC) -
      heaterToAir * (heaterC - ambientC)) /
    heaterCapacity;
  const ofSleeve = (heaterC: number, sleeveC: number, liquidC: number): number =>
    (heaterToSleeve * (heaterC - sleeveC) - throughGlass * (sleeveC - liquidC) - sleeveToAir * (sleeveC - ambientC)) /
    sleeveCapacity;
  const ofLiquid = (heaterC: number, sleeveC: number, liquidC: number): number =>
    (heaterToLiquid * (heaterC - liquidC) + throughGlass * (sleeveC - liquidC) - liquidToAir * (liquidC - ambientC)) /
    capacity;
  const steps = Math.max(1, Math.ceil(seconds / longestStepS));
  const h = seconds / steps;
  const half = h / 2;
  let { heaterC: heater, sleeveC: sleeve, liquidC: liquid } = state;
  for (let step = 0; step < steps; step += 1) {
    const heaterA = ofHeater(heater, sleeve, liquid);
    const sleeveA = ofSleeve(heater, sleeve, liquid);
    const liquidA = ofLiquid(heater, sleeve, liquid);
    let heaterAt = heater + heaterA * half;
    let sleeveAt = sleeve + sleeveA * half;
    let liquidAt = liquid + liquidA * half;
    const heaterB = ofHeater(heaterAt, sleeveAt, liquidAt);
    const sleeveB = ofSleeve(heaterAt, sleeveAt, liquidAt);
    const liquidB = ofLiquid(heaterAt, sleeveAt, liquidAt);
    heaterAt = heater + heaterB * half;
    sleeveAt = sleeve + sleeveB * half;
    liquidAt = liquid + liquidB * half;
    const heaterC = ofHeater(heaterAt, sleeveAt, liquidAt);
    const sleeveC = ofSleeve(heaterAt, sleeveAt, liquidAt);
    const liquidC = ofLiquid(heaterAt, sleeveAt, liquidAt);
    heaterAt = heater + heaterC * h;
    sleeveAt = sleeve + sleeveC * h;
    liquidAt = liquid + liquidC * h;
    heater += (h / 6) * (heaterA + 2 * heaterB + 2 * heaterC + ofHeater(heaterAt, sleeveAt, liquidAt));
    sleeve += (h / 6) * (sleeveA + 2 * sleeveB + 2 * sleeveC + ofSleeve(heaterAt, sleeveAt, liquidAt));
    liquid += (h / 6) * (liquidA + 2 * liquidB + 2 * liquidC + ofLiquid(heaterAt, sleeveAt, liquidAt));
  }
  state.heaterC = heater;
  state.sleeveC = sleeve;
  state.liquidC = liquid;
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
