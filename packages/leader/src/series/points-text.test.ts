import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AnswerWriter, maxBytesPerPoint, roundHalfAway } from './points-text.ts';

const textOf = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

/** One point, as it is written. */
const pointText = (at: number, value: number, decimals: number): string => {
  const writer = new AnswerWriter();
  writer.line({ at: [at], value: [value] }, decimals);
  return textOf(writer.answer([]));
};

describe('an instant', () => {
  it('follows the calendar, in any order', () => {
    const writer = new AnswerWriter();
    const moments = fc.array(fc.integer({ min: 0, max: Date.UTC(12_000, 11, 31) }), { minLength: 1 });
    fc.assert(
      fc.property(moments, (at) => {
        writer.line({ at, value: at.map(() => 1) }, 7);
        const points = at.map((moment) => `{"x":"${new Date(moment).toISOString()}","y":1}`);
        expect(textOf(writer.answer(['a']))).toBe(`{"series":["a"],"data":[[${points}]]}`);
      }),
    );
  });
});

describe('rounding', () => {
  it.each([
    [0.5, 0, 1],
    [-0.5, 0, -1],
    [2.5, 0, 3],
    [0.00000005, 7, 1e-7],
    [-0.00000004, 7, 0],
    [30.125, 2, 30.13],
    [-30.125, 2, -30.13],
    [1e300, 7, 1e300],
    [123_456_789_012.345, 7, 123_456_789_012.345],
  ])('goes away from zero at the half: %d with %d digits is %d', (value, decimals, rounded) => {
    expect(roundHalfAway(value, decimals)).toBe(rounded);
    expect(JSON.parse(pointText(0, value, decimals)).data).toEqual([[{ x: '1970-01-01T00:00:00.000Z', y: rounded }]]);
  });
});

describe('a number', () => {
  const doubles = fc.oneof(
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.double({ noNaN: true, min: -1000, max: 1000 }),
    fc.double({ noNaN: true, min: -1e-5, max: 1e-5 }),
    fc.double({ noNaN: true, min: -1e16, max: 1e16 }),
    fc.tuple(fc.integer(), fc.integer({ min: 0, max: 9 })).map(([whole, digits]) => whole / 10 ** digits),
  );

  it('has the text of the rounded number, to the last digit', () => {
    fc.assert(
      fc.property(doubles, fc.integer({ min: 0, max: 7 }), (value, decimals) => {
        const y = String(roundHalfAway(value, decimals));
        expect(pointText(0, value, decimals)).toBe(
          `{"series":[],"data":[[{"x":"1970-01-01T00:00:00.000Z","y":${y}}]]}`,
        );
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('an answer', () => {
  it('is separate JSON that no number makes longer than reserved', () => {
    const rows = fc.array(
      fc.tuple(fc.integer({ min: 0, max: 4e12 }), fc.double({ noNaN: true, noDefaultInfinity: true })),
    );
    const writer = new AnswerWriter();
    fc.assert(
      fc.property(fc.array(rows, { maxLength: 4 }), fc.constantFrom(2, 5, 7), (lines, decimals) => {
        for (const line of lines) {
          writer.line({ at: line.map(([at]) => at), value: line.map(([, value]) => value) }, decimals);
        }
        const labels = lines.map((_, index) => `räx "${index}"`);
        const bytes = writer.answer(labels);
        const { series, data } = JSON.parse(textOf(bytes));
        expect(series).toEqual(labels);
        expect(data.map((points: unknown[]) => points.length)).toEqual(lines.map(({ length }) => length));
        const head = new TextEncoder().encode(JSON.stringify(labels)).length + '{"series":,"data":[]}'.length;
        const counted = lines.reduce((sum, { length }) => sum + 3 + length * maxBytesPerPoint, head);
        expect(bytes.length).toBeLessThanOrEqual(counted);
      }),
    );
  });

  it('may be much larger than the one before and the one after', () => {
    const writer = new AnswerWriter();
    for (const points of [1, 100_000, 2]) {
      const at = Array.from({ length: points }, (_, index) => index);
      writer.line({ at, value: at.map((index) => index / 8) }, 7);
      const { data } = JSON.parse(textOf(writer.answer([])));
      expect(data[0]).toHaveLength(points);
      expect(data[0].at(-1)).toEqual({ x: new Date(points - 1).toISOString(), y: (points - 1) / 8 });
    }
  });
});
