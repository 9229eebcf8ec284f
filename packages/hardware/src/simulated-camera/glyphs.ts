/** Digits and signs of a time stamp, three dots wide and five high, row by row. */
const glyphs: Readonly<Record<string, readonly string[]>> = {
  0: ['###', '#.#', '#.#', '#.#', '###'],
  1: ['.#.', '##.', '.#.', '.#.', '###'],
  2: ['###', '..#', '###', '#..', '###'],
  3: ['###', '..#', '.##', '..#', '###'],
  4: ['#.#', '#.#', '###', '..#', '..#'],
  5: ['###', '#..', '###', '..#', '###'],
  6: ['###', '#..', '###', '#.#', '###'],
  7: ['###', '..#', '..#', '.#.', '.#.'],
  8: ['###', '#.#', '###', '#.#', '###'],
  9: ['###', '#.#', '###', '..#', '###'],
  ':': ['...', '.#.', '...', '.#.', '...'],
  '-': ['...', '...', '###', '...', '...'],
  '.': ['...', '...', '...', '...', '.#.'],
  T: ['###', '.#.', '.#.', '.#.', '.#.'],
  Z: ['###', '..#', '.#.', '#..', '###'],
};

const cellWidth = 4;

/** Calls `dot` for each dot of the text, in dots from its upper left corner. Signs that are not known stay empty. */
export function writeText(text: string, dot: (x: number, y: number) => void): void {
  for (const [index, sign] of [...text].entries()) {
    for (const [y, row] of (glyphs[sign] ?? []).entries()) {
      for (const [x, mark] of [...row].entries()) if (mark === '#') dot(index * cellWidth + x, y);
    }
  }
}
