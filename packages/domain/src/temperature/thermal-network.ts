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

/** Powers, capacities and conductances of one vial (W, J/K and W/K), and the rates that they cause. */
export interface ThermalNetwork {
  readonly heaterPower: number;
  readonly boardCapacity: number;
  readonly sleeveCapacity: number;
  readonly boardToSleeve: number;
  readonly boardToLiquid: number;
  readonly boardToRoom: number;
  readonly sleeveToLiquid: number;
  readonly sleeveToRoom: number;
  readonly liquidToRoom: number;
  /** Derivatives of the rates of board, sleeve and liquid by their temperatures, s⁻¹: they depend on the parameters only. */
  readonly exchange: TemperatureMatrix;
}

/** The network with the parameters of a state (see `stateIndex`). */
export function thermalNetwork(state: readonly number[]): ThermalNetwork {
  const value = (index: number): number =>
    (usualParameters[index] ?? 0) * Math.exp(state[stateIndex.parameters + index] ?? 0);
  const boardCapacity = value(1);
  const sleeveCapacity = value(2);
  const boardToSleeve = value(3);
  const boardToLiquid = value(4);
  const boardToRoom = value(5);
  const sleeveToLiquid = value(6);
  const sleeveToRoom = value(7);
  const liquidToRoom = value(8);
  return {
    heaterPower: value(0),
    boardCapacity,
    sleeveCapacity,
    boardToSleeve,
    boardToLiquid,
    boardToRoom,
    sleeveToLiquid,
    sleeveToRoom,
    liquidToRoom,
    exchange: [
      [
        -(boardToSleeve + boardToLiquid + boardToRoom) / boardCapacity,
        boardToSleeve / boardCapacity,
        boardToLiquid / boardCapacity,
      ],
      [
        boardToSleeve / sleeveCapacity,
        -(boardToSleeve + sleeveToLiquid + sleeveToRoom) / sleeveCapacity,
        sleeveToLiquid / sleeveCapacity,
      ],
      [
        boardToLiquid / liquidCapacity,
        sleeveToLiquid / liquidCapacity,
        -(boardToLiquid + sleeveToLiquid + liquidToRoom) / liquidCapacity,
      ],
    ],
  };
}

/** For each of board, sleeve and liquid: the derivatives of its rate by each value of the state. */
type Derivatives = readonly [Float64Array, Float64Array, Float64Array];

/**
 * Rates of board, sleeve and liquid, °C/s. `state`: see `stateIndex`, with the parameters of the network; `duty` of the heater in %.
 * `derivatives`: receives those that are not 0 always; a prediction has dozens of steps.
 */
export function thermalRates(
  network: ThermalNetwork,
  state: readonly number[],
  duty: number,
  derivatives?: Derivatives,
): Temperatures {
  const { heaterPower, boardCapacity, sleeveCapacity, exchange } = network;
  const { boardToRoom, sleeveToRoom, liquidToRoom } = network;
  const board = state[stateIndex.board] ?? 0;
  const sleeve = state[stateIndex.sleeve] ?? 0;
  const liquid = state[stateIndex.liquid] ?? 0;
  const room = state[stateIndex.room] ?? 0;
  const heat = (heaterPower * duty) / 100;
  const toSleeve = network.boardToSleeve * (board - sleeve);
  const toLiquid = network.boardToLiquid * (board - liquid);
  const boardLoss = boardToRoom * (board - room);
  const throughGlass = network.sleeveToLiquid * (sleeve - liquid);
  const sleeveLoss = sleeveToRoom * (sleeve - room);
  const liquidLoss = liquidToRoom * (liquid - room);
  const boardRate = (heat - toSleeve - toLiquid - boardLoss) / boardCapacity;
  const sleeveRate = (toSleeve - throughGlass - sleeveLoss) / sleeveCapacity;
  const liquidRate = (toLiquid + throughGlass - liquidLoss) / liquidCapacity;
  if (derivatives !== undefined) {
    const [ofBoard, ofSleeve, ofLiquid] = [derivatives[0], derivatives[1], derivatives[2]];
    ofBoard[0] = exchange[0][0];
    ofBoard[1] = exchange[0][1];
    ofBoard[2] = exchange[0][2];
    ofBoard[3] = boardToRoom / boardCapacity;
    ofBoard[4] = heat / boardCapacity;
    ofBoard[5] = -boardRate;
    ofBoard[7] = -toSleeve / boardCapacity;
    ofBoard[8] = -toLiquid / boardCapacity;
    ofBoard[9] = -boardLoss / boardCapacity;
    ofSleeve[0] = exchange[1][0];
    ofSleeve[1] = exchange[1][1];
    ofSleeve[2] = exchange[1][2];
    ofSleeve[3] = sleeveToRoom / sleeveCapacity;
    ofSleeve[6] = -sleeveRate;
    ofSleeve[7] = toSleeve / sleeveCapacity;
    ofSleeve[10] = -throughGlass / sleeveCapacity;
    ofSleeve[11] = -sleeveLoss / sleeveCapacity;
    ofLiquid[0] = exchange[2][0];
    ofLiquid[1] = exchange[2][1];
    ofLiquid[2] = exchange[2][2];
    ofLiquid[3] = liquidToRoom / liquidCapacity;
    ofLiquid[8] = toLiquid / liquidCapacity;
    ofLiquid[10] = throughGlass / liquidCapacity;
    ofLiquid[12] = -liquidLoss / liquidCapacity;
  }
  return [boardRate, sleeveRate, liquidRate];
}

const seriesTerms = 9;

/** One column of the integral of the matrix exponential of a network over `seconds`, by Horner's rule: of a unit of one temperature. */
function integratedColumn(exchange: TemperatureMatrix, column: 0 | 1 | 2, seconds: number): Temperatures {
  const [ofBoard, ofSleeve, ofLiquid] = [exchange[0], exchange[1], exchange[2]];
  const ownBoard = column === 0 ? seconds : 0;
  const ownSleeve = column === 1 ? seconds : 0;
  const ownLiquid = column === 2 ? seconds : 0;
  let board = ownBoard;
  let sleeve = ownSleeve;
  let liquid = ownLiquid;
  for (let order = seriesTerms; order >= 2; order -= 1) {
    const scale = seconds / order;
    const boardChange = scale * (ofBoard[0] * board + ofBoard[1] * sleeve + ofBoard[2] * liquid);
    const sleeveChange = scale * (ofSleeve[0] * board + ofSleeve[1] * sleeve + ofSleeve[2] * liquid);
    const liquidChange = scale * (ofLiquid[0] * board + ofLiquid[1] * sleeve + ofLiquid[2] * liquid);
    board = ownBoard + boardChange;
    sleeve = ownSleeve + sleeveChange;
    liquid = ownLiquid + liquidChange;
  }
  return [board, sleeve, liquid];
}

/** Integral of the matrix exponential of board, sleeve and liquid over `seconds`. */
export function integratedExponential({ exchange }: ThermalNetwork, seconds: number): TemperatureMatrix {
  const board = integratedColumn(exchange, 0, seconds);
  const sleeve = integratedColumn(exchange, 1, seconds);
  const liquid = integratedColumn(exchange, 2, seconds);
  return [
    [board[0], sleeve[0], liquid[0]],
    [board[1], sleeve[1], liquid[1]],
    [board[2], sleeve[2], liquid[2]],
  ];
}
