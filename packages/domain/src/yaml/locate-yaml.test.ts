import { describe, expect, it, vi } from 'vitest';
import { Alias } from 'yaml';
import { locateYaml } from './locate-yaml.ts';
import { readYaml, YamlError } from './read-yaml.ts';

const lines = (count: number, line: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => line(index)).join('\n');

/** Each alias stands for ten of the one above: ten thousand million values in ten lines. */
const bomb = ['a0: &a0 1', ...Array.from({ length: 10 }, (_, n) => `a${n + 1}: &a${n + 1} [${`*a${n},`.repeat(10)}]`)];

describe('limits of YAML', () => {
  it.each([
    ['more aliases than anybody writes', `a: &a 1\n${lines(8000, (index) => `k${index}: *a`)}`],
    ['aliases of aliases', bomb.join('\n')],
    ['an alias of the list that it is in', 'a: &a [*a]'],
    ['nested lists', '['.repeat(60) + ']'.repeat(60)],
    ['nested maps', lines(60, (index) => `${' '.repeat(index)}a:`)],
    ['a long key', `? ${'a.'.repeat(2000)}\n: 1`],
    ['a long text', `# ${'x'.repeat(300_000)}`],
  ])('are a fault of the text: %s', (_, text) => {
    expect(locateYaml(text).fault?.code).toBe('yaml.limit');
  });

  it.each(['[', '{', '- ', '? ', '{a: '])('hold for 20,000 times %j', (text) => {
    expect(locateYaml(text.repeat(20_000)).fault).toBeDefined();
  });

  it('resolves an alias to the last anchor before it', () => {
    expect(readYaml('a: &x 1\nb: *x\nc: &x 2\nd: *x\ne: [&y [*x], *y]').value).toEqual({
      a: 1,
      b: 1,
      c: 2,
      d: 2,
      e: [[2], [2]],
    });
    expect(() => readYaml('a: *x\nb: &x 1')).toThrow(YamlError);
  });

  it('reads a thousand aliases among ten thousand anchors without reading the text again for each', () => {
    const anchors = lines(10_000, (index) => `- &a${index} 1`);
    // The library's own search walks the whole text for each alias.
    using resolve = vi.spyOn(Alias.prototype, 'resolve');
    const { fault } = locateYaml(`${anchors}\n${lines(1000, (index) => `- *a${index * 10}`)}`);
    expect(fault).toBeUndefined();
    expect(resolve).not.toHaveBeenCalled();
  });

  it('takes names of the prototype for names like any other', () => {
    const { value } = readYaml('__proto__: {a: 1}\nconstructor: 2');
    expect(Object.entries(Object(value))).toEqual([
      ['__proto__', { a: 1 }],
      ['constructor', 2],
    ]);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  });

  it('finds a key that occurs twice among many', () => {
    const text = lines(5000, (index) => `k${index % 4999}: 1`);
    expect(locateYaml(text).fault).toMatchObject({ code: 'schema.duplicate', at: { line: 5000, column: 1 } });
  });

  it('returns the position of a part', () => {
    const { place } = readYaml('a:\n  b:\n    - 1\n    - 2\n');
    expect(place(['a', 'b', 1])).toEqual({ line: 4, column: 7 });
    expect(place(['a', 'c'])).toEqual({ line: 2, column: 3 });
  });
});
