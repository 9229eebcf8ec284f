import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

/** What `npm run build` has made. */
const dist = join(import.meta.dirname, '../../packages/web/dist');
const assets = join(dist, 'assets');
const files = readdirSync(assets);

/** A file with those that it imports at once. */
function withImports(name: string, seen: Set<string> = new Set()): ReadonlySet<string> {
  if (seen.has(name)) return seen;
  seen.add(name);
  const text = readFileSync(join(assets, name), 'utf8');
  for (const [, imported = ''] of text.matchAll(/(?:^|[;}])(?:import|export)[^;()]*?["']\.\/([\w.-]+\.js)["']/g))
    withImports(imported, seen);
  return seen;
}

/** Kilobytes of files as most browsers get them. */
function kilobytes(names: Iterable<string>): number {
  const sizes = [...names].map((name) => statSync(join(assets, files.includes(`${name}.br`) ? `${name}.br` : name)));
  return sizes.reduce((sum, { size }) => sum + size, 0) / 1000;
}

const index = readFileSync(join(dist, 'index.html'), 'utf8');
const named = (pattern: RegExp): string[] => [...index.matchAll(pattern)].map(([, name = '']) => name);
const start = new Set(named(/src="\/static\/assets\/([\w.-]+\.js)"/g).flatMap((name) => [...withImports(name)]));
const startStyles = named(/href="\/static\/assets\/([\w.-]+\.css)"/g);

const experiment = files.filter((name) => /^experiment-[\w-]{8}\.(js|css)$/.test(name));
const ofExperiment = new Set(
  experiment
    .flatMap((name) => (name.endsWith('.js') ? [...withImports(name)] : [name]))
    .filter((name) => !start.has(name)),
);

/**
 * What a page loads before it shows anything: a dialog, an editor, the words of another page and the checker of shapes belong to
 * the moment when somebody needs them (`import(…)`), and to the groups of `vite.config.ts`.
 */
it('the code of the first page, and of the first view of an experiment, stays within its budget', () => {
  expect(start.size).toBeGreaterThan(2);
  expect(kilobytes([...start, ...startStyles])).toBeLessThan(222);
  expect(experiment).toHaveLength(2);
  expect(kilobytes(ofExperiment)).toBeLessThan(77);
});

it('neither contains the checker of shapes, nor what exports a chart', () => {
  const loaded = [...start, ...ofExperiment].filter((name) => name.endsWith('.js'));
  const parts = { checker: 'additionalProperties', picture: 'http://www.w3.org/2000/svg" width' };
  for (const [, text] of Object.entries(parts)) {
    const containing = files.filter(
      (name) => name.endsWith('.js') && readFileSync(join(assets, name), 'utf8').includes(text),
    );
    expect(containing).not.toEqual([]);
    expect(containing.filter((name) => loaded.includes(name))).toEqual([]);
  }
});
