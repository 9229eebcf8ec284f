import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jsonFaultOffset, lineAndColumn } from './json-syntax.ts';

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

describe('jsonFaultOffset', () => {
  it('finds nothing in any JSON', () => {
    fc.assert(
      fc.property(fc.json(), fc.constantFrom(0, 1, 2), (text, indent) => {
        expect(jsonFaultOffset(JSON.stringify(JSON.parse(text), null, indent))).toBeUndefined();
      }),
    );
  });

  it('agrees with JSON.parse on texts that are almost JSON', () => {
    const almost = fc
      .tuple(
        fc.json(),
        fc.nat(),
        fc.constantFrom(
          '',
          ',',
          '}',
          ']',
          '"',
          '\\',
          '{',
          '[',
          ':',
          '0',
          '-',
          '.',
          'e',
          'nul',
          '\u0001',
          '\n',
          '\u00a0',
          '\\u12',
        ),
      )
      .map(([text, at, piece]) => {
        const position = at % (text.length + 1);
        return text.slice(0, position) + piece + text.slice(position + (at % 2));
      });
    fc.assert(
      fc.property(almost, (text) => {
        expect(jsonFaultOffset(text) === undefined).toBe(isJson(text));
      }),
      { numRuns: 2000 },
    );
  });

  it('agrees with JSON.parse on noise made of its signs', () => {
    const noise = fc.array(fc.constantFrom(...'{}[]:,"\\ \n0123456789-+.eEtrufalsn')).map((signs) => signs.join(''));
    fc.assert(
      fc.property(noise, (text) => {
        expect(jsonFaultOffset(text) === undefined).toBe(isJson(text));
      }),
      { numRuns: 2000 },
    );
  });

  it('never points before a part that any continuation could make good', () => {
    fc.assert(
      fc.property(fc.json(), fc.nat(), (text, at) => {
        const cut = text.slice(0, at % (text.length + 1));
        const offset = jsonFaultOffset(cut);
        if (offset === undefined) return;
        // Words and exponents are faults from their first sign on.
        expect(cut.slice(offset)).toMatch(/^(|-|[eE.].*|[a-z]+|u[0-9a-fA-F]*|\\.*)$/);
      }),
    );
  });
});

describe('lineAndColumn', () => {
  it('counts both from 1', () => {
    expect(lineAndColumn('', 0)).toBe('line 1, column 1');
    expect(lineAndColumn('a\nbc\nd', 4)).toBe('line 2, column 3');
    expect(lineAndColumn('a\nbc\nd', 5)).toBe('line 3, column 1');
  });
});
