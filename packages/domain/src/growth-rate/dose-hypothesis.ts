import { combinedLevel, type FilterBank, mapBank } from './filter-bank.ts';
import type { GrowthRateParameters } from './growth-rate-parameters.ts';
import { loosenLevel, shiftByDose } from './state-estimate.ts';

/** A dose of which it is not known yet whether it arrived. Plain data. */
export interface PendingDose {
  /** The filter if the announced dose did not arrive, or in a quite different amount. */
  readonly withoutDose: FilterBank;
  /** ln of the odds that it arrived. */
  readonly logOdds: number;
  /** Announced change of ln OD, of all parts together. */
  readonly shift: number;
  readonly atMs: number;
  /** Readings since. */
  readonly readings: number;
}

/** ln of the odds that a pump's dose arrives: at first and at most; least after doses that did not. Chosen. */
export const usualLogOdds = 3.5;
const leastLogOdds = 0;
const unseenPenalty = 2;
const seenBonus = 1;

/** Odds (ln) at which the question is settled; else it is settled by the sign after this number of readings and this time. Chosen. */
const settledLogOdds = 7;
const longestReadings = 5;
const longestMs = 300_000;

/** Most that a single reading may add to ln of the odds. */
const maxEvidence = 8;

/** Standard deviation of what arrived if it is not the announced dose, as a share of it. Chosen. */
const unknownShare = 0.5;

/** Adds a dose, or a further part of the dose before which no reading came, to the bank and the hypothesis beside it. */
export function addDose(
  bank: FilterBank,
  pending: PendingDose | null,
  shift: number,
  logOdds: number,
  atMs: number,
  { doseDeviation }: GrowthRateParameters,
): { readonly bank: FilterBank; readonly pending: PendingDose } {
  const earlier = pending?.shift ?? 0;
  const total = earlier + shift;
  // The errors of the parts of one dose are one error; a part that is taken back takes its variance back.
  const added = Math.max(0, total ** 2 - earlier ** 2);
  return {
    bank: mapBank(bank, (estimate) => shiftByDose(estimate, shift, doseDeviation ** 2 * added)),
    pending: {
      withoutDose: mapBank(pending?.withoutDose ?? bank, (estimate) =>
        loosenLevel(estimate, unknownShare ** 2 * added),
      ),
      logOdds,
      shift: total,
      atMs,
      readings: 0,
    },
  };
}

/** After a reading whose ln of the likelihood with the dose is larger by `evidence` than without it. */
export const weighDose = (pending: PendingDose, withoutDose: FilterBank, evidence: number): PendingDose => ({
  ...pending,
  withoutDose,
  logOdds: pending.logOdds + Math.max(-maxEvidence, Math.min(maxEvidence, evidence)),
  readings: pending.readings + 1,
});

export const isSettled = ({ logOdds, readings, atMs }: PendingDose, nowMs: number): boolean =>
  Math.abs(logOdds) > settledLogOdds || (readings >= longestReadings && nowMs - atMs > longestMs);

/** The odds of the next dose: a pump whose doses did not arrive is trusted less. */
export const nextLogOdds = (isSeen: boolean, logOdds: number): number =>
  isSeen ? Math.min(usualLogOdds, logOdds + seenBonus) : Math.max(leastLogOdds, logOdds - unseenPenalty);

/** Change of the estimated ln OD if the dose did not arrive. */
export const levelWithoutDose = (bank: FilterBank, { withoutDose }: PendingDose): number =>
  combinedLevel(withoutDose) - combinedLevel(bank);
