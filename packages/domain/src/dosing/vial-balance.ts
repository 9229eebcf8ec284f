import type { BioreactorValues } from '../bioreactor/bioreactor-values.ts';
import type { Pump } from '../vial/vial-parameters.ts';

/** What changes the content of a vial, or what is known of it. All volumes in ml. */
export type DosingEntry =
  /**
   * A pump: `add_media`, `add_alt_media`, `remove_waste`, `prime_media` and `prime_alt_media` (a tube was filled: out of the
   * bottle, not into the vial), or `add_<name>` of a plugin. Below 0: it was less than was said.
   */
  | { readonly kind: 'dose'; readonly event: string; readonly volumeMl: number }
  /** A person's hand. Below 0: a note was corrected or removed. */
  | { readonly kind: 'note'; readonly note: 'sample_taken' | 'media_added'; readonly volumeMl: number }
  /** Somebody knows better. `bottlesMl`: what is left in a bottle, or what room is left in that for waste. */
  | {
      readonly kind: 'set';
      readonly values: Partial<BioreactorValues>;
      readonly bottlesMl?: Readonly<Partial<Record<Pump, number>>>;
    };

/** Where all liquid came from and went since the ledger began, ml. */
export interface VialTotals {
  /** By pumps and by hand. */
  readonly addedMl: number;
  /** The part of it that was alternative medium. */
  readonly altAddedMl: number;
  /** By the waste pump, without the air it drew. */
  readonly wasteMl: number;
  readonly sampledMl: number;
  /** Ran over: more came than the vial holds. */
  readonly spilledMl: number;
  /** What people set, against what the ledger said; negative when there was less. */
  readonly correctedMl: number;
  /** Alternative medium that left the vial, on any way. */
  readonly altLeftMl: number;
  /** The same as `correctedMl` for the alternative medium, and what could not be taken back in full. */
  readonly altCorrectedMl: number;
  /** What the waste pump drew with its tube in the air. */
  readonly airMl: number;
}

type NoteKind = Extract<DosingEntry, { kind: 'note' }>['note'];

/** The content of a vial, after all entries so far. Plain data. */
export interface VialBalance {
  readonly initialMl: number;
  readonly initialAltMl: number;
  readonly values: BioreactorValues;
  readonly totals: VialTotals;
  /** Out of each bottle, or into that for waste, since it was put there. */
  readonly drawnMl: Readonly<Record<Pump, number>>;
  /** Air that the waste pump has drawn since it last drew liquid only: taken back first. */
  readonly airSinceLiquidMl: number;
  /** What notes said beyond what the vial could take or give, by their kind: taken back first. Absent: nothing. */
  readonly beyondMl?: Readonly<Record<NoteKind, number>>;
}

