import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PartAssembly, partsOf } from './notification-parts.ts';

describe('the parts of a notification', () => {
  it('are accepted by the server, differ, and are the text again', () => {
    const text = fc
      .tuple(fc.string({ unit: 'grapheme', maxLength: 20 }), fc.integer({ min: 0, max: 2_000 }))
      .map(([piece, times]) => JSON.stringify(piece.repeat(times)));
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 3 }), (texts) => {
        const assembly = new PartAssembly();
        for (const each of texts) {
          const parts = partsOf(each);
          for (const part of parts) expect(Buffer.byteLength(part)).toBeLessThan(8_000);
          expect(new Set(parts).size).toBe(parts.length);
          const assembled = parts.map((part) => assembly.add(part));
          expect(assembled.at(-1)).toBe(each);
          expect(assembled.slice(0, -1).every((none) => none === undefined)).toBe(true);
        }
      }),
    );
  });

  it('are no text without the first one, or one between', () => {
    const [first = '', second = '', third = ''] = partsOf('ä'.repeat(10_000));
    const assembly = new PartAssembly();
    expect([second, third].map((part) => assembly.add(part))).toEqual([undefined, undefined]);
    expect([first, third].map((part) => assembly.add(part))).toEqual([undefined, undefined]);
    expect(assembly.add('of somebody else')).toBeUndefined();
    expect(partsOf('x').map((part) => assembly.add(part))).toEqual(['x']);
    expect(partsOf('').map((part) => assembly.add(part))).toEqual(['']);
  });
});
