import {
  type Gaussian,
  independent,
  observe,
  predictedVariance,
  propagatedCovariance,
  withVariance,
} from './gaussian.ts';
import { type HeaterCycle, steadyCycle } from './heater-cycle.ts';
import { stateIndex, stateSize, type ThermalRates, thermalParameters, thermalRates } from './thermal-network.ts';

/**
 * An extended Kalman filter over board, sleeve, liquid, room and the logarithms of the thermal parameters (Jazwinski, "Stochastic
 * Processes and Filtering Theory", 1970, section 8.3). It knows the duty and sees the board.
 */
export type ThermalBelief = Gaussian;

/** What is believed of the parameters of a vial before its board is seen: logarithms by the usual ones. */
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

/** The parameters return to the prior with this time, so that the filter never becomes certain of what it cannot see. Chosen. */
const parameterTimeS = 48 * 3600;
/** Logarithms stay in here: 0.2 and 3.3 times the usual parameter. */
const [leastLogarithm, mostLogarithm] = [-1.6, 1.2];

/** What is unknown in an hour: °C. A room changes; board, sleeve and liquid have heat that the network does not. Chosen. */
const driftPerHour = [0.3, 0.3, 0.3, 5] as const;

/** °C: deviation of the network from a measured board (the four traces fit to 0.1). The sensor's own noise is below. */
const boardDeviation = 0.1;

/** Standard deviations from which on a reading of the board means that something has happened that the filter was not told. */
const surprise = 3;
/** °C² that a surprise adds to the liquid; of the room this much is unknown afterwards. Chosen: a door, a failed output. */
const liquidSurprise = 0.1;
const roomSurprise = 9;

/** °C: a liquid of unknown origin; a sleeve; a room before anything of it is known. */
const unknownDeviations = [1, 3, 6, 4] as const;
const usualRoomC = 22;

/** Seconds; for the fastest usual board (5 s) the series then errs by less than 1e-4. */
const longestStepS = 10;
const seriesTerms = 9;

/** The belief when a board is seen for the first time: a vial of any temperature, in a room of `room`, or any. */
export function initialBelief(
  prior: ParameterPrior,
  boardC: number,
  room: { readonly celsius: number; readonly deviation: number } | undefined,
): ThermalBelief {
  const deviations = [...unknownDeviations, ...thermalParameters.map(() => 0)];
  if (room !== undefined) deviations[stateIndex.room] = room.deviation;
  const { mean, covariance } = independent(
    [boardC, boardC, boardC, room?.celsius ?? usualRoomC, ...prior.mean],
    deviations,
  );
  return withParameters({ mean, covariance }, prior);
}

/** The belief with other parameters, of which nothing is known beyond the prior. */
function withParameters({ mean, covariance }: ThermalBelief, prior: ParameterPrior): ThermalBelief {
  const from = stateIndex.parameters;
  const count = thermalParameters.length;
  const replaced = covariance.map((value, index) => {
    const [row, column] = [Math.floor(index / stateSize) - from, (index % stateSize) - from];
    if (row < 0 && column < 0) return value;
    return row < 0 || column < 0 ? 0 : (prior.covariance[row * count + column] ?? 0);
  });
  return { mean: [...mean.slice(0, from), ...prior.mean], covariance: replaced };
}

/** The parameters of a belief alone. */
export function parametersOf({ mean, covariance }: ThermalBelief): ParameterPrior {
  const from = stateIndex.parameters;
  return {
    mean: mean.slice(from),
    covariance: covariance.filter((_, index) => Math.floor(index / stateSize) >= from && index % stateSize >= from),
  };
}

/** The belief after `seconds` with an even duty (%). Parameters: see `relax`. */
export function predict(belief: ThermalBelief, duty: number, seconds: number): ThermalBelief {
  if (seconds <= 0) return belief;
  const steps = Math.ceil(seconds / longestStepS);
  let current = belief;
  for (let step = 0; step < steps; step += 1) current = stepped(current, duty, seconds / steps);
  return current;
}