/** What a vial and its bottles hold. */
export interface VialRoom {
  /** Above this it runs over; undefined: the model is not known. */
  readonly capacityMl: number | undefined;
  /** As they were put there; absent or 0: not known. For waste: the room in its bottle. */
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

/** Shares so near an end are that end: rounding must not leave a trace of what is not there. */
const traceShare = 1e-12;

function shareOf(altMl: number, volumeMl: number, otherwise: number): number {
  if (volumeMl <= 0) return otherwise;
  const share = Math.min(1, Math.max(0, altMl / volumeMl));
  if (share < traceShare) return 0;
  return share > 1 - traceShare ? 1 : share;
}

/** `balance` with another volume and share; the share's rest that cannot be (below 0, above 1) is noted as a correction. */
function withContent(balance: VialBalance, volumeMl: number, altMl: number): VialBalance {
  const { values, totals } = balance;
  const alt_media_fraction = shareOf(altMl, volumeMl, values.alt_media_fraction);
  const rest = alt_media_fraction * volumeMl - altMl;
  return {
    ...balance,
    values: { ...values, current_volume_ml: volumeMl, alt_media_fraction },
    totals: { ...totals, altCorrectedMl: totals.altCorrectedMl + rest },
  };
}

const altIn = ({ values }: VialBalance): number => values.current_volume_ml * values.alt_media_fraction;

/** Adds liquid (below 0: takes it back). */
function added(balance: VialBalance, wantedMl: number, isAlt: boolean): VialBalance {
  const { current_volume_ml: beforeMl } = balance.values;
  const volumeMl = Math.max(wantedMl, -beforeMl);
  const altMl = isAlt ? volumeMl : 0;
  const { totals } = balance;
  return withContent(
    {
      ...balance,
      totals: { ...totals, addedMl: totals.addedMl + volumeMl, altAddedMl: totals.altAddedMl + altMl },
    },
    beforeMl + volumeMl,
    altIn(balance) + altMl,
  );
}

/** Liquid leaves as it is mixed (below 0: it comes back). */
function left(balance: VialBalance, volumeMl: number, way: 'wasteMl' | 'sampledMl' | 'spilledMl'): VialBalance {
  const { totals, values } = balance;
  const altMl = volumeMl * values.alt_media_fraction;
  return {
    ...balance,
    values: { ...values, current_volume_ml: values.current_volume_ml - volumeMl },
    totals: { ...totals, [way]: totals[way] + volumeMl, altLeftMl: totals.altLeftMl + altMl },
  };
}

const drawn = (balance: VialBalance, pump: Pump, volumeMl: number): VialBalance => ({
  ...balance,
  drawnMl: { ...balance.drawnMl, [pump]: balance.drawnMl[pump] + volumeMl },
});

type Cumulative = 'cumulative_media_added_ml' | 'cumulative_alt_media_added_ml' | 'cumulative_waste_removed_ml';

const counted = (balance: VialBalance, key: Cumulative, volumeMl: number): VialBalance => ({
  ...balance,
  values: { ...balance.values, [key]: Math.max(0, balance.values[key] + volumeMl) },
});

/** The waste pump: liquid down to the end of its tube, then air. Taken back the other way round. */
function wasted(balance: VialBalance, volumeMl: number): VialBalance {
  const { current_volume_ml, efflux_tube_volume_ml } = balance.values;
  const aboveMl = Math.max(0, current_volume_ml - efflux_tube_volume_ml);
  const liquidMl = volumeMl >= 0 ? Math.min(volumeMl, aboveMl) : Math.min(0, volumeMl + balance.airSinceLiquidMl);
  const airMl = volumeMl - liquidMl;
  const pumped = counted(
    drawn(left(balance, liquidMl, 'wasteMl'), 'waste', liquidMl),
    'cumulative_waste_removed_ml',
    liquidMl,
  );
  const isLiquid = volumeMl > 0 && airMl === 0;
  return {
    ...pumped,
    totals: { ...pumped.totals, airMl: pumped.totals.airMl + airMl },
    airSinceLiquidMl: isLiquid ? 0 : Math.max(0, balance.airSinceLiquidMl + airMl),
  };
}

function dosed(balance: VialBalance, event: string, volumeMl: number): VialBalance {
  switch (event) {
    case 'add_media':
      return counted(drawn(added(balance, volumeMl, false), 'media', volumeMl), 'cumulative_media_added_ml', volumeMl);
    case 'add_alt_media':
      return counted(
        drawn(added(balance, volumeMl, true), 'alt_media', volumeMl),
        'cumulative_alt_media_added_ml',
        volumeMl,
      );
    case 'remove_waste':
      return wasted(balance, volumeMl);
    case 'prime_media':
      return drawn(balance, 'media', volumeMl);
    case 'prime_alt_media':
      return drawn(balance, 'alt_media', volumeMl);
    default:
      return added(balance, volumeMl, false);
  }
}

const nothingBeyond: Readonly<Record<NoteKind, number>> = { media_added: 0, sample_taken: 0 };

/**
 * What a note says beyond what the vial can take or give is kept apart: a mistyped volume that is corrected must not leave the
 * ledger with less, or more, than there is.
 */
function noted(balance: VialBalance, note: NoteKind, volumeMl: number, { capacityMl }: VialRoom): VialBalance {
  const { current_volume_ml } = balance.values;
  const beyond = balance.beyondMl ?? nothingBeyond;
  const roomMl = Math.max(0, (capacityMl ?? Number.POSITIVE_INFINITY) - current_volume_ml);
  const mostMl = note === 'media_added' ? roomMl : current_volume_ml;
  const realMl = volumeMl >= 0 ? Math.min(volumeMl, mostMl) : Math.min(0, volumeMl + beyond[note]);
  const beyondMl = { ...beyond, [note]: Math.max(0, beyond[note] + volumeMl - realMl) };
  const apart = beyondMl[note] === beyond[note] ? balance : { ...balance, beyondMl };
  if (note === 'sample_taken') return left(apart, realMl, 'sampledMl');
  const content = counted(added(apart, realMl, false), 'cumulative_media_added_ml', volumeMl);
  return spilledOver(content, volumeMl - realMl);
}

/** Medium that ran over as it came (below 0: it did not), so that the content is what it was. */
const spilledOver = (balance: VialBalance, volumeMl: number): VialBalance => {
  const { totals } = balance;
  const { addedMl, spilledMl } = totals;
  return { ...balance, totals: { ...totals, addedMl: addedMl + volumeMl, spilledMl: spilledMl + volumeMl } };
};

function set(
  balance: VialBalance,
  { values, bottlesMl = {} }: Extract<DosingEntry, { kind: 'set' }>,
  room: VialRoom,
): VialBalance {
  const next = { ...balance.values, ...values };
  const differenceMl = next.current_volume_ml - balance.values.current_volume_ml;
  const altDifferenceMl = next.current_volume_ml * next.alt_media_fraction - altIn(balance);
  const drawnFor = (pump: Pump): number => {
    const leftMl = bottlesMl[pump];
    return leftMl === undefined ? balance.drawnMl[pump] : (room.bottlesMl[pump] ?? 0) - leftMl;
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

/** What fills a tube: it leaves its bottle, and the vial gets nothing of it. */
const primingEvents: readonly string[] = ['prime_media', 'prime_alt_media'];

/** Whether a pump's event is one that the ledger knows what to do with. */
export const isDosingEvent = (event: string): boolean =>
  event === 'remove_waste' || primingEvents.includes(event) || /^add_[a-z0-9_]+$/.test(event);

/** The balance after one more entry. Events that are no dosing events change nothing. */
export function afterEntry(balance: VialBalance, entry: DosingEntry, room: VialRoom): VialBalance {
  switch (entry.kind) {
    case 'dose':
      return isDosingEvent(entry.event) ? contained(dosed(balance, entry.event, entry.volumeMl), room) : balance;
    case 'note':
      return contained(noted(balance, entry.note, entry.volumeMl, room), room);
    case 'set':
      return set(balance, entry, room);
  }
}

/** What does not fit runs over. */
function contained(balance: VialBalance, { capacityMl = Number.POSITIVE_INFINITY }: VialRoom): VialBalance {
  const overMl = balance.values.current_volume_ml - capacityMl;
  return overMl > 0 ? left(balance, overMl, 'spilledMl') : balance;
}

/** How far the volume is from what came and went: 0, but for rounding. */
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

/** What is left in a bottle, or what room in that for waste; undefined when its size is not known. Never below 0. */
export function bottleLeftMl({ drawnMl }: VialBalance, { bottlesMl }: VialRoom, pump: Pump): number | undefined {
  const sizeMl = bottlesMl[pump];
  return sizeMl === undefined || sizeMl <= 0 ? undefined : Math.max(0, sizeMl - drawnMl[pump]);
}
