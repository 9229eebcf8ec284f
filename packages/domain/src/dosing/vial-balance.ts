import type { BioreactorValues } from '../bioreactor/bioreactor-values.ts';
import type { Pump } from '../vial/vial-parameters.ts';

/** One entry of the ledger: a change of a vial's content, or a correction. All volumes in ml. */
export type DosingEntry =
  /**
   * By a pump: `add_media`, `add_alt_media`, `remove_waste`, `prime_media` and `prime_alt_media` (fills a tube: out of the
   * bottle, not into the vial), or `add_<name>` of a plugin. Below 0: the pump moved less than announced. `calibrate_<pump>` (from
   * one vessel into another) and `run_<output>` (a run that a job reports otherwise) change nothing: their rows have the times of the pump.
   */
  | { readonly kind: 'dose'; readonly event: string; readonly volumeMl: number }
  /** By hand. Below 0: a note was corrected or removed. */
  | { readonly kind: 'note'; readonly note: 'sample_taken' | 'media_added'; readonly volumeMl: number }
  /** Reverses what a dose did not do, by the evidence of the optical density. */
  | ({ readonly kind: 'correction' } & DoseCorrection)
  /** A person corrects values. `bottlesMl`: content of a bottle, or free volume of the waste bottle. */
  | {
      readonly kind: 'set';
      readonly values: Partial<BioreactorValues>;
      readonly bottlesMl?: Readonly<Partial<Record<Pump, number>>>;
    };

/** A dose of which the readings prove that it moved less than the ledger has. */
export interface DoseCorrection {
  readonly event: 'add_media' | 'add_alt_media' | 'remove_waste';
  /** Below 0: what did not flow, ml. */
  readonly volumeMl: number;
  /** Number of the first entry of that dose. */
  readonly corrects: number;
  readonly reason: 'missing' | 'irregular' | 'waste_blocked';
  /** Odds for the reason (to 1), and the share of the dose that arrived. */
  readonly evidence: { readonly odds: number; readonly factor: number };
}

/** Sums of all liquid by source and destination since the start of the ledger, ml. */
export interface VialTotals {
  /** By pumps and by hand. */
  readonly addedMl: number;
  /** The share of `addedMl` that was alternative medium. */
  readonly altAddedMl: number;
  /** By the waste pump, without air. */
  readonly wasteMl: number;
  readonly sampledMl: number;
  /** Overflow: liquid beyond the capacity of the vial. */
  readonly spilledMl: number;
  /** Volumes that people set minus the volumes of the ledger. */
  readonly correctedMl: number;
  /** Alternative medium that left the vial. */
  readonly altLeftMl: number;
  /** Like `correctedMl` for the alternative medium, plus remainders of reversals. */
  readonly altCorrectedMl: number;
  /** Air that the waste pump moved with its tube above the liquid. */
  readonly airMl: number;
}

type NoteKind = Extract<DosingEntry, { kind: 'note' }>['note'];

/** The content of a vial, after all entries so far. Plain data. */
export interface VialBalance {
  readonly initialMl: number;
  readonly initialAltMl: number;
  readonly values: BioreactorValues;
  readonly totals: VialTotals;
  /** Volume taken from each bottle, or added to the waste bottle, since the bottle was placed. */
  readonly drawnMl: Readonly<Record<Pump, number>>;
  /** Air that the waste pump has moved since it last moved only liquid: reversed first. */
  readonly airSinceLiquidMl: number;
  /** Volumes of notes beyond the headroom or content of the vial, by kind: reversed first. Absent: 0. */
  readonly beyondMl?: Readonly<Record<NoteKind, number>>;
}

/** The capacities of a vial and its bottles. */
export interface VialCapacity {
  /** Above this volume the vial overflows; undefined: the model is unknown. */
  readonly capacityMl: number | undefined;
  /** Content of each bottle when it was placed; absent or 0: unknown. For waste: the free volume. */
  readonly bottlesMl: Readonly<Partial<Record<Pump, number>>>;
}

