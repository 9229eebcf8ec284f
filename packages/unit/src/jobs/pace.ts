import { sliceMs } from '@lcs/domain';

/** How often jobs check what rarely changes, and how finely they account for pumps. */
export interface Pace {
  /** Between two measurements of the temperature, model and sensor are checked at this interval. */
  readonly boardCheckMs: number;
  /** Of the readings of a cooling curve, every so many is taken. */
  readonly coolingEvery: 1 | 2;
  /** The volume of the vial is compared with its limit at this interval; a warning is repeated as often. */
  readonly volumeCheckMs: number;
  /** The longest part of a dose that the ledger takes at once, before it is pumped. */
  readonly sliceMs: number;
}

/** Volume: as in a similar system. */
export const usualPace: Pace = { boardCheckMs: 5_000, coolingEvery: 1, volumeCheckMs: 10_000, sliceMs };
