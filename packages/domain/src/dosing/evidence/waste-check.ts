import { growthOf, pumpFactor, usualSpread } from './culture-filter.ts';
import {
  type DisturbanceFound,
  type DoseEvidence,
  type Hypothesis,
  leastSpilledMl,
  mayLiveOnDoses,
  priorLogOdds,
  supportedOdds,
} from './dose-evidence.ts';
import { noiseOf } from './reading-noise.ts';

/** An exchange of this volume shows best whether waste leaves. The media pump moves `factor` times its calibration. */
export interface WasteProbe {
  readonly volumeMl: number;
  readonly factor: number;
}

/**
 * Whether waste leaves shows slowly: with nothing leaving, each dose dilutes a larger volume, v/V at first and v/(V + n·v) after n
 * doses. Before the vial could be full, exchanges that are larger ("probes") show it better.
 */
export type WasteCheck =
  /** Waste is known to leave, or the vial has room enough in any case. */
  | { readonly kind: 'clear' }
  /** This exchange shows whether waste leaves. */
  | ({ readonly kind: 'probe' } & WasteProbe)
  /** More probable than not nothing leaves, and the vial would be full. */
  | { readonly kind: 'blocked'; readonly found: DisturbanceFound }
  /** The noise is too large to tell so far; several exchanges of the volume of `probe` show it sooner than usual ones, if at all. */
  | { readonly kind: 'unverifiable'; readonly probe?: WasteProbe };

export interface NextExchange {
  readonly exchangeMl: number;
  /** By the ledger, ml. */
  readonly volumeMl: number;
  readonly capacityMl: number;
}

/**
 * A hypothesis is excluded when its odds have fallen to e⁻³, and decides at e⁶·⁵, or up to e¹⁰ with pumps of poor repeatability, by the spread
 * of doses before it began. Chosen by simulation (decision 31).
 */
const excluded = -3;
const decided = {
  usually: 6.5,
  ifScattering: 10,
  spread: { usual: 0.034, scattering: 0.07 },
} as const;
/**
 * While the next exchange would leave what has run over below `spilledMl`, a hypothesis decides at odds that are higher by e to the `more`: the
 * exchange costs nothing that matters, and what chance has made looks different after it. Chosen by simulation (decision 31).
 */
const awaited = { spilledMl: 2, more: 3 } as const;

function decidedFrom({ doseSpread }: Hypothesis): number {
  const { usually, ifScattering, spread } = decided;
  const share = (doseSpread - spread.usual) / (spread.scattering - spread.usual);
  return usually + (ifScattering - usually) * Math.min(1, Math.max(0, share));
}
/** Room in which the evidence must have excluded a blocked tube, or probes begin, ml. */
const reserveMl = 2.6;
/** From so much on that has run over by a hypothesis, probes have not decided, ml. They go on: usual exchanges show less, and add as much. */
const lastSpilledMl = 1.6;
/**
 * A probe swings the density by so much to both sides: within 5 % of a target, with the noise that decides when it begins. With
 * rarer readings, or larger usual exchanges, a density is held less exactly anyway.
 */
const largestSwing = { often: 0.03, rarely: 0.048 } as const;
const rarelyHours = 20 / 3600;
const largeExchange = 0.055;
/**
 * By how many standard deviations a probe must distinguish a full vial: as wanted; to decide alone (`decisiveOften`: with frequent readings,
 * where probes are smaller); and at least, so that some of them together do.
 */
const signal = { wanted: 5, decisive: 3.4, decisiveOften: 2.4, least: 1.5 } as const;
const probeStepMl = 0.1;

/** By how many standard deviations (of the readings before and after it, and of the pump) the effect of a probe differs in a full vial. */
function probeSignal({ noise, models }: DoseEvidence, addedMl: number, { volumeMl, capacityMl }: NextExchange): number {
  const effect = Math.log1p(addedMl / volumeMl);
  const difference = effect - Math.log1p(addedMl / capacityMl);
  const growth = models === undefined ? 0 : Math.max(0.05, growthOf(models.steady.estimate));
  const { white, slow, slowHours } = noiseOf(noise);
  const hours = Math.min(1, effect / growth);
  const readings = Math.max(1, hours / Math.max(noise.spacing, 1e-3));
  const slowOnes = Math.max(1, hours / (2 * slowHours));
  const variance = (2 * white) / readings + (2 * slow) / slowOnes + (usualSpread * effect) ** 2;
  return difference / Math.sqrt(variance);
}

/**
 * With rare readings the effect of an exchange is lost in their noise: so many more, before it and after it, show it. Chosen by
 * simulation (decision 31): a longer series, or one with wider distances, shows no more.
 */
