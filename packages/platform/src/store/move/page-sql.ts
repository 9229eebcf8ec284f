import { identifier } from '../postgres/identifier.ts';
import type { PageStart } from './move-end.ts';
import type { MovedTable } from './moved-table.ts';

export const columnsOf = ({ columns }: MovedTable): string => columns.map(({ name }) => identifier(name)).join(', ');

/** The columns of the primary key in its order; `place` counts from 1, and is 0 for other columns. */
export const keyColumns = (columns: readonly { readonly name: string; readonly place: number }[]): readonly string[] =>
  columns
    .filter(({ place }) => place > 0)
    .sort((a, b) => a.place - b.place)
    .map(({ name }) => name);

/** The next rows in the order of the key, which both engines read from its index; `places` are those of the key's values. */
export function pageSql(
  table: MovedTable,
  limit: number,
  from: PageStart | undefined,
  places: readonly string[],
): string {
  const key = table.key.map(identifier).join(', ');
  const where = from === undefined ? '' : `where (${key}) ${from.isIncluded ? '>=' : '>'} (${places.join(', ')})`;
  return `select ${columnsOf(table)} from ${identifier(table.name)} ${where} order by ${key} limit ${limit}`;
}
