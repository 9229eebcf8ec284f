import { exchangeParts, washOutOf } from './wash-out.ts';

/** What determines the duration of an exchange. */
export interface ExchangePace {
  readonly mediaMlPerS: number;
  readonly wasteMlPerS: number;
  /** After each part, for mixing. */
  readonly pauseS: number;
  /** So many times the volume is removed again. */
  readonly wasteMultiplier: number;
  readonly maxSubdoseMl: number;
  /** No reading counts for so long after an exchange. */
  readonly settleS: number;
}

/** Seconds of an exchange, without the time in which readings do not count. */
export function exchangeSeconds(addedMl: number, pace: Omit<ExchangePace, 'settleS'>): number {
  const { mediaMlPerS, wasteMlPerS, pauseS, wasteMultiplier, maxSubdoseMl } = pace;
  const parts = exchangeParts(addedMl, maxSubdoseMl);
  return addedMl / mediaMlPerS + ((1 + wasteMultiplier) * addedMl) / wasteMlPerS + parts * pauseS;
}

/** The fastest growth, per hour, that exchanges one after the other wash out. */
export function fastestDilution(addedMl: number, volumeMl: number, pace: ExchangePace): number {
  const partsFor = (ml: number): number => exchangeParts(ml, pace.maxSubdoseMl);
  const washOut = washOutOf(addedMl, { volumeMl, evaporatedMl: 0, partsFor });
  return (3600 * washOut) / (exchangeSeconds(addedMl, pace) + pace.settleS);
}

/** Of a turbidostat that exchanges again and again, and yet stays above its target; plain data. */
export interface KeepingUp {
  /** Exchanges in a row above the target. */
  readonly exchanges: number;
  /** Biomass relative to the target at the first of them. */
  readonly firstRatio: number;
  readonly isReported: boolean;
}

export const keepingUp: KeepingUp = { exchanges: 0, firstRatio: 0, isReported: false };

/** Above this share of the target a turbidostat is not controlling. Chosen: beyond the swing of usual exchanges. */
const farAbove = 1.12;
const backAtTarget = 1.05;
/** So many exchanges in a row must have lowered the biomass, or the pumps do not keep up. Chosen. */
const exchangesToJudge = 6;
/** Exchanges that keep up lower it by more than this share together. */
const leastProgress = 0.03;

/** Before an exchange at this biomass, relative to the target. `cannot`: to be reported now. */
export function keepingUpStep(
  state: KeepingUp,
  ratio: number,
): { readonly state: KeepingUp; readonly cannot: boolean } {
  if (ratio <= backAtTarget) return { state: keepingUp, cannot: false };
  if (ratio <= farAbove) return { state: { ...state, exchanges: 0 }, cannot: false };
  const exchanges = state.exchanges + 1;
  const firstRatio = exchanges === 1 ? ratio : state.firstRatio;
  if (exchanges <= exchangesToJudge) return { state: { ...state, exchanges, firstRatio }, cannot: false };
  const falls = ratio < (1 - leastProgress) * firstRatio;
  const cannot = !falls && !state.isReported;
  return { state: { exchanges: 1, firstRatio: ratio, isReported: state.isReported || cannot }, cannot };
}