/** A ledger without entries. */
export function newBalance(values: BioreactorValues): VialBalance {
  const { current_volume_ml, alt_media_fraction } = values;
  return {
    initialMl: current_volume_ml,
    initialAltMl: current_volume_ml * alt_media_fraction,
    values,
    totals: {
      addedMl: 0,
      altAddedMl: 0,
      wasteMl: 0,
      sampledMl: 0,
      spilledMl: 0,
      correctedMl: 0,
      altLeftMl: 0,
      altCorrectedMl: 0,
      airMl: 0,
    },
    drawnMl: { media: 0, alt_media: 0, waste: 0 },
    airSinceLiquidMl: 0,
  };
}

/** Fractions this close to 0 or 1 are rounded to it, so that rounding errors leave no trace of an absent medium. */
const traceShare = 1e-12;

function altMediaFraction(altMl: number, volumeMl: number, ofEmpty: number): number {
  if (volumeMl <= 0) return ofEmpty;
  const share = Math.min(1, Math.max(0, altMl / volumeMl));
  if (share < traceShare) return 0;
  return share > 1 - traceShare ? 1 : share;
}

/** Sets volume and alternative medium; a fraction below 0 or above 1 is limited, and the remainder recorded as a correction. */
function setContent(balance: VialBalance, volumeMl: number, altMl: number): VialBalance {
  const { values, totals } = balance;
  const alt_media_fraction = altMediaFraction(altMl, volumeMl, values.alt_media_fraction);
  const rest = alt_media_fraction * volumeMl - altMl;
  return {
    ...balance,
    values: { ...values, current_volume_ml: volumeMl, alt_media_fraction },
    totals: { ...totals, altCorrectedMl: totals.altCorrectedMl + rest },
  };
}

const altMediaMl = ({ values }: VialBalance): number => values.current_volume_ml * values.alt_media_fraction;

/** Adds liquid (below 0: reverses an addition). */
function addLiquid(balance: VialBalance, requestedMl: number, isAlt: boolean): VialBalance {
  const { current_volume_ml: beforeMl } = balance.values;
  const volumeMl = Math.max(requestedMl, -beforeMl);
  const altMl = isAlt ? volumeMl : 0;
  const { totals } = balance;
  return setContent(
    {
      ...balance,
      totals: { ...totals, addedMl: totals.addedMl + volumeMl, altAddedMl: totals.altAddedMl + altMl },
    },
    beforeMl + volumeMl,
    altMediaMl(balance) + altMl,
  );
}

/** Removes mixed liquid (below 0: reverses a removal). */
function removeMixed(
  balance: VialBalance,
  volumeMl: number,
  total: 'wasteMl' | 'sampledMl' | 'spilledMl',
): VialBalance {
  const { totals, values } = balance;
  const altMl = volumeMl * values.alt_media_fraction;
  return {
    ...balance,
    values: { ...values, current_volume_ml: values.current_volume_ml - volumeMl },
    totals: { ...totals, [total]: totals[total] + volumeMl, altLeftMl: totals.altLeftMl + altMl },
  };
}

const drawFromBottle = (balance: VialBalance, pump: Pump, volumeMl: number): VialBalance => ({
  ...balance,
  drawnMl: { ...balance.drawnMl, [pump]: balance.drawnMl[pump] + volumeMl },
});

type CumulativeKey = 'cumulative_media_added_ml' | 'cumulative_alt_media_added_ml' | 'cumulative_waste_removed_ml';

const addToCumulative = (balance: VialBalance, key: CumulativeKey, volumeMl: number): VialBalance => ({
  ...balance,
  values: { ...balance.values, [key]: Math.max(0, balance.values[key] + volumeMl) },
});

