import { setImmediate as turnOfEventLoop } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jsonInPieces } from './json-in-pieces.ts';
import { parseInPieces } from './parse-in-pieces.ts';

const outcomeOf = async (parse: () => unknown): Promise<unknown> => {
  try {
    return { value: await parse() };
  } catch (error) {
    return error instanceof SyntaxError ? 'no JSON' : error;
  }
};

/** How many other turns of the event loop there are until the work has ended. */
async function turnsDuring(work: Promise<unknown>): Promise<number> {
  let turns = 0;
  let isOver = false;
  const over = work.finally(() => {
    isOver = true;
  });
  while (!isOver) {
    await turnOfEventLoop();
    turns += 1;
  }
  await over;
  return turns;
}

describe('JSON in pieces', () => {
  it('is parsed to what JSON.parse returns, whatever the length of a piece', async () => {
    await fc.assert(
      fc.asyncProperty(fc.json({ maxDepth: 4 }), fc.integer({ min: 1, max: 40 }), async (text, pieceLength) => {
        expect(await parseInPieces(text, pieceLength)).toEqual(JSON.parse(text));
        const indented = JSON.stringify(JSON.parse(text), null, 2);
        expect(await parseInPieces(indented, pieceLength)).toEqual(JSON.parse(text));
      }),
    );
  });

  it('is refused where JSON.parse refuses it', async () => {
    const broken = fc
      .tuple(fc.json({ maxDepth: 4 }), fc.nat(), fc.constantFrom(...',:[]{}"\\ 1e', ''), fc.boolean())
      .map(([text, at, character, replaces]) => {
        const position = at % (text.length + 1);
        return text.slice(0, position) + character + text.slice(position + (replaces ? 1 : 0));
      });
    await fc.assert(
      fc.asyncProperty(broken, fc.integer({ min: 1, max: 10 }), async (text, pieceLength) => {
        expect(await outcomeOf(() => parseInPieces(text, pieceLength))).toEqual(
          await outcomeOf(() => JSON.parse(text)),
        );
      }),
      { numRuns: 500 },
    );
  });

  it('keeps names of the prototype as names like any other', async () => {
    const value: unknown = await parseInPieces('{"__proto__": [1, 2, 3, 4], "a": 1}', 4);
    expect(Object.entries(Object(value))).toEqual([
      ['__proto__', [1, 2, 3, 4]],
      ['a', 1],
    ]);
  });

  it('is written as JSON.stringify writes it', async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), fc.integer({ min: 0, max: 5 }), async (value, levels) => {
        expect(await jsonInPieces(value, levels)).toBe(JSON.stringify(value));
      }),
    );
    expect(await jsonInPieces({ a: undefined, b: [undefined] }, 2)).toBe('{"b":[null]}');
  });

  it('yields to other work between the pieces', async () => {
    const value = { a: Array.from({ length: 200_000 }, (_, index) => index), b: 'x'.repeat(200_000) };
    const text = JSON.stringify(value);
    expect(await turnsDuring(parseInPieces(text))).toBeGreaterThan(10);
    expect(await turnsDuring(jsonInPieces(value, 2))).toBeGreaterThan(10);
    expect(await turnsDuring(parseInPieces('[1]'))).toBeLessThan(3);
  });
});
