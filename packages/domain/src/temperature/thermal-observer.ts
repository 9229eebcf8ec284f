import { type Gaussian, independent, observe, observeFirst, propagateCovariance, roomForThree } from './gaussian.ts';
import { type HeaterCycle, steadyCycle } from './heater-cycle.ts';
import {
  integratedExponential,
  stateIndex,
  stateSize,
  type TemperatureMatrix,
  type Temperatures,
  thermalNetwork,
  thermalParameters,
  thermalRates,
} from './thermal-network.ts';

/**
 * An extended Kalman filter over board, sleeve, liquid, room and the logarithms of the thermal parameters (Jazwinski, "Stochastic
 * Processes and Filtering Theory", 1970, section 8.3). Inputs: the duty and readings of the board.
 */
export type ThermalEstimate = Gaussian;

/** The parameters of a vial before its board was read: logarithms relative to the usual ones. */
export type ParameterPrior = Gaussian;

/** Shares by which parameters of vials differ: ±50 %, evenly distributed, has a standard deviation of 0.29. */
const parameterDeviation = 0.3;

export const usualPrior: ParameterPrior = independent(
  thermalParameters.map(() => 0),
  thermalParameters.map(() => parameterDeviation),
);

/** Those of 40 ml reactors by those of 20 ml: a stronger heater, more sleeve, more surface (fact sheet, 10.5; never measured). */
const largeVial = { heaterPower: 9 / 7, sleeveCapacity: 30 / 22, liquidToRoom: 0.045 / 0.027 } as const;
const isLarge = (name: string): name is keyof typeof largeVial => Object.hasOwn(largeVial, name);
const largePrior: ParameterPrior = {
  ...usualPrior,
  mean: thermalParameters.map((name) => (isLarge(name) ? Math.log(largeVial[name]) : 0)),
};
const largeFromMl = 30;

/** The prior of a vial that holds so much, ml. */
export const priorFor = (capacityMl: number): ParameterPrior => (capacityMl >= largeFromMl ? largePrior : usualPrior);

/** The parameters return to the prior with this time, so that the filter never becomes certain of what it cannot observe. Chosen. */
const parameterTimeS = 48 * 3600;
/** Logarithms stay in here: 0.2 and 3.3 times the usual parameter. */
const [leastLogarithm, mostLogarithm] = [-1.6, 1.2];

/** What is unknown in an hour: °C. A room changes; board, sleeve and liquid have heat that the network does not. Chosen. */
const driftPerHour = [0.3, 0.3, 0.3, 5] as const;

/** °C: deviation of the network from a measured board (the four traces fit to 0.1). The sensor's own noise is below. */
const boardDeviation = 0.1;

/** Standard deviations beyond which an innovation shows an event that is not an input of the filter (innovation gate). */
const gateDeviations = 3;
/** °C² that such an event adds to the liquid, and the least variance of the room after it. Chosen: a door, a failed output. */
const liquidEventVariance = 0.1;
const roomEventVariance = 36;

/** °C: a liquid of unknown origin; a sleeve; a room before anything of it is known. */
const unknownDeviations = [1, 3, 6, 4] as const;
const usualRoomC = 22;

/** Seconds; for the fastest usual board (5 s) the series then errs by less than 1e-4. */
const longestStepS = 10;

/** The estimate at the first reading of a board: a vial of any temperature, in a room of `room`, or any. */
export function initialEstimate(
  prior: ParameterPrior,
  boardC: number,
  room: { readonly celsius: number; readonly deviation: number } | undefined,
): ThermalEstimate {
  const deviations = [...unknownDeviations, ...thermalParameters.map(() => 0)];
  if (room !== undefined) deviations[stateIndex.room] = room.deviation;
  const { mean, covariance } = independent(
    [boardC, boardC, boardC, room?.celsius ?? usualRoomC, ...prior.mean],
    deviations,
  );
  return withParameters({ mean, covariance }, prior);
}

/** The estimate with the parameters of the prior. */
function withParameters({ mean, covariance }: ThermalEstimate, prior: ParameterPrior): ThermalEstimate {
  const from = stateIndex.parameters;
  const count = thermalParameters.length;
  const replaced = covariance.map((value, index) => {
    const [row, column] = [Math.floor(index / stateSize) - from, (index % stateSize) - from];
    if (row < 0 && column < 0) return value;
    return row < 0 || column < 0 ? 0 : (prior.covariance[row * count + column] ?? 0);
  });
  return { mean: [...mean.slice(0, from), ...prior.mean], covariance: replaced };
}

/** The parameters of a estimate alone. */
export function parametersOf({ mean, covariance }: ThermalEstimate): ParameterPrior {
  const from = stateIndex.parameters;
  return {
    mean: mean.slice(from),
    covariance: covariance.filter((_, index) => Math.floor(index / stateSize) >= from && index % stateSize >= from),
  };
}

/** An estimate that changes in place, step by step. */
interface ChangingEstimate {
  readonly mean: number[];
  readonly covariance: number[];
}