export const closeReadings = { count: 8, everyMs: 5_000 } as const;

/** Whether readings are so rare that an exchange that shows whether waste leaves needs extra ones. */
export const needsCloseReadings = ({ noise }: DoseEvidence): boolean => noise.spacing > rarelyHours;

/** Whether the density is held so coarsely that a large probe does not matter. */
const isCoarse = ({ noise }: DoseEvidence, { exchangeMl, volumeMl }: NextExchange): boolean =>
  noise.spacing > rarelyHours || Math.log1p(exchangeMl / volumeMl) > largeExchange;

function largestProbeMl(evidence: DoseEvidence, next: NextExchange): number {
  const { white, slow } = noiseOf(evidence.noise);
  const within = Math.max(0, largestSwing.often - Math.sqrt(white + slow));
  const swing = isCoarse(evidence, next) ? largestSwing.rarely : within;
  return Math.max(next.exchangeMl, (next.volumeMl * Math.expm1(2 * swing)) / Math.max(1, mediaFactor(evidence)));
}

/** Flow of the media pump relative to its calibration. */
const mediaFactor = ({ models }: DoseEvidence): number =>
  models === undefined ? 1 : pumpFactor(models.steady.estimate, 'media').factor;

/** The smallest probe that distinguishes a full vial well, or the largest one, and whether it decides alone; undefined: no number of them decides. */
function bestProbe(
  evidence: DoseEvidence,
  next: NextExchange,
): { readonly probe: WasteProbe; readonly decides: boolean } | undefined {
  const largestMl = largestProbeMl(evidence, next);
  const largest = probeSignal(evidence, largestMl, next);
  if (largest < signal.least) return undefined;
  let addedMl = next.exchangeMl;
  while (addedMl < largestMl && probeSignal(evidence, addedMl, next) < signal.wanted) addedMl += probeStepMl;
  const probe = { volumeMl: Math.min(largestMl, addedMl), factor: mediaFactor(evidence) };
  return { probe, decides: largest >= (isCoarse(evidence, next) ? signal.decisive : signal.decisiveOften) };
}

const mostOf = (hypotheses: readonly Hypothesis[], value: (one: Hypothesis) => number): Hypothesis | undefined =>
  hypotheses.reduce<Hypothesis | undefined>(
    (most, one) => (most === undefined || value(one) > value(most) ? one : most),
    undefined,
  );

/** Before an exchange that removes what it adds. */
export function wasteCheck(evidence: DoseEvidence, next: NextExchange): WasteCheck {
  const supportOf = (one: Hypothesis): number => supportedOdds(one) - priorLogOdds.waste_blocked;
  const open = evidence.hypotheses.filter((one) => one.disturbance === 'waste_blocked' && supportOf(one) > excluded);
  const { volumeMl: possibleMl = 0 } = mostOf(open, ({ volumeMl = 0 }) => volumeMl) ?? {};
  if (possibleMl + next.exchangeMl <= next.capacityMl - reserveMl) return { kind: 'clear' };
  const spilledMl = Math.max(0, ...open.map((one) => one.spilledMl ?? 0));
  const probable = mostOf(
    open.filter((one) => (one.spilledMl ?? 0) >= leastSpilledMl),
    supportOf,
  );
  const best = bestProbe(evidence, next);
  const nextMl = Math.max(next.exchangeMl, best?.probe.volumeMl ?? 0) * mediaFactor(evidence);
  const isAwaited = (probable?.spilledMl ?? 0) + nextMl <= awaited.spilledMl;
  if (probable !== undefined && supportOf(probable) > decidedFrom(probable) + (isAwaited ? awaited.more : 0)) {
    const { disturbance, sinceDose, doses, logOdds, volumeMl = next.capacityMl } = probable;
    return { kind: 'blocked', found: { disturbance, sinceDose, doses, logOdds, factor: 0, volumeMl } };
  }
  // A culture that regains what a dose has taken shows the waste in no exchange, however large.
  if (best === undefined || mayLiveOnDoses(evidence)) return { kind: 'unverifiable' };
  const { probe, decides } = best;
  if (decides && spilledMl < lastSpilledMl) return { kind: 'probe', ...probe };
  // A density that is held closely stays so: with frequent readings usual exchanges show it, too.
  return isCoarse(evidence, next) ? { kind: 'unverifiable', probe } : { kind: 'unverifiable' };
}

/** The evidence without the hypotheses about waste, which then decide nothing. */
export const withoutWaste = (evidence: DoseEvidence): DoseEvidence => ({
  ...evidence,
  hypotheses: evidence.hypotheses.filter(({ disturbance }) => disturbance !== 'waste_blocked'),
  sinceWasteMl: Number.POSITIVE_INFINITY,
});
