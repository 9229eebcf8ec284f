import type { FeedRecord } from '@lcs/contract';

/** Numbers that are missing in a unit's feed. */
export interface FeedHole {
  readonly from: number;
  /** Included. */
  readonly to: number;
  /** A gap record that explains it has at most this number. */
  readonly head: number;
  /** When the record after the hole was written, ms. */
  readonly toAt: number;
}

/** What was read of a feed, after what is stored already. */
export interface FeedStretch {
  /** The mark: everything up to here is stored. */
  readonly after: number;
  readonly records: readonly FeedRecord[];
  readonly headSeq: number;
  /** Missing up to here is explained: the unit has forgotten it. */
  readonly forgottenTo: number;
  /** The mark when this is stored. */
  readonly upTo: number;
}

export interface HolesAfter {
  /** May still be explained by a gap record that is not read yet. */
  readonly open: readonly FeedHole[];
  readonly unexplained: readonly FeedHole[];
}

/** Pure: what is missing once a stretch is stored, given what was missing before. */
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

/** What is left of a hole once `from` to `to` is explained. */
function without(hole: FeedHole, from: number, to: number): FeedHole[] {
  if (to < hole.from || from > hole.to) return [hole];
  const left = { ...hole, to: from - 1 };
  const right = { ...hole, from: to + 1 };
  return [left, right].filter((part) => part.from <= part.to);
}
