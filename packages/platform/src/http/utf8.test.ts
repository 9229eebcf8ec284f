import { isUtf8 } from 'node:buffer';
import { anyCharacter } from '@lcs/contract/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { utf8FaultOffset } from './utf8.ts';

describe('utf8FaultOffset', () => {
  it('finds nothing in any text, a real replacement character included', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (text) => {
        expect(utf8FaultOffset(Buffer.from(`${text}\ufffd`))).toBeUndefined();
      }),
    );
  });

  it('points at the byte after the longest good beginning', () => {
    const texts = fc.string({ unit: fc.constantFrom('a', 'é', '€', '😀', '\ufffd') });
    fc.assert(
      fc.property(texts, fc.uint8Array({ minLength: 1, maxLength: 8 }), (text, tail) => {
        const bytes = Buffer.concat([Buffer.from(text), tail]);
        const offset = utf8FaultOffset(bytes);
        if (isUtf8(bytes)) expect(offset).toBeUndefined();
        else {
          expect(offset).toBeGreaterThanOrEqual(Buffer.byteLength(text));
          expect(isUtf8(bytes.subarray(0, offset))).toBe(true);
          // Neither one nor up to four bytes more are whole characters.
          for (const more of [1, 2, 3, 4]) {
            const end = (offset ?? 0) + more;
            if (end <= bytes.length) expect(isUtf8(bytes.subarray(offset, end))).toBe(false);
          }
        }
      }),
    );
  });
});