/** The waste pump removes liquid down to the end of its tube, then air. A reversal goes in the opposite order. */
function removeWaste(balance: VialBalance, volumeMl: number): VialBalance {
  const { current_volume_ml, efflux_tube_volume_ml } = balance.values;
  const aboveMl = Math.max(0, current_volume_ml - efflux_tube_volume_ml);
  const liquidMl = volumeMl >= 0 ? Math.min(volumeMl, aboveMl) : Math.min(0, volumeMl + balance.airSinceLiquidMl);
  const airMl = volumeMl - liquidMl;
  const removed = addToCumulative(
    drawFromBottle(removeMixed(balance, liquidMl, 'wasteMl'), 'waste', liquidMl),
    'cumulative_waste_removed_ml',
    liquidMl,
  );
  const isLiquid = volumeMl > 0 && airMl === 0;
  return {
    ...removed,
    totals: { ...removed.totals, airMl: removed.totals.airMl + airMl },
    airSinceLiquidMl: isLiquid ? 0 : Math.max(0, balance.airSinceLiquidMl + airMl),
  };
}

function applyDose(balance: VialBalance, event: string, volumeMl: number): VialBalance {
  switch (event) {
    case 'add_media':
      return addToCumulative(
        drawFromBottle(addLiquid(balance, volumeMl, false), 'media', volumeMl),
        'cumulative_media_added_ml',
        volumeMl,
      );
    case 'add_alt_media':
      return addToCumulative(
        drawFromBottle(addLiquid(balance, volumeMl, true), 'alt_media', volumeMl),
        'cumulative_alt_media_added_ml',
        volumeMl,
      );
    case 'remove_waste':
      return removeWaste(balance, volumeMl);
    case 'prime_media':
      return drawFromBottle(balance, 'media', volumeMl);
    case 'prime_alt_media':
      return drawFromBottle(balance, 'alt_media', volumeMl);
    default:
      return addLiquid(balance, volumeMl, false);
  }
}

/** Liquid that did not leave is put back; liquid that did not come is taken away. The air of the waste pump stays as it is. */
function applyDoseCorrection(balance: VialBalance, { event, volumeMl }: DoseCorrection): VialBalance {
  if (event !== 'remove_waste') return applyDose(balance, event, volumeMl);
  return addToCumulative(
    drawFromBottle(removeMixed(balance, volumeMl, 'wasteMl'), 'waste', volumeMl),
    'cumulative_waste_removed_ml',
    volumeMl,
  );
}

const noExcess: Readonly<Record<NoteKind, number>> = { media_added: 0, sample_taken: 0 };

/**
 * The volume of a note beyond the headroom or content of the vial is kept separately, so that a mistyped and later corrected
 * volume leaves the ledger unchanged.
 */
function applyNote(balance: VialBalance, note: NoteKind, volumeMl: number, { capacityMl }: VialCapacity): VialBalance {
  const { current_volume_ml } = balance.values;
  const beyond = balance.beyondMl ?? noExcess;
  const headroomMl = Math.max(0, (capacityMl ?? Number.POSITIVE_INFINITY) - current_volume_ml);
  const limitMl = note === 'media_added' ? headroomMl : current_volume_ml;
  const realMl = volumeMl >= 0 ? Math.min(volumeMl, limitMl) : Math.min(0, volumeMl + beyond[note]);
  const beyondMl = { ...beyond, [note]: Math.max(0, beyond[note] + volumeMl - realMl) };
  const apart = beyondMl[note] === beyond[note] ? balance : { ...balance, beyondMl };
  if (note === 'sample_taken') return removeMixed(apart, realMl, 'sampledMl');
  const content = addToCumulative(addLiquid(apart, realMl, false), 'cumulative_media_added_ml', volumeMl);
  return recordSpill(content, volumeMl - realMl);
}

/** Records medium that overflowed at once (below 0: reverses it); the content stays the same. */
const recordSpill = (balance: VialBalance, volumeMl: number): VialBalance => {
  const { totals } = balance;
  const { addedMl, spilledMl } = totals;
  return { ...balance, totals: { ...totals, addedMl: addedMl + volumeMl, spilledMl: spilledMl + volumeMl } };
};

