import fc from 'fast-check';
import { expect, it } from 'vitest';
import { maxRealBytes, writeReal, writeSeconds } from './csv-bytes.ts';
import { formatReal } from './csv-text.ts';

const bytesOf = (value: number): string => {
  const bytes = new Uint8Array(maxRealBytes);
  return Buffer.from(bytes.subarray(0, writeReal(bytes, 0, value))).toString('latin1');
};

const reals = fc.oneof(
  fc.double(),
  fc.double({ min: -1_001, max: 1_001 }),
  fc.double({ min: -1e-6, max: 1e-6 }),
  // Near the middle between two numbers of twelve decimals.
  fc.tuple(fc.integer({ min: -2e9, max: 2e9 }), fc.integer({ min: -3, max: 3 })).map(([n, ulps]) => {
    const middle = (n + 0.5) / 1e12;
    return middle + ulps * Number.EPSILON * Math.abs(middle);
  }),
  fc.integer({ min: -2_000, max: 2_000 }),
  fc.constantFrom(0, -0, 1e-12, 5e-13, 4.9e-13, 999.999_999_999_999, 1_000, 99.5, 0.1, 1e21, 1e-7),
);

it('writes the bytes of the text of a real', () => {
  fc.assert(
    fc.property(reals, (value) => {
      expect(bytesOf(value)).toBe(formatReal(value));
    }),
    { numRuns: 20_000 },
  );
});

it('writes seconds and milliseconds of a minute', () => {
  const bytes = new Uint8Array(6);
  for (const [ms, text] of [
    [0, '00.000'],
    [7_120, '07.120'],
    [59_999, '59.999'],
  ] as const) {
    expect(writeSeconds(bytes, 0, ms)).toBe(6);
    expect(Buffer.from(bytes).toString('latin1')).toBe(text);
  }
});
