import fc from 'fast-check';

/** Halves of pairs of UTF-16, which are no characters of their own. */
const firstHalf = 0xd800;
const halves = 0x800;

const isCharacter = (value: unknown): value is string => typeof value === 'string' && [...value].length === 1;

/**
 * Any character of Unicode, like `unit: 'binary'` of `fc.string`, which makes a table of all 1.1 million of them: seconds of processor time
 * and 100 MB in each process.
 */
export const anyCharacter = fc.integer({ min: 0, max: 0x10ffff - halves }).map(
  (place) => String.fromCodePoint(place < firstHalf ? place : place + halves),
  (value) => {
    if (!isCharacter(value)) throw new Error('not one character');
    const code = value.codePointAt(0) ?? 0;
    if (code >= firstHalf && code < firstHalf + halves) throw new Error('half of a pair');
    return code < firstHalf ? code : code - halves;
  },
);
