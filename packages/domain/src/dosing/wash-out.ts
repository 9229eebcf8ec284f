/**
 * Wash-out of a vial by discrete exchanges. Each part adds v and then removes liquid down to the level V, so that of a dissolved
 * substance that is neither made nor used up the share V / (V + v) stays: the wash-out of an exchange is n · ln(1 + v / V) for n
 * parts. The limit of many small exchanges is the dilution rate D = F / V of a chemostat (Novick and Szilard, Science 112, 1950;
 * Monod, Ann. Inst. Pasteur 79, 1950).
 */
export interface WashOutExchange {
  /** The level to which each part of an exchange is drained, ml. */
  readonly volumeMl: number;
  /** Evaporates between two exchanges, ml: the first medium of an exchange replaces it, and washes nothing out. */
  readonly evaporatedMl: number;
  /** Number of equal parts for a volume, ml. */
  partsFor(addedMl: number): number;
}

/** The volume to exchange so that `washOut` (dilution rate × interval) is washed out, ml. */
export function exchangeForWashOut(washOut: number, { volumeMl, evaporatedMl, partsFor }: WashOutExchange): number {
  if (washOut <= 0 || volumeMl <= 0) return 0;
  const inParts = (count: number): number => count * volumeMl * Math.expm1(washOut / count) + evaporatedMl;
  let parts = 1;
  // More parts need less volume: the first count that the pumps use for its own volume is the answer.
  while (parts < partsFor(inParts(parts))) parts = partsFor(inParts(parts));
  return inParts(parts);
}

/** The wash-out of an exchange: the inverse of `exchangeForWashOut`. */
export function washOutOf(addedMl: number, { volumeMl, evaporatedMl, partsFor }: WashOutExchange): number {
  const parts = partsFor(addedMl);
  return parts * Math.log1p(Math.max(0, addedMl - evaporatedMl) / parts / volumeMl);
}

/** Parts of an exchange: halved until a part is small enough, so that all parts are equal. */
export function exchangeParts(addedMl: number, largestMl: number): number {
  let parts = 1;
  while (addedMl / parts > largestMl + 1e-9) parts *= 2;
  return parts;
}
