/**
 * The heat that the temperature inference assumes in a vial: heater board, sleeve and liquid as lumps that exchange it with each
 * other and with the room (lumped capacitance: Incropera, "Fundamentals of Heat and Mass Transfer", chapter 5).
 */
export const thermalParameters = [
  'heaterPower',
  'boardCapacity',
  'sleeveCapacity',
  'boardToSleeve',
  'boardToLiquid',
  'boardToRoom',
  'sleeveToLiquid',
  'sleeveToRoom',
  'liquidToRoom',
] as const;

/**
 * W, J/K and W/K of a usual vial. Fitted to four measured cooling traces together with the constants of the simulated vial
 * (decision 26). Only ratios show in temperatures: the capacity of the liquid below is their scale.
 */
const usualParameters: readonly number[] = [7.65, 7.48, 13.8, 0.528, 0.0455, 0.00666, 0.0912, 0.0458, 0.0314];
const liquidCapacity = 74.7;

/** Position of each temperature in the state; the natural logarithms of parameter by usual parameter follow. */
export const stateIndex = { board: 0, sleeve: 1, liquid: 2, room: 3, parameters: 4 } as const;
export const stateSize = stateIndex.parameters + thermalParameters.length;

/** Of board, sleeve and liquid. */
export type Temperatures = readonly [number, number, number];
/** By rows: what each of them is for one °C of each. */
export type TemperatureMatrix = readonly [Temperatures, Temperatures, Temperatures];

/** Rates of board, sleeve and liquid, °C/s, and their derivatives by each value of the state. */
export interface ThermalRates {
  readonly rates: Temperatures;
  readonly derivatives: readonly [readonly number[], readonly number[], readonly number[]];
}

/** `state`: see `stateIndex`; `duty` of the heater in %. */
export function thermalRates(state: readonly number[], duty: number): ThermalRates {
  const value = (index: number): number =>
    (usualParameters[index] ?? 0) * Math.exp(state[stateIndex.parameters + index] ?? 0);
  const [board = 0, sleeve = 0, liquid = 0, room = 0] = state;
  const [power, boardJ, sleeveJ] = [value(0), value(1), value(2)];
  const [boardSleeve, boardLiquid, boardRoom] = [value(3), value(4), value(5)];
  const [sleeveLiquid, sleeveRoom, liquidRoom] = [value(6), value(7), value(8)];
  const heat = (power * duty) / 100;
  const toSleeve = boardSleeve * (board - sleeve);
  const toLiquid = boardLiquid * (board - liquid);
  const boardLoss = boardRoom * (board - room);
  const throughGlass = sleeveLiquid * (sleeve - liquid);
  const sleeveLoss = sleeveRoom * (sleeve - room);
  const liquidLoss = liquidRoom * (liquid - room);
  const boardRate = (heat - toSleeve - toLiquid - boardLoss) / boardJ;
  const sleeveRate = (toSleeve - throughGlass - sleeveLoss) / sleeveJ;
  const liquidRate = (toLiquid + throughGlass - liquidLoss) / liquidCapacity;
  return {
    rates: [boardRate, sleeveRate, liquidRate],
    derivatives: [
      [
        -(boardSleeve + boardLiquid + boardRoom) / boardJ,
        boardSleeve / boardJ,
        boardLiquid / boardJ,
        boardRoom / boardJ,
        heat / boardJ,
        -boardRate,
        0,
        -toSleeve / boardJ,
        -toLiquid / boardJ,
        -boardLoss / boardJ,
        0,
        0,
        0,
      ],
      [
        boardSleeve / sleeveJ,
        -(boardSleeve + sleeveLiquid + sleeveRoom) / sleeveJ,
        sleeveLiquid / sleeveJ,
        sleeveRoom / sleeveJ,
        0,
        0,
        -sleeveRate,
        toSleeve / sleeveJ,
        0,
        0,
        -throughGlass / sleeveJ,
        -sleeveLoss / sleeveJ,
        0,
      ],
      [
        boardLiquid / liquidCapacity,
        sleeveLiquid / liquidCapacity,
        -(boardLiquid + sleeveLiquid + liquidRoom) / liquidCapacity,
        liquidRoom / liquidCapacity,
        0,
        0,
        0,
        0,
        toLiquid / liquidCapacity,
        0,
        throughGlass / liquidCapacity,
        0,
        -liquidLoss / liquidCapacity,
      ],
    ],
  };
}

const seriesTerms = 9;

/** Integral of the matrix exponential of board, sleeve and liquid over `seconds`, by Horner's rule. Unrolled: 13,000 a day. */
export function integratedExponential(derivatives: ThermalRates['derivatives'], seconds: number): TemperatureMatrix {
  const [[bb = 0, bs = 0, bl = 0], [sb = 0, ss = 0, sl = 0], [lb = 0, ls = 0, ll = 0]] = derivatives;
  let [p0, p1, p2] = [seconds, 0, 0];
  let [q0, q1, q2] = [0, seconds, 0];
  let [r0, r1, r2] = [0, 0, seconds];
  for (let order = seriesTerms; order >= 2; order -= 1) {
    const scale = seconds / order;
    const b0 = seconds + scale * (bb * p0 + bs * q0 + bl * r0);
    const b1 = scale * (bb * p1 + bs * q1 + bl * r1);
    const b2 = scale * (bb * p2 + bs * q2 + bl * r2);
    const s0 = scale * (sb * p0 + ss * q0 + sl * r0);
    const s1 = seconds + scale * (sb * p1 + ss * q1 + sl * r1);
    const s2 = scale * (sb * p2 + ss * q2 + sl * r2);
    const l0 = scale * (lb * p0 + ls * q0 + ll * r0);
    const l1 = scale * (lb * p1 + ls * q1 + ll * r1);
    const l2 = seconds + scale * (lb * p2 + ls * q2 + ll * r2);
    [p0, p1, p2, q0, q1, q2, r0, r1, r2] = [b0, b1, b2, s0, s1, s2, l0, l1, l2];
  }
  return [
    [p0, p1, p2],
    [q0, q1, q2],
    [r0, r1, r2],
  ];
}
