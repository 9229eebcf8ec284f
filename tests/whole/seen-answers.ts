import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Api, leaderApi, type RouteDeclaration, unitApi } from '@lcs/contract';
import type { AnswerStage } from '@lcs/testkit';

/** What must have been seen of a route. */
export interface Requirement {
  /** `GET /api/units` */
  readonly route: string;
  readonly statuses: readonly number[];
}

const rowsOf = (file: string): readonly (readonly string[])[] =>
  readFileSync(new URL(file, import.meta.url), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#') && !line.startsWith('method\t'))
    .map((line) => line.split('\t'));

/** Which statuses each route must have shown: kept by hand. */
export const matrix: readonly Requirement[] = rowsOf('../routes/status-matrix.tsv').map(
  ([method, path, success = '', errors = '']) => ({
    route: `${method} ${path}`,
    statuses: `${success} ${errors}`
      .split(/\s+/)
      .filter((word) => /^\d+$/.test(word))
      .map(Number),
  }),
);

/** The routes that the specification lists, in its order. */
export const specified = rowsOf('../routes/specification-routes.tsv').map(
  ([method = '', path = '', section = '', group = '']) => ({ route: `${method} ${path}`, section, group }),
);

export interface DeclaredRoute {
  readonly operation: string;
  readonly route: string;
  readonly declaration: RouteDeclaration;
}

const declarations: Api = { ...leaderApi, ...unitApi };

export const declared: readonly DeclaredRoute[] = Object.entries(declarations).map(([operation, declaration]) => ({
  operation,
  route: `${declaration.method} ${declaration.path}`,
  declaration,
}));

/** What servers have answered, and what tests have asserted, in this run. */
export function answersSeen(folder: string): (how: AnswerStage, route: string) => readonly number[] {
  const seen = new Map<string, Set<number>>();
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.tsv'))) {
    for (const line of readFileSync(join(folder, file), 'utf8').split('\n')) {
      const [how, method, path, status] = line.split('\t');
      const key = `${how} ${method} ${path}`;
      seen.set(key, (seen.get(key) ?? new Set()).add(Number(status)));
    }
  }
  return (how, route) => [...(seen.get(`${how} ${route}`) ?? [])].sort((a, b) => a - b);
}
