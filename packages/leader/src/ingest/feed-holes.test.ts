import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { record } from '../testing/test-ingest.ts';
import { type FeedHole, holesAfter } from './feed-holes.ts';

const nothing = { after: 0, forgottenTo: 0 };
const spanOf = ({ from, to }: FeedHole) => [from, to];

describe('missing numbers', () => {
  it('are nothing to worry about while records follow each other, or when the unit has forgotten them', () => {
    const records = [record.sample(8), record.sample(9)];
    const none = { open: [], unexplained: [] };
    expect(holesAfter([], { ...nothing, after: 7, records, headSeq: 9, upTo: 9 })).toEqual(none);
    expect(holesAfter([], { ...nothing, forgottenTo: 7, records, headSeq: 9, upTo: 9 })).toEqual(none);
  });

  it('stay open until the end of what the unit had when they were seen, then they are unexplained', () => {
    const first = holesAfter([], { ...nothing, records: [record.sample(3)], headSeq: 5, upTo: 3 });
    expect([first.open.map(spanOf), first.unexplained]).toEqual([[[1, 2]], []]);
    const later = holesAfter(first.open, {
      ...nothing,
      after: 3,
      records: [record.sample(4), record.sample(5)],
      headSeq: 9,
      upTo: 5,
    });
    expect([later.open, later.unexplained.map(spanOf)]).toEqual([[], [[1, 2]]]);
  });

  it('are explained number by number, by as many gap records as it takes', () => {
    const numbers = fc.uniqueArray(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 25 });
    const spans = fc.array(fc.tuple(fc.integer({ min: 1, max: 30 }), fc.integer({ min: 0, max: 8 })), { maxLength: 5 });
    fc.assert(
      fc.property(numbers, spans, (kept, explained) => {
        const samples = kept.sort((a, b) => a - b).map((seq) => record.sample(seq));
        const gaps = explained.map(([from, length], index) => record.gap(31 + index, from, from + length));
        const upTo = 30 + Math.max(1, gaps.length);
        const end = gaps.length === 0 ? [record.sample(31)] : [];
        const { open, unexplained } = holesAfter([], {
          ...nothing,
          records: [...samples, ...gaps, ...end],
          headSeq: upTo,
          upTo,
        });
        const missing = Array.from({ length: 30 }, (_, index) => index + 1).filter(
          (seq) => !kept.includes(seq) && !explained.some(([from, length]) => seq >= from && seq <= from + length),
        );
        const found = unexplained.flatMap(({ from, to }) =>
          Array.from({ length: to - from + 1 }, (_, at) => from + at),
        );
        expect([open, found.sort((a, b) => a - b)]).toEqual([[], missing]);
      }),
    );
  });
});
