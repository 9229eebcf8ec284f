import {
  integratedExponential,
  type TemperatureMatrix,
  type Temperatures,
  type ThermalNetwork,
  thermalNetwork,
  thermalRates,
} from './thermal-network.ts';

/** Seconds with and without heat in each cycle of a thermostat. */
export interface HeaterCycle {
  readonly heatedS: number;
  readonly pauseS: number;
}

/**
 * What one cycle does to a vial: its temperatures above the room at the end of the pause are `keeps` times those at the end of the
 * former pause, and `perDuty` for each % of duty.
 */
export interface CycleResponse {
  readonly keeps: TemperatureMatrix;
  readonly perDuty: Temperatures;
}

/** The response of a vial with these parameters (logarithms, as in the state): the solution of its linear equations. */
export function cycleResponse(parameters: readonly number[], { heatedS, pauseS }: HeaterCycle): CycleResponse {
  // At the temperature of the room, with one % of duty.
  const state = [0, 0, 0, 0, ...parameters];
  const network = thermalNetwork(state);
  const rates = thermalRates(network, state, 1);
  const heat = transition(network, heatedS);
  const pause = pauseS === heatedS ? heat : transition(network, pauseS);
  return { keeps: product(pause.keeps, heat.keeps), perDuty: applied(pause.keeps, applied(heat.gains, rates)) };
}

/** A vial whose heater has repeated one cycle until nothing changes any more: at the end of the pause, per % of duty. */
export interface SteadyCycle {
  /** °C of the liquid above the room. */
  readonly liquidAboveRoom: number;
  /** °C of the board above the liquid. */
  readonly boardAboveLiquid: number;
}

/** The steady cycle of a vial with these parameters: the state that its response to one % reproduces. */
export function steadyCycle(parameters: readonly number[], cycle: HeaterCycle): SteadyCycle {
  const { keeps, perDuty } = cycleResponse(parameters, cycle);
  const [[a, b, c], [d, e, f], [g, h, i]] = keeps;
  const [board, , liquid] = solved(
    [
      [1 - a, -b, -c],
      [-d, 1 - e, -f],
      [-g, -h, 1 - i],
    ],
    perDuty,
  );
  return { liquidAboveRoom: liquid, boardAboveLiquid: board - liquid };
}

/** Seconds; for the fastest board within the limits of the parameters the series then errs by less than 1e-6. */
const longestSeriesS = 7;

/** The exponential of a network over `seconds`, and its integral: of a part of the time by a series, then doubled. */
function transition(network: ThermalNetwork, seconds: number) {
  const doublings = Math.max(0, Math.ceil(Math.log2(seconds / longestSeriesS)));
  let gains = integratedExponential(network, seconds / 2 ** doublings);
  let keeps = sum(identity, product(network.exchange, gains));
  for (let count = 0; count < doublings; count += 1) {
    gains = sum(gains, product(keeps, gains));
    keeps = product(keeps, keeps);
  }
  return { keeps, gains };
}

const identity: TemperatureMatrix = [
  [1, 0, 0],
  [0, 1, 0],
  [0, 0, 1],
];

const applied = ([p, q, r]: TemperatureMatrix, [x, y, z]: Temperatures): Temperatures => [
  p[0] * x + p[1] * y + p[2] * z,
  q[0] * x + q[1] * y + q[2] * z,
  r[0] * x + r[1] * y + r[2] * z,
];

const rowProduct = ([x, y, z]: Temperatures, [p, q, r]: TemperatureMatrix): Temperatures => [
  x * p[0] + y * q[0] + z * r[0],
  x * p[1] + y * q[1] + z * r[1],
  x * p[2] + y * q[2] + z * r[2],
];

const product = ([p, q, r]: TemperatureMatrix, right: TemperatureMatrix): TemperatureMatrix => [
  rowProduct(p, right),
  rowProduct(q, right),
  rowProduct(r, right),
];

const rowSum = ([a, b, c]: Temperatures, [x, y, z]: Temperatures): Temperatures => [a + x, b + y, c + z];
const sum = ([a, b, c]: TemperatureMatrix, [p, q, r]: TemperatureMatrix): TemperatureMatrix => [
  rowSum(a, p),
  rowSum(b, q),
  rowSum(c, r),
];

/** Cramer's rule. */
function solved([[a, b, c], [d, e, f], [g, h, i]]: TemperatureMatrix, [x, y, z]: Temperatures): Temperatures {
  const [first, second, third] = [e * i - f * h, f * g - d * i, d * h - e * g];
  const determinant = a * first + b * second + c * third;
  return [
    (x * first + y * (c * h - b * i) + z * (b * f - c * e)) / determinant,
    (x * second + y * (a * i - c * g) + z * (c * d - a * f)) / determinant,
    (x * third + y * (b * g - a * h) + z * (a * e - b * d)) / determinant,
  ];
}
