import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../../../../', import.meta.url));
const tests = (lines: readonly string[]) =>
  lines.map((line) => line.split(' | ')).map((cells) => ({ fault: cells[0] ?? '', test: cells.at(-1) ?? '' }));

const rows = tests(
  readFileSync(join(root, 'docs/faults.md'), 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('| ') && !line.endsWith('| test |')),
);

/** Finds a file that the table names by its path, or by its name after an earlier path. */
function finder() {
  const known = new Map<string, string>();
  return (named: string): string => {
    if (!named.includes('/')) return known.get(named) ?? named;
    const path = named.startsWith('tests/') ? named : `packages/${named}`;
    known.set(named.slice(named.lastIndexOf('/') + 1), path);
    return path;
  };
}

/** The tests in the table: files, each with parts of titles. */
function namedTests() {
  const find = finder();
  return rows.map(({ fault, test }) => {
    const files: { readonly path: string; readonly titles: string[] }[] = [];
    for (const [, file, title] of test.matchAll(/`([^`]+\.ts)`|"([^"]+)"/g)) {
      if (file !== undefined) files.push({ path: find(file), titles: [] });
      if (title !== undefined) files.at(-1)?.titles.push(title);
    }
    return { fault, files };
  });
}

/** The titles of a file of tests: texts that are followed by a function. */
const titlesIn = (path: string): readonly string[] =>
  [...readFileSync(path, 'utf8').matchAll(/(['`])((?:(?!\1).)*)\1,\s*(?:\{[^}]*\},\s*)?(?:async\s*)?\(/g)].map(
    ([, , title = '']) => title,
  );

describe('the table of faults', () => {
  it('has rows', () => {
    expect(rows.length).toBeGreaterThan(50);
  });

  it.each(namedTests())('names tests that there are: $fault', ({ files }) => {
    expect(files).not.toEqual([]);
    for (const { path, titles } of files) {
      expect(existsSync(join(root, path)), path).toBe(true);
      expect(titles, path).not.toEqual([]);
      const there = titlesIn(join(root, path));
      for (const title of titles)
        expect(
          there.filter((one) => one.includes(title)),
          `${path}: ${title}`,
        ).not.toEqual([]);
    }
  });
});
