import type { FeedRecord } from '@lcs/contract';

/** Numbers that are missing in a unit's feed. */
export interface FeedHole {
  readonly from: number;
  /** Included. */
  readonly to: number;
  /** A gap record that explains it has at most this number. */
  readonly head: number;
  /** The time of the record after the hole, ms. */
  readonly toAt: number;
}

/** A part of a feed beyond the stored one. */
export interface FeedStretch {
  /** The mark: everything up to here is stored. */
  readonly after: number;
  readonly records: readonly FeedRecord[];
  readonly headSeq: number;
  /** Missing numbers up to here are explained: the unit has dropped them. */
  readonly forgottenTo: number;
  /** The mark when this is stored. */
  readonly upTo: number;
}

export interface HolesAfter {
  /** A gap record that is not read yet may still explain it. */
  readonly open: readonly FeedHole[];
  readonly unexplained: readonly FeedHole[];
}

/** Pure: the missing numbers after a stretch is stored, given those before. */
export function holesAfter(open: readonly FeedHole[], stretch: FeedStretch): HolesAfter {
  const { records, headSeq, upTo } = stretch;
  let holes = [...open];
  let last = Math.max(stretch.after, stretch.forgottenTo);
  for (const record of records) {
    if (record.seq > last + 1) holes.push({ from: last + 1, to: record.seq - 1, head: headSeq, toAt: record.at });
    last = Math.max(last, record.seq);
    if (record.kind === 'gap') holes = holes.flatMap((hole) => without(hole, record.from_seq, record.to_seq));
  }
  return {
    open: holes.filter(({ head }) => head > upTo),
    unexplained: holes.filter(({ head }) => head <= upTo),
  };
}

/** The rest of a hole after `from` to `to` is explained. */
function without(hole: FeedHole, from: number, to: number): FeedHole[] {
  if (to < hole.from || from > hole.to) return [hole];
  const left = { ...hole, to: from - 1 };
  const right = { ...hole, from: to + 1 };
  return [left, right].filter((part) => part.from <= part.to);
}
