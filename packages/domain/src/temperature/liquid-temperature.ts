import { isObject, type Json, type Model } from '@lcs/contract';
import { type Gaussian, varianceOf } from './gaussian.ts';
import { cycleResponse, type HeaterCycle } from './heater-cycle.ts';
import { stateIndex, thermalParameters } from './thermal-network.ts';
import {
  comparedPrior,
  initialEstimate,
  observeBoard,
  observeComparison,
  type ParameterPrior,
  type ProbeComparison,
  parametersOf,
  predict,
  priorFor,
  relax,
  steadyEstimate,
  type ThermalEstimate,
} from './thermal-observer.ts';
import type { LiquidForecast } from './thermostat.ts';

/** The pauses of the heater, during which the cooling curve of its board is sampled. */
export interface CoolingPlan {
  readonly samples: number;
  readonly spacingS: number;
  /** Seconds from the start of one pause to the start of the next. */
  readonly periodS: number;
}

/** The first 20 ml reactor has a slower sleeve and needs longer pauses. */
const longPlan: CoolingPlan = { samples: 29, spacingS: 5, periodS: 225 };
const defaultPlan: CoolingPlan = { samples: 21, spacingS: 5, periodS: 200 };

export const coolingPlan = (model: Pick<Model, 'model_name' | 'model_version'>): CoolingPlan =>
  model.model_name === 'reactor_20ml' && model.model_version === '1.0' ? longPlan : defaultPlan;

/** The plan with every so many of its readings, the first and the last among them. */
export const everyReading = ({ samples, spacingS, periodS }: CoolingPlan, every: number): CoolingPlan => ({
  samples: 1 + (samples - 1) / every,
  spacingS: spacingS * every,
  periodS,
});

/** The cycle of heat and pause that a plan makes. */
export function heaterCycle({ samples, spacingS, periodS }: CoolingPlan): HeaterCycle {
  const pauseS = (samples - 1) * spacingS;
  return { heatedS: periodS - pauseS, pauseS };
}

/** What does not change during a run of the temperature job. */
export interface InferenceSetup {
  readonly prior: ParameterPrior;
  readonly comparisons: readonly ProbeComparison[];
  readonly cycle: HeaterCycle;
}

const usualCapacityMl = 20;

/** `comparisons` with a probe: each one is an observation of this vial's parameters. */
export const inferenceSetup = (
  comparisons: readonly ProbeComparison[],
  cycle: HeaterCycle,
  capacityMl = usualCapacityMl,
): InferenceSetup => ({
  prior: comparedPrior(priorFor(capacityMl), comparisons, cycle),
  comparisons,
  cycle,
});

/** The temperature inference of a running job; plain data. */
export interface Inference {
  readonly estimate: ThermalEstimate;
  /** Duty of the heater since `atMs`, %; the estimate is of that moment. */
  readonly duty: number;
  /** Monotonic clock. */
  readonly atMs: number;
  /** When the comparisons were last observed; the prior contains them. */
  readonly comparedMs: number;
}

/** What the inference of a job starts with. */
export interface InferenceStart {
  readonly nowMs: number;
  readonly boardC: number;
  /** Seconds since the heater was on; infinite if it never was. */
  readonly offS: number;
  /** What an earlier run has learnt of this vial and its room. */
  readonly learnt: LearntThermal | undefined;
}

/** After this time without heat a board has the temperature of the room, nearly: five times the time of the liquid. */
const coldAfterS = 3 * 3600;
const coldDeviationC = 1;
/** °C by which a room differs from that of an earlier run, at first and after hours. Chosen. */
const sameRoomDeviationC = 2;

/**
 * The inference at the start of a job. The liquid is unknown, for the vial may be another one: the first pauses show it. Parameters
 * and room continue from an earlier run.
 */
export function startInference({ prior }: InferenceSetup, { nowMs, boardC, offS, learnt }: InferenceStart): Inference {
  const isCold = offS >= coldAfterS;
  const room = isCold
    ? { celsius: boardC, deviation: coldDeviationC }
    : learnt && { celsius: learnt.roomC, deviation: sameRoomDeviationC };
  return {
    estimate: initialEstimate(learnt?.parameters ?? prior, boardC, room),
    duty: 0,
    atMs: nowMs,
    comparedMs: nowMs,
  };
}

/** The inference at the end of the heat of a vial that was kept at about `liquidC` with this duty (%) for hours. */
export const steadyInference = ({ prior, cycle }: InferenceSetup, duty: number, liquidC: number): Inference => ({
  estimate: steadyEstimate(prior, liquidC, duty, cycle),
  duty: 0,
  atMs: 0,
  comparedMs: 0,
});

