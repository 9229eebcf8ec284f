import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyIniText } from '../testing/ini-texts.ts';
import { IniUnwritable } from './ini-text.ts';
import { mergeIni } from './merge-ini.ts';
import { parseIni } from './parse-ini.ts';

const read = (text: string) => parseIni(text).document;
const afterSet = (text: string, section: string, key: string, value: string) => {
  const document = read(text);
  document.set(section, key, value);
  return document.toString();
};

describe('setting a value', () => {
  const file = '# the lab\r\n[a]\r\nrpm : 500 \r\n\r\n; of b\r\n[b]\r\nx=1';

  it('rewrites one line as key=value and keeps everything else', () => {
    expect(afterSet(file, 'a', 'rpm', '600')).toBe(file.replace('rpm : 500 ', 'rpm=600'));
    expect(afterSet(file, 'b', 'x', '2')).toBe(file.replace('x=1', 'x=2'));
  });

  it('leaves the spelling alone when the value is there already', () => {
    expect(afterSet(file, 'a', 'rpm', '500')).toBe(file);
  });

  it('adds a key behind the last one of its section, in front of the remarks to the next', () => {
    expect(afterSet(file, 'a', 'on', '1')).toBe(file.replace('500 \r\n', '500 \r\non=1\r\n'));
  });

  it('adds to the last line of a file without giving it a new end', () => {
    expect(afterSet(file, 'b', 'y', '2')).toBe(`${file}\r\ny=2`);
  });

  it('adds a section at the end, below a blank line', () => {
    expect(afterSet('[a]\nx=1\n', 'c', 'y', '2')).toBe('[a]\nx=1\n\n[c]\ny=2\n');
    expect(afterSet('[a]\n\n', 'c', 'y', '2')).toBe('[a]\n\n[c]\ny=2\n');
    expect(afterSet('', 'c', 'y', '2')).toBe('[c]\ny=2\n');
    expect(afterSet('# only this', 'c', 'y', '2')).toBe('# only this\n\n[c]\ny=2');
  });

  it('replaces all lines of a long value, keeps the comments between them, and writes long values indented', () => {
    const long = '[a]\n  list=one\n    two\n    # why three\n\n    three\n  next=1\n';
    expect(afterSet(long, 'a', 'list', 'x')).toBe('[a]\n  list=x\n    # why three\n  next=1\n');
    const written = afterSet(long, 'a', 'list', 'p\n\nq');
    expect(written).toBe('[a]\n  list=p\n\n      q\n    # why three\n  next=1\n');
    expect(read(written).view().a).toEqual(Object.assign(Object.create(null), { list: 'p\n\nq', next: '1' }));
  });

  it('keeps a key as far indented as the lines around it, which would otherwise continue its value', () => {
    expect(read(afterSet('[a]\n  x=1\n  y=2\n', 'a', 'x', '3')).get('a', 'y')).toBe('2');
    expect(read(afterSet('[a]\n  [b]\n  y=2\n', 'a', 'x', '3')).get('b', 'y')).toBe('2');
  });

  it('gives a key without value one', () => {
    expect(afterSet('[a]\nflag\n', 'a', 'flag', '1')).toBe('[a]\nflag=1\n');
  });

  it('changes the default itself only in [DEFAULT]', () => {
    const document = read('[DEFAULT]\nrpm=1\n[a]\n[b]\n');
    document.set('a', 'rpm', '2');
    document.set('DEFAULT', 'rpm', '3');
    expect(document.toString()).toBe('[DEFAULT]\nrpm=3\n[a]\nrpm=2\n[b]\n');
    expect(document.get('b', 'rpm')).toBe('3');
  });

  it('refuses what the format cannot hold, and changes nothing then', () => {
    const document = read(file);
    const refused: [string, string, string][] = [
      ['', 'k', 'v'],
      ['a]b', 'k', 'v'],
      ['a\n[b', 'k', 'v'],
      ['a', '', 'v'],
      ['a', ' k', 'v'],
      ['a', 'k=x', 'v'],
      ['a', '#k', 'v'],
      ['a', '[k]', 'v'],
      ['a', 'k', ' v'],
      ['a', 'k', 'v\n'],
      ['a', 'k', 'v\n# not a comment'],
      ['a', 'rpm', 'v\r\nw'],
      ['new', 'k', 'v '],
    ];
    for (const [section, key, value] of refused) {
      expect(() => document.set(section, key, value)).toThrow(IniUnwritable);
    }
    expect(document.toString()).toBe(file);
  });
});

