import { stateIndex, thermalRates } from './thermal-network.ts';

/** Seconds with and without heat in each cycle of a thermostat. */
export interface HeaterCycle {
  readonly heatedS: number;
  readonly pauseS: number;
}

/** A vial whose heater has repeated one cycle until nothing changes any more, per % of duty. */
export interface SteadyCycle {
  /** °C of the liquid above the room. */
  readonly liquidAboveRoom: number;
  /** °C of the board above the liquid at the end of the pause. */
  readonly boardAboveLiquid: number;
}

type Pair = readonly [number, number];
/** Two rows. */
type Square = readonly [number, number, number, number];

/**
 * The steady cycle of a vial with these parameters (logarithms, as in the state). All temperatures above the room are proportional
 * to the duty, so that the room does not occur. Liquid: balance of the mean heat. Board and sleeve: the periodic solution of two
 * linear equations, with the liquid constant (it moves by 0.1 °C in a cycle).
 */
export function steadyCycle(parameters: readonly number[], { heatedS, pauseS }: HeaterCycle): SteadyCycle {
  const state = [...new Array<number>(stateIndex.parameters).fill(0), ...parameters];
  // Of one % of duty, at the temperature of the room.
  const { rates, derivatives } = thermalRates(state, 1);
  const [heat] = rates;
  const [ofBoard, ofSleeve, ofLiquid] = derivatives;
  const [bb = 0, bs = 0, bl = 0] = ofBoard;
  const [sb = 0, ss = 0, sl = 0] = ofSleeve;
  const [lb = 0, ls = 0, ll = 0] = ofLiquid;
  const own: Square = [bb, bs, sb, ss];
  const restOf = (forcing: Pair): Pair => solved(own, [-forcing[0], -forcing[1]]);
  // The mean: what board and sleeve are for 1 °C of the liquid and for the mean heat.
  const perDegree = restOf([bl, sl]);
  const perHeat = restOf([(heat * heatedS) / (heatedS + pauseS), 0]);
  const liquid = -(lb * perHeat[0] + ls * perHeat[1]) / (ll + lb * perDegree[0] + ls * perDegree[1]);
  const cold = restOf([bl * liquid, sl * liquid]);
  const hot = restOf([bl * liquid + heat, sl * liquid]);
  const [warming, cooling] = [exponential(own, heatedS), exponential(own, pauseS)];
  // x = hot + warming (y - hot) at the end of the heat, y = cold + cooling (x - cold) at the end of the pause.
  const both = times(cooling, warming);
  const stays: Square = [1 - both[0], -both[1], -both[2], 1 - both[3]];
  const above = applied(cooling, [hot[0] - cold[0], hot[1] - cold[1]]);
  const less = applied(both, [hot[0] - cold[0], hot[1] - cold[1]]);
  const end = solved(stays, [above[0] - less[0], above[1] - less[1]]);
  return { liquidAboveRoom: liquid, boardAboveLiquid: cold[0] + end[0] - liquid };
}

function solved([a, b, c, d]: Square, [x, y]: Pair): Pair {
  const determinant = a * d - b * c;
  return [(x * d - b * y) / determinant, (a * y - c * x) / determinant];
}

const times = ([a, b, c, d]: Square, [e, f, g, h]: Square): Square => [
  a * e + b * g,
  a * f + b * h,
  c * e + d * g,
  c * f + d * h,
];

const applied = ([a, b, c, d]: Square, [x, y]: Pair): Pair => [a * x + b * y, c * x + d * y];

/** Matrix exponential by the two real eigenvalues that a passive network has (Sylvester's formula). */
function exponential([a, b, c, d]: Square, seconds: number): Square {
  const middle = (a + d) / 2;
  const half = Math.sqrt(((a - d) / 2) ** 2 + b * c);
  const [fast, slow] = [Math.exp((middle - half) * seconds), Math.exp((middle + half) * seconds)];
  const slope = (slow - fast) / (2 * half);
  const constant = fast - slope * (middle - half);
  return [constant + slope * a, slope * b, slope * c, constant + slope * d];
}
