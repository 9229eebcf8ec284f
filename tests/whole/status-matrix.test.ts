import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { leaderApi, type RouteDeclaration, unitApi } from '@lcs/contract';
import { describe, expect, inject, it } from 'vitest';

interface Requirement {
  readonly route: string;
  readonly statuses: readonly number[];
}

const matrix: Requirement[] = readFileSync(new URL('../routes/status-matrix.tsv', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#') && !line.startsWith('method\t'))
  .map((line) => {
    const [method, path, success = '', errors = ''] = line.split('\t');
    const statuses = `${success} ${errors}`
      .split(/\s+/)
      .filter((word) => /^\d+$/.test(word))
      .map(Number);
    return { route: `${method} ${path}`, statuses };
  });

const declared: RouteDeclaration[] = [...Object.values(leaderApi), ...Object.values(unitApi)];

const shown = new Set(
  readdirSync(inject('observationsFolder')).flatMap((file) =>
    readFileSync(join(inject('observationsFolder'), file), 'utf8').split('\n'),
  ),
);

describe('what the tests have shown', () => {
  it('names every declared route in the status matrix, and no other', () => {
    const required = matrix.map(({ route }) => route).sort();
    expect(declared.map(({ method, path }) => `${method} ${path}`).sort()).toEqual(required);
  });

  it.each(matrix)('$route answered each required status in a test', ({ route, statuses }) => {
    const missing = statuses.filter((status) => !shown.has(`${route.replace(' ', '\t')}\t${status}`));
    expect(missing).toEqual([]);
  });
});