/** The inference after the heater got another duty, %. */
export function withDuty(inference: Inference, duty: number, nowMs: number): Inference {
  const passed = (nowMs - inference.atMs) / 1000;
  return { ...inference, estimate: predict(inference.estimate, inference.duty, passed), duty, atMs: nowMs };
}

/** One temperature of the heater's board. */
export interface BoardReading {
  readonly atMs: number;
  readonly celsius: number;
}

/** Parameters change slowly, and observing a comparison takes as long as half a measurement. */
const comparedAgainMs = 600_000;

/** The inference after the readings of one measurement, oldest first. */
export function withReadings(
  inference: Inference,
  setup: InferenceSetup,
  readings: readonly BoardReading[],
): Inference {
  let beforeMs = inference.atMs;
  const observations = readings.map(({ atMs, celsius }) => {
    const afterS = (atMs - beforeMs) / 1000;
    beforeMs = atMs;
    return { afterS, celsius };
  });
  const estimate = observeBoard(inference.estimate, inference.duty, observations);
  const observed = { ...inference, estimate, atMs: beforeMs };
  const { prior, comparisons, cycle } = setup;
  const relaxed = relax(observed.estimate, prior, cycle.heatedS + cycle.pauseS);
  if (observed.atMs - inference.comparedMs < comparedAgainMs) return { ...observed, estimate: relaxed };
  const compared = comparisons.reduce((before, one) => observeComparison(before, one, cycle), relaxed);
  return { ...observed, estimate: compared, comparedMs: observed.atMs };
}

/** The inferred temperature of the liquid. */
export interface InferredLiquid {
  readonly celsius: number;
  /** Standard deviation. */
  readonly deviationC: number;
  readonly forecast: LiquidForecast;
}

/** `cycle`: the one that begins now, to which the forecast applies. */
export function inferredLiquid({ estimate }: Inference, cycle: HeaterCycle): InferredLiquid {
  const { mean } = estimate;
  const [board = Number.NaN, sleeve = Number.NaN, celsius = Number.NaN, roomC = Number.NaN] = mean;
  const { keeps, perDuty } = cycleResponse(mean.slice(stateIndex.parameters), cycle);
  const [ofBoard, ofSleeve, ofLiquid] = keeps[stateIndex.liquid];
  const unheatedC = roomC + ofBoard * (board - roomC) + ofSleeve * (sleeve - roomC) + ofLiquid * (celsius - roomC);
  return {
    celsius,
    deviationC: Math.sqrt(varianceOf(estimate, stateIndex.liquid)),
    forecast: {
      roomC,
      holdingDuty: (celsius - unheatedC) / perDuty[stateIndex.liquid],
      perDuty: perDuty[stateIndex.liquid],
      perRoom: 1 - ofBoard - ofSleeve - ofLiquid,
    },
  };
}

/** What the inference has learnt of a vial, for the next run; plain data. */
export interface LearntThermal {
  readonly parameters: ParameterPrior;
  readonly roomC: number;
}

/** Another number of parameters or another meaning of them gets another version: the old ones are forgotten. */
const learntVersion = 1;

/** `trim`: identity of the comparisons that it was learnt with. */
export const learntJson = ({ estimate }: Inference, trim: string): Json => {
  const { mean, covariance } = parametersOf(estimate);
  return {
    version: learntVersion,
    trim,
    mean: [...mean],
    covariance: [...covariance],
    roomC: estimate.mean[stateIndex.room] ?? Number.NaN,
  };
};

const isNumbers = (value: unknown, count: number): value is readonly number[] =>
  Array.isArray(value) &&
  value.length === count &&
  value.every((one) => typeof one === 'number' && Number.isFinite(one));

/** What an earlier run has learnt; undefined if it is of another version, of another trim, or damaged. */
export function learntFrom(stored: Json | undefined, trim: string): LearntThermal | undefined {
  if (!isObject(stored) || stored.version !== learntVersion || stored.trim !== trim) return undefined;
  const { mean, covariance, roomC } = stored;
  const count = thermalParameters.length;
  if (!isNumbers(mean, count) || !isNumbers(covariance, count * count) || !isNumbers([roomC], 1)) return undefined;
  const parameters: Gaussian = { mean, covariance };
  const isPositive = mean.every((_, index) => varianceOf(parameters, index) > 0);
  return isPositive && typeof roomC === 'number' ? { parameters, roomC } : undefined;
}
