import { describe, expect, it } from 'vitest';
import { testAnswer, testEpoch, testSample } from '../testing/test-feed.ts';
import { batchOf } from './feed-batch.ts';

const mark = (seq: number) => ({ epoch: testEpoch, seq });

describe('a batch', () => {
  it('leaves out what is at or below the mark', () => {
    const batch = batchOf(testAnswer([testSample(4), testSample(5), testSample(6)]), mark(5));
    expect(batch.records.map(({ record }) => record.seq)).toEqual([6]);
    expect([batch.after, batch.upTo]).toEqual([5, 6]);
  });

  it('maps records from before the unit knew the time, and keeps their flag', () => {
    const boots = [{ boot: 1, wall0: 50_000, guess0: 0, source: 'leader' as const }];
    const answer = testAnswer([testSample(1, { unsynced: true, mono: 2_500_999 }), testSample(2)], { boots });
    expect(batchOf(answer, mark(0)).records.map(({ record }) => [record.at, record.unsynced])).toEqual([
      [52_500, true],
      [1_002, undefined],
    ]);
    const unknown = testAnswer([testSample(1, { unsynced: true })]);
    expect(batchOf(unknown, mark(0)).records[0]?.record.at).toBe(1_001);
  });

  it('calls old what an older boot wrote, or what was written more than 30 s before the answer', () => {
    const records = [
      testSample(1, { boot: 1, mono: 99_000_000 }),
      testSample(2, { boot: 2, mono: 1_000_000 }),
      testSample(3, { boot: 2, mono: 1_000_001 }),
    ];
    const batch = batchOf(testAnswer(records, { boot: 2, mono: 31_000_001 }), mark(0));
    expect(batch.records.map(({ backfill }) => backfill)).toEqual([true, true, false]);
  });

  it('contains the acknowledged records that the unit has dropped, and not the thinned ones', () => {
    expect(batchOf(testAnswer([testSample(10)], { first_seq: 10, acked_seq: 9 }), mark(3)).forgotten).toEqual({
      fromSeq: 4,
      toSeq: 9,
    });
    expect(batchOf(testAnswer([testSample(10)], { first_seq: 10, acked_seq: 3 }), mark(3)).forgotten).toBeUndefined();
  });

  it('moves the mark beyond what was forgotten, also when nothing follows it', () => {
    const batch = batchOf(testAnswer([], { first_seq: 10, acked_seq: 9, head_seq: 9 }), mark(3));
    expect(batch).toMatchObject({ after: 3, upTo: 9, headSeq: 9, records: [], forgotten: { fromSeq: 4, toSeq: 9 } });
  });
});