/** One step of the series for the matrix exponential of the network, linear about the present state. */
function stepped({ mean, covariance }: ThermalBelief, duty: number, seconds: number): ThermalBelief {
  const { rates, derivatives } = thermalRates(mean, duty);
  const [board, sleeve, liquid] = integratedExponential(derivatives, seconds);
  const moved = mean.slice();
  moved[stateIndex.board] = (moved[stateIndex.board] ?? 0) + weighted(board, rates);
  moved[stateIndex.sleeve] = (moved[stateIndex.sleeve] ?? 0) + weighted(sleeve, rates);
  moved[stateIndex.liquid] = (moved[stateIndex.liquid] ?? 0) + weighted(liquid, rates);
  const change = [changeOf(board, derivatives), changeOf(sleeve, derivatives), changeOf(liquid, derivatives)] as const;
  const wider = propagatedCovariance(covariance, stateSize, change);
  for (let index = 0; index < driftPerHour.length; index += 1) {
    const at = index * (stateSize + 1);
    wider[at] = (wider[at] ?? 0) + ((driftPerHour[index] ?? 0) ** 2 * seconds) / 3600;
  }
  return { mean: moved, covariance: wider };
}

type Row = readonly [number, number, number];

const weighted = ([first, second, third]: Row, [p, q, r]: Row): number => first * p + second * q + third * r;

/** What the derivatives of board, sleeve and liquid, weighted so, change by each value of the state. */
function changeOf([first, second, third]: Row, [ofBoard, ofSleeve, ofLiquid]: ThermalRates['derivatives']): number[] {
  const weights: number[] = [];
  for (let column = 0; column < stateSize; column += 1)
    weights.push(first * (ofBoard[column] ?? 0) + second * (ofSleeve[column] ?? 0) + third * (ofLiquid[column] ?? 0));
  return weights;
}

/** Integral of the matrix exponential of board, sleeve and liquid over `seconds`, by Horner's rule. Unrolled: 13,000 a day. */
function integratedExponential(derivatives: ThermalRates['derivatives'], seconds: number): readonly [Row, Row, Row] {
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

/** Parameters return towards the prior: a process of Ornstein and Uhlenbeck whose stationary distribution it is. */
export function relax({ mean, covariance }: ThermalBelief, prior: ParameterPrior, seconds: number): ThermalBelief {
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

/** The belief after a reading of the board, °C. */
export function observeBoard(belief: ThermalBelief, boardC: number): ThermalBelief {
  const innovation = boardC - (belief.mean[stateIndex.board] ?? 0);
  const observation = { weights: [1], innovation, variance: boardDeviation ** 2 };
  const isSurprise = innovation ** 2 > surprise ** 2 * predictedVariance(belief, observation);
  return limited(observe(isSurprise ? surprised(belief, innovation) : belief, observation));
}

/** The output was not what it was told, a vial was exchanged, or a door opened: temperatures are less certain, parameters are not. */
function surprised(belief: ThermalBelief, innovation: number): ThermalBelief {
  const roomVariance = belief.covariance[stateIndex.room * (stateSize + 1)] ?? 0;
  const unknown = innovation ** 2;
  return withVariance(belief, [unknown, unknown / 2, liquidSurprise, Math.max(0, roomSurprise - roomVariance)]);
}

const limited = ({ mean, covariance }: ThermalBelief): ThermalBelief => ({
  mean: mean.map((value, index) =>
    index < stateIndex.parameters ? value : Math.min(mostLogarithm, Math.max(leastLogarithm, value)),
  ),
  covariance,
});

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

/** Below this duty (%) board and liquid differ too little to say anything of their coupling. */
export const leastComparedDuty = 3;

/**
 * A comparison is an observation of the parameters: in the steady cycle the board is above the liquid by what they are times the
 * duty, in any room. `first`: position of the parameters.
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
 * The belief after the comparison was made once more with its present parameters: what the board has taught since must not change
 * the coupling that a probe has shown.
 */
export function observeComparison(
  belief: ThermalBelief,
  comparison: ProbeComparison,
  cycle: HeaterCycle,
): ThermalBelief {
  if (comparison.duty < leastComparedDuty) return belief;
  return limited(observe(belief, comparisonOf(belief.mean, stateIndex.parameters, comparison, cycle)));
}

/** °C: a liquid that is kept by an even duty, but for what the last hour has changed; a room of which only that tells. Chosen. */
const balanceDeviation = 2;
const anyRoomDeviation = 15;
const settlingCycles = 3;

/** The belief at the end of the heat of a vial that was kept at about `liquidC` with this duty (%) for hours. */
export function steadyBelief(prior: ParameterPrior, liquidC: number, duty: number, cycle: HeaterCycle): ThermalBelief {
  const cold = initialBelief(prior, liquidC, { celsius: usualRoomC, deviation: anyRoomDeviation });
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
  let belief = observe(cold, { weights, innovation, variance: balanceDeviation ** 2 });
  for (let count = 0; count < settlingCycles; count += 1)
    belief = predict(predict(belief, 0, cycle.pauseS), duty, cycle.heatedS);
  return belief;
}
