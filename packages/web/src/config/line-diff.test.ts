import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type DiffLine, diffCounts, diffParts, lineDiff } from './line-diff.ts';

const glyph = { same: ' ', removed: '-', added: '+' };
const shown = (lines: readonly DiffLine[]): readonly string[] => lines.map(({ kind, text }) => glyph[kind] + text);
const textOf = (lines: readonly DiffLine[], other: DiffLine['kind']): string =>
  lines.flatMap(({ kind, text }) => (kind === other ? [] : [text])).join('\n');

describe('the comparison of two texts', () => {
  it('shows a changed line as removed and added, with its numbers in both texts', () => {
    const lines = lineDiff('[a]\nx=1\ny=2', '[a]\nnew=0\nx=3\ny=2');
    expect(shown(lines)).toEqual([' [a]', '-x=1', '+new=0', '+x=3', ' y=2']);
    expect(lines.at(-1)).toEqual({ kind: 'same', text: 'y=2', before: 3, after: 4 });
    expect(diffCounts(lines)).toEqual({ added: 2, removed: 1 });
  });

  it('of equal texts has no parts', () => {
    expect(diffParts(lineDiff('a\nb', 'a\nb'))).toEqual([]);
  });

  it('shows three lines around each change, and what is near to each other as one part', () => {
    const before = Array.from({ length: 30 }, (_, index) => `l${index}`);
    const after = before.map((line, index) => ([4, 9, 25].includes(index) ? `${line}!` : line));
    const parts = diffParts(lineDiff(before.join('\n'), after.join('\n')));
    expect(parts.map((part) => [part[0]?.text, part.at(-1)?.text])).toEqual([
      ['l1', 'l12'],
      ['l22', 'l28'],
    ]);
  });

  it('contains both texts, in their order and with their line numbers', () => {
    const text = fc.array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 12 }).map((lines) => lines.join('\n'));
    fc.assert(
      fc.property(text, text, (before, after) => {
        const lines = lineDiff(before, after);
        expect(textOf(lines, 'added')).toBe(before);
        expect(textOf(lines, 'removed')).toBe(after);
        for (const line of lines) {
          if (line.kind !== 'added') expect(before.split('\n')[line.before - 1]).toBe(line.text);
          if (line.kind !== 'removed') expect(after.split('\n')[line.after - 1]).toBe(line.text);
        }
        const { added, removed } = diffCounts(diffParts(lines).flat());
        expect({ added, removed }).toEqual(diffCounts(lines));
      }),
    );
  });

  it('of two quite different texts of the largest size is one replacement', () => {
    const lines = lineDiff('a\n'.repeat(5000), 'b\n'.repeat(5000));
    expect(diffCounts(lines)).toEqual({ added: 5000, removed: 5000 });
  });
});
