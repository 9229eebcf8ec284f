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

/** Rates of board, sleeve and liquid, °C/s, and their derivatives by each value of the state. */
export interface ThermalRates {
  readonly rates: readonly [number, number, number];
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
