import type { Belief } from './kalman.ts';

/**
 * Two filters over the same readings, one that believes the rate to be steady and one that expects it to change, and how much
 * the readings speak for the first: interacting multiple models (Blom and Bar-Shalom, IEEE Trans. AC-33, 1988). Plain data.
 */
export interface Minds {
  readonly calm: Belief;
  readonly lively: Belief;
  /** Probability of the calm one. */
  readonly calmShare: number;
}

/** How much more, or less, change each of them believes than the filter's parameters say. Chosen (growth bench). */
export const livelinessOf = { calm: 0.1, lively: 15 } as const;

/** How often, per hour, a steady rate begins to change, and a change is over. Chosen (growth bench). */
const begins = 0.15;
const ends = 1;

/** Neither is ever given up. */
const leastShare = 0.001;

export const ofOneMind = (belief: Belief): Minds => ({ calm: belief, lively: belief, calmShare: 0.9 });

/** The same done to both. */
export const inBoth = ({ calm, lively, calmShare }: Minds, change: (belief: Belief) => Belief): Minds => ({
  calm: change(calm),
  lively: change(lively),
  calmShare,
});

/** What both together believe: mean, and covariance with what they differ by. */
export const together = ({ calm, lively, calmShare }: Minds): Belief => mixed(calm, lively, calmShare);

/** After `hours` either may have become the other. */
export function exchanged({ calm, lively, calmShare }: Minds, hours: number): Minds {
  const [beginning, ending] = [1 - Math.exp(-begins * hours), 1 - Math.exp(-ends * hours)];
  const share = calmShare * (1 - beginning) + (1 - calmShare) * ending;
  return {
    calm: mixed(calm, lively, (calmShare * (1 - beginning)) / share),
    lively: mixed(calm, lively, (calmShare * beginning) / (1 - share)),
    calmShare: share,
  };
}

/** What a mind expected of a reading: by how much it was wrong, and with what variance. */
export interface Expectation {
  readonly innovation: number;
  readonly variance: number;
}

/** The probability of the calm one after a reading, by Bayes' rule. */
export function calmShareAfter(calmShare: number, calm: Expectation, lively: Expectation): number {
  const [one, other] = [calmShare * likelihood(calm), (1 - calmShare) * likelihood(lively)];
  const share = one + other > 0 ? one / (one + other) : calmShare;
  return Math.min(1 - leastShare, Math.max(leastShare, share));
}

/** One wild reading decides nothing. */
const mostDeviations = 4;

function likelihood({ innovation, variance }: Expectation): number {
  const deviations = Math.min(mostDeviations, Math.abs(innovation) / Math.sqrt(variance));
  return Math.exp(-(deviations ** 2) / 2) / Math.sqrt(variance);
}

function mixed(one: Belief, other: Belief, share: number): Belief {
  const rest = 1 - share;
  const mean = (a: number, b: number): number => share * a + rest * b;
  const [l, r, d, s] = [one.level - other.level, one.rate - other.rate, one.drift - other.drift, one.slow - other.slow];
  const [all, als, ald, alw, arr, ard, arw, add, adw, aww] = one.covariance;
  const [bll, bls, bld, blw, brr, brd, brw, bdd, bdw, bww] = other.covariance;
  const apart = share * rest;
  return {
    level: mean(one.level, other.level),
    rate: mean(one.rate, other.rate),
    drift: mean(one.drift, other.drift),
    slow: mean(one.slow, other.slow),
    covariance: [
      mean(all, bll) + apart * l * l,
      mean(als, bls) + apart * l * r,
      mean(ald, bld) + apart * l * d,
      mean(alw, blw) + apart * l * s,
      mean(arr, brr) + apart * r * r,
      mean(ard, brd) + apart * r * d,
      mean(arw, brw) + apart * r * s,
      mean(add, bdd) + apart * d * d,
      mean(adw, bdw) + apart * d * s,
      mean(aww, bww) + apart * s * s,
    ],
  };
}