function applyCorrection(
  balance: VialBalance,
  { values, bottlesMl = {} }: Extract<DosingEntry, { kind: 'set' }>,
  capacity: VialCapacity,
): VialBalance {
  const next = { ...balance.values, ...values };
  const differenceMl = next.current_volume_ml - balance.values.current_volume_ml;
  const altDifferenceMl = next.current_volume_ml * next.alt_media_fraction - altMediaMl(balance);
  const drawnFor = (pump: Pump): number => {
    const leftMl = bottlesMl[pump];
    return leftMl === undefined ? balance.drawnMl[pump] : (capacity.bottlesMl[pump] ?? 0) - leftMl;
  };
  const { totals } = balance;
  return {
    ...balance,
    values: next,
    totals: {
      ...totals,
      correctedMl: totals.correctedMl + differenceMl,
      altCorrectedMl: totals.altCorrectedMl + altDifferenceMl,
    },
    drawnMl: { media: drawnFor('media'), alt_media: drawnFor('alt_media'), waste: drawnFor('waste') },
  };
}

/** Events that fill a tube: the liquid leaves the bottle and does not enter the vial. */
const primingEvents: readonly string[] = ['prime_media', 'prime_alt_media'];

/** The runs of a pump that move nothing of the vial or its bottles, for the guard's limits and the reasons of actuations. */
export const runOutsideVial = (pump: Pump): string => `calibrate_${pump}`;

/** Whether the ledger can apply an event of this name. */
export const isDosingEvent = (event: string): boolean =>
  event === 'remove_waste' || primingEvents.includes(event) || /^add_[a-z0-9_]+$/.test(event);

/** The balance after one more entry. Other events than dosing events change nothing. */
export function applyEntry(balance: VialBalance, entry: DosingEntry, capacity: VialCapacity): VialBalance {
  switch (entry.kind) {
    case 'dose':
      return isDosingEvent(entry.event)
        ? spillExcess(applyDose(balance, entry.event, entry.volumeMl), capacity)
        : balance;
    case 'correction':
      return spillExcess(applyDoseCorrection(balance, entry), capacity);
    case 'note':
      return spillExcess(applyNote(balance, entry.note, entry.volumeMl, capacity), capacity);
    case 'set':
      return applyCorrection(balance, entry, capacity);
  }
}

/** Removes the volume above the capacity as overflow. */
function spillExcess(balance: VialBalance, { capacityMl = Number.POSITIVE_INFINITY }: VialCapacity): VialBalance {
  const overMl = balance.values.current_volume_ml - capacityMl;
  return overMl > 0 ? removeMixed(balance, overMl, 'spilledMl') : balance;
}

/** The volume minus the sum of all additions and removals: 0 except for rounding errors. */
export function imbalanceMl({ initialMl, values, totals }: VialBalance): number {
  const { addedMl, wasteMl, sampledMl, spilledMl, correctedMl } = totals;
  return values.current_volume_ml - (initialMl + addedMl - wasteMl - sampledMl - spilledMl + correctedMl);
}

/** The same for the alternative medium. */
export function altImbalanceMl({ initialAltMl, values, totals }: VialBalance): number {
  const { altAddedMl, altLeftMl, altCorrectedMl } = totals;
  return (
    values.current_volume_ml * values.alt_media_fraction - (initialAltMl + altAddedMl - altLeftMl + altCorrectedMl)
  );
}

/** Content of a bottle, or free volume of the waste bottle, at least 0; undefined: its size is unknown. */
export function bottleLeftMl({ drawnMl }: VialBalance, { bottlesMl }: VialCapacity, pump: Pump): number | undefined {
  const sizeMl = bottlesMl[pump];
  return sizeMl === undefined || sizeMl <= 0 ? undefined : Math.max(0, sizeMl - drawnMl[pump]);
}