const changing = ({ mean, covariance }: ThermalEstimate): ChangingEstimate => ({
  mean: mean.slice(),
  covariance: covariance.slice(),
});

/** Room for what a step computes and nothing else reads: a measurement has dozens of steps. */
const [change, shifted, derivatives] = [roomForThree(stateSize), roomForThree(stateSize), roomForThree(stateSize)];
const shared = new Float64Array(stateSize);

/** The estimate after `seconds` with an even duty (%). Parameters: see `relax`. */
export function predict(estimate: ThermalEstimate, duty: number, seconds: number): ThermalEstimate {
  if (seconds <= 0) return estimate;
  const after = changing(estimate);
  pass(after, duty, seconds);
  return after;
}

function pass({ mean, covariance }: ChangingEstimate, duty: number, seconds: number): void {
  if (seconds <= 0) return;
  const steps = Math.ceil(seconds / longestStepS);
  const stepS = seconds / steps;
  // Network and integral depend on the parameters only, which stay the same.
  const network = thermalNetwork(mean);
  const integral = integratedExponential(network, stepS);
  for (let step = 0; step < steps; step += 1) {
    const rates = thermalRates(network, mean, duty, derivatives);
    moveTemperatures(mean, rates, integral);
    findChange(integral);
    propagateCovariance(covariance, stateSize, change, shifted);
    for (let index = 0; index < driftPerHour.length; index += 1) {
      const at = index * (stateSize + 1);
      covariance[at] = (covariance[at] ?? 0) + ((driftPerHour[index] ?? 0) ** 2 * stepS) / 3600;
    }
  }
}

/** One step by the integral of the matrix exponential of the network, linear about the present state. */
function moveTemperatures(mean: number[], rates: Temperatures, integral: TemperatureMatrix): void {
  for (const index of [stateIndex.board, stateIndex.sleeve, stateIndex.liquid]) {
    const row = integral[index];
    mean[index] = (mean[index] ?? 0) + (row[0] * rates[0] + row[1] * rates[1] + row[2] * rates[2]);
  }
}

/** What such a step adds to board, sleeve and liquid for a unit of each value of the state. */
function findChange(integral: TemperatureMatrix): void {
  weighRows(change[0], integral[0]);
  weighRows(change[1], integral[1]);
  weighRows(change[2], integral[2]);
}

function weighRows(sums: Float64Array, weights: Temperatures): void {
  const [first, second, third] = [weights[0], weights[1], weights[2]];
  const [ofBoard, ofSleeve, ofLiquid] = [derivatives[0], derivatives[1], derivatives[2]];
  for (let column = 0; column < stateSize; column += 1)
    sums[column] = first * (ofBoard[column] ?? 0) + second * (ofSleeve[column] ?? 0) + third * (ofLiquid[column] ?? 0);
}

/** Parameters return towards the prior: a process of Ornstein and Uhlenbeck whose stationary distribution it is. */
export function relax({ mean, covariance }: ThermalEstimate, prior: ParameterPrior, seconds: number): ThermalEstimate {
  const stays = Math.exp(-seconds / parameterTimeS);
  const from = stateIndex.parameters;
  const count = thermalParameters.length;
  const wider = covariance.slice();
  for (let row = 0; row < stateSize; row += 1)
    for (let column = 0; column < stateSize; column += 1) {
      const own = (row >= from ? stays : 1) * (column >= from ? stays : 1);
      const added = row >= from && column >= from ? prior.covariance[(row - from) * count + column - from] : 0;
      const at = row * stateSize + column;
      wider[at] = own * (wider[at] ?? 0) + (1 - stays * stays) * (added ?? 0);
    }
  const nearer = mean.map((value, index) => {
    const middle = prior.mean[index - from];
    return middle === undefined ? value : middle + stays * (value - middle);
  });
  return { mean: nearer, covariance: wider };
}

/** A reading of the board. */
interface BoardObservation {
  /** Since the reading before, or since the time of the estimate. */
  readonly afterS: number;
  readonly celsius: number;
}

/** The estimate after readings of the board, with an even duty (%). */
export function observeBoard(
  estimate: ThermalEstimate,
  duty: number,
  readings: readonly BoardObservation[],
): ThermalEstimate {
  const after = changing(estimate);
  const { mean, covariance } = after;
  const variance = boardDeviation ** 2;
  for (const { afterS, celsius } of readings) {
    pass(after, duty, afterS);
    const innovation = celsius - (mean[stateIndex.board] ?? 0);
    const isEvent = innovation ** 2 > gateDeviations ** 2 * (variance + (covariance[0] ?? 0));
    if (isEvent) addEvent(covariance, innovation);
    observeFirst(mean, covariance, innovation, variance, shared);
    limitParameters(mean);
  }
  return after;
}

/** The output failed, a vial was exchanged, or a door opened or closed: temperatures are less certain, parameters are not. */
function addEvent(covariance: number[], innovation: number): void {
  const roomVariance = covariance[stateIndex.room * (stateSize + 1)] ?? 0;
  const unknown = innovation ** 2;
  const added = [unknown, unknown / 2, liquidEventVariance, Math.max(0, roomEventVariance - roomVariance)];
  for (let index = 0; index < added.length; index += 1) {
    const at = index * (stateSize + 1);
    covariance[at] = (covariance[at] ?? 0) + (added[index] ?? 0);
  }
}