describe('removing a key', () => {
  it('takes its lines out and keeps the comments', () => {
    const document = read('[a]\n# x\nx=1\n  2\n  # inside\n  3\ny=1\nx=again\n');
    expect(document.remove('a', 'x')).toBe(true);
    expect(document.toString()).toBe('[a]\n# x\n  # inside\ny=1\n');
    expect(document.remove('a', 'x')).toBe(false);
    expect(document.remove('b', 'x')).toBe(false);
  });
});

describe('merging the shared file with a unit’s own', () => {
  it('gives the own file precedence key by key', () => {
    const merged = mergeIni(read('[a]\nx=1\ny=2\n[b]\nz=3\n'), read('[a]\nx=9\n[c]\nw=4\n'));
    expect(JSON.parse(JSON.stringify(merged))).toEqual({ a: { x: '9', y: '2' }, b: { z: '3' }, c: { w: '4' } });
  });

  it('gives a section’s own key of either file precedence over the defaults of both', () => {
    const merged = mergeIni(read('[DEFAULT]\nx=1\ny=1\n[a]\nx=2\n'), read('[DEFAULT]\nx=3\ny=3\n'));
    expect(JSON.parse(JSON.stringify(merged))).toEqual({ a: { x: '2', y: '3' } });
  });

  it('cannot be made to change the prototype of objects', () => {
    const merged = mergeIni(read('[__proto__]\nx=1\n'), read('[__proto__]\ny=2\n'));
    expect(JSON.stringify(merged)).toBe('{"__proto__":{"x":"1","y":"2"}}');
    expect(Reflect.get({}, 'x')).toBeUndefined();
  });
});

describe('changes to any file', () => {
  const names = fc.constantFrom('a', 'b', 'rpm', 'new', '__proto__', 'DEFAULT');
  const line = fc.oneof(fc.constantFrom('1', '50%', '%%', '[b]', '# x', 'k=v', ''), fc.string({ maxLength: 5 }));
  const value = fc
    .array(line, { minLength: 1, maxLength: 3 })
    .map((lines) => lines.join('\n'))
    .filter((text) => {
      const lines = text.split('\n');
      const isMultiple = lines.length > 1;
      const holdsComment = lines.slice(1).some((entry) => /^[#;]/.test(entry));
      return lines.every((entry) => entry === entry.trim()) && !holdsComment && !(isMultiple && lines.at(-1) === '');
    });
  const values = (text: string) => new Map([...read(text).layer()].map(([name, keys]) => [name, new Map(keys)]));

  it('set what was to be set, and read the same afterwards in everything else', () => {
    fc.assert(
      fc.property(anyIniText, names, names, value, (text, section, key, newValue) => {
        const expected = values(text);
        expected.set(section, (expected.get(section) ?? new Map()).set(key, newValue));
        const document = read(text);
        document.set(section, key, newValue);
        expect(document.get(section, key)).toBe(newValue);
        expect(new Map(document.layer())).toEqual(expected);
        expect(values(document.toString())).toEqual(expected);
      }),
      { numRuns: 1000 },
    );
  });

  it('keep every line that does not belong to the key with its end, in its order', () => {
    fc.assert(
      fc.property(anyIniText, names, names, (text, section, key) => {
        const marker = 'a-value-like-no-other';
        const before = closedLines(text, text);
        const rest = closedLines(afterSet(text, section, key, marker), text).filter((entry) => !entry.includes(marker));
        const keys = values(text).get(section);
        if (keys?.has(key)) expect(isSubsequence(rest, before)).toBe(true);
        else if (keys !== undefined) expect(rest).toEqual(before);
        else expect(rest.slice(0, before.length)).toEqual(before);
      }),
      { numRuns: 500 },
    );
  });

  it('remove one key and nothing else', () => {
    fc.assert(
      fc.property(anyIniText, names, names, (text, section, key) => {
        const expected = values(text);
        const isThere = expected.get(section)?.delete(key) ?? false;
        const document = read(text);
        expect(document.remove(section, key)).toBe(isThere);
        expect(values(document.toString())).toEqual(expected);
      }),
      { numRuns: 1000 },
    );
  });
});

function isSubsequence(part: readonly string[], whole: readonly string[]): boolean {
  let at = 0;
  for (const entry of whole) if (entry === part[at]) at += 1;
  return at === part.length;
}

/** The lines with their ends; the last one gets an end, if it has none, as a line behind it would make necessary. */
function closedLines(text: string, original: string): string[] {
  const end = /\r?\n/.exec(original)?.[0] ?? '\n';
  if (text === '') return [];
  return (text.endsWith('\n') ? text : text + end).split(/(?<=\n)/);
}
