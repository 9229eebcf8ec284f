import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { operationOf } from '../ui-contract/table.ts';
import { type Example, exampleTitle } from './example.ts';
import { leaderExamples } from './leader-data.ts';
import { taskExamples } from './tasks-data.ts';
import { unitExamples } from './unit-data.ts';

const routes = new URL('../', import.meta.url);

const files: Readonly<Record<string, readonly Example[]>> = {
  'examples/leader-examples.test.ts': leaderExamples,
  'examples/tasks-examples.test.ts': taskExamples,
  'examples/unit-examples.test.ts': unitExamples,
};

/** Lines of the list: where the example stands, its route, the file and the title of the test that shows it. */
const listed = readFileSync(new URL('examples/examples.tsv', routes), 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .slice(1)
  .map((line) => {
    const [source = '', route = '', file = '', title = ''] = line.split('\t');
    return { source, route, file, title };
  });

const routeOf = ({ request: { method, path } }: Example): string => `${method} ${path}`;

/** Of a title that a test makes of its cases, what stands before the first of them. */
const isThere = (text: string, title: string): boolean => text.includes(`'${title}'`) || text.includes(`\`${title}\``);

describe('the list of examples', () => {
  it('names tests that exist', () => {
    const missing = listed.filter(({ file, title }) => {
      const here = files[file];
      if (here !== undefined) return !here.some((example) => exampleTitle(example) === title);
      const at = new URL(file, routes);
      return !existsSync(at) || !isThere(readFileSync(at, 'utf8'), title);
    });
    expect(missing).toEqual([]);
  });

  it('has every example of this folder, and each is of a declared route', () => {
    const known = new Set(listed.map(({ source, route, file, title }) => [source, route, file, title].join('\t')));
    const wanted = Object.entries(files).flatMap(([file, examples]) =>
      examples.flatMap((example) =>
        example.sources.map((source) => [source, routeOf(example), file, exampleTitle(example)].join('\t')),
      ),
    );
    expect(wanted.filter((line) => !known.has(line))).toEqual([]);
    for (const { request } of Object.values(files).flat()) expect(operationOf(request)).toBeDefined();
  });
});
