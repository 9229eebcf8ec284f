import type { FeedAnswer, FeedRecord } from '@lcs/contract';

export const testEpoch = '7c1e4f0a-58d2-4b0e-9b6c-2f6b1f0f8a11';

export const testSample = (seq: number, more: Partial<FeedRecord> = {}): FeedRecord =>
  Object.assign(
    { seq, boot: 1, mono: seq * 1_000, at: 1_000 + seq, kind: 'sample', series: 0, value: seq } as const,
    more,
  );

/** An answer of a unit with these records. */
export function testAnswer(records: readonly FeedRecord[], more: Partial<FeedAnswer> = {}): FeedAnswer {
  const head = records.at(-1)?.seq ?? 0;
  return {
    reactor_unit: 'unit1',
    protocol: 1,
    epoch: testEpoch,
    boot: 1,
    first_seq: 1,
    head_seq: head,
    acked_seq: 0,
    time: 0,
    mono: head * 1_000,
    synced: true,
    desired_version: 0,
    desired_pending: [],
    jobs: [],
    outbox: { records: 0, bytes: 0, oldest_at: null, limit_bytes: 0, full: false },
    boots: [{ boot: 1, wall0: null, guess0: 0, source: 'none' }],
    series: [{ experiment_uid: 'e', source: 'od', channel: null, angle: null, derivation: null, context: null }],
    records: [...records],
    more: false,
    ...more,
  };
}