/** Keeps the logarithms of the parameters within their limits. */
function limitParameters(mean: number[]): void {
  for (let index: number = stateIndex.parameters; index < stateSize; index += 1)
    mean[index] = Math.min(mostLogarithm, Math.max(leastLogarithm, mean[index] ?? 0));
}

const limited = ({ mean, covariance }: ThermalEstimate): ThermalEstimate => {
  const within = mean.slice();
  limitParameters(within);
  return { mean: within, covariance };
};

/** A probe in the liquid, compared when the temperature was steady. */
export interface ProbeComparison {
  /** Duty of the heater before the pause, %. */
  readonly duty: number;
  /** The board at the end of the pause, °C. */
  readonly boardC: number;
  readonly probeC: number;
}

/** °C: a display of one decimal, and a vial that is not quite steady. */
const probeDeviation = 0.1;

/** Below this duty (%) board and liquid differ too little to show their coupling. */
export const leastComparedDuty = 3;

/**
 * A comparison is an observation of the parameters: in the steady cycle they determine by how much the board is above the liquid for
 * each % of duty, in any room. `first`: position of the parameters.
 */
function comparisonOf(
  mean: readonly number[],
  first: number,
  { duty, boardC, probeC }: ProbeComparison,
  cycle: HeaterCycle,
) {
  const parameters = mean.slice(first);
  const at = (values: readonly number[]): number => duty * steadyCycle(values, cycle).boardAboveLiquid;
  const predicted = at(parameters);
  const step = 1e-4;
  const slopes = parameters.map(
    (_, index) => (at(parameters.with(index, (parameters[index] ?? 0) + step)) - predicted) / step,
  );
  return {
    weights: [...new Array<number>(first).fill(0), ...slopes],
    innovation: boardC - probeC - predicted,
    variance: probeDeviation ** 2,
  };
}

/** Linearised again this often, for the first time is far from the result (iterated Kalman filter; Jazwinski, section 8.3). */
const iterations = 6;

/** The prior of a vial in which a probe was compared. */
export function comparedPrior(
  usual: ParameterPrior,
  comparisons: readonly ProbeComparison[],
  cycle: HeaterCycle,
): ParameterPrior {
  return comparisons
    .filter(({ duty }) => duty >= leastComparedDuty)
    .reduce((prior, comparison) => {
      let after = prior;
      for (let count = 0; count < iterations; count += 1) {
        const observation = comparisonOf(after.mean, 0, comparison, cycle);
        const moved = prior.mean.map((value, index) => value - (after.mean[index] ?? 0));
        const ahead = observation.weights.reduce((sum, weight, index) => sum + weight * (moved[index] ?? 0), 0);
        after = observe(prior, { ...observation, innovation: observation.innovation - ahead });
      }
      return after;
    }, usual);
}

/**
 * The estimate after the comparison is observed once more, linearised at the present parameters: readings of the board must not change
 * the coupling that a probe has measured.
 */
export function observeComparison(
  estimate: ThermalEstimate,
  comparison: ProbeComparison,
  cycle: HeaterCycle,
): ThermalEstimate {
  if (comparison.duty < leastComparedDuty) return estimate;
  return limited(observe(estimate, comparisonOf(estimate.mean, stateIndex.parameters, comparison, cycle)));
}

/** °C: deviation of a liquid from the balance of an even duty, and of a room that is only known from it. Chosen. */
const balanceDeviation = 2;
const anyRoomDeviation = 15;
const settlingCycles = 3;

/** The estimate at the end of the heat of a vial that was kept at about `liquidC` with this duty (%) for hours. */
export function steadyEstimate(
  prior: ParameterPrior,
  liquidC: number,
  duty: number,
  cycle: HeaterCycle,
): ThermalEstimate {
  const cold = initialEstimate(prior, liquidC, { celsius: usualRoomC, deviation: anyRoomDeviation });
  const first = stateIndex.parameters;
  const above = (values: readonly number[]): number => duty * steadyCycle(values, cycle).liquidAboveRoom;
  const parameters = cold.mean.slice(first);
  const predicted = above(parameters);
  const step = 1e-4;
  const weights = cold.mean.map((_, index) => {
    if (index === stateIndex.liquid) return 1;
    if (index === stateIndex.room) return -1;
    if (index < first) return 0;
    return -(above(parameters.with(index - first, (parameters[index - first] ?? 0) + step)) - predicted) / step;
  });
  const innovation = predicted - ((cold.mean[stateIndex.liquid] ?? 0) - (cold.mean[stateIndex.room] ?? 0));
  let estimate = observe(cold, { weights, innovation, variance: balanceDeviation ** 2 });
  for (let count = 0; count < settlingCycles; count += 1)
    estimate = predict(predict(estimate, 0, cycle.pauseS), duty, cycle.heatedS);
  return estimate;
}
