/** The types of columns that both engines have: `integer` is `bigint` of PostgreSQL, `real` `double precision`, `blob` `bytea`. */
export type ColumnType = 'integer' | 'real' | 'text' | 'blob';

interface MovedColumn {
  readonly name: string;
  readonly type: ColumnType;
}

export interface MovedTable {
  readonly name: string;
  readonly columns: readonly MovedColumn[];
  /** Names of the columns of the primary key, in its order. */
  readonly key: readonly string[];
  /** Tables that rows of this one refer to. */
  readonly parents: readonly string[];
}

export type MovedValue = null | number | string | Uint8Array;

/** The values in the order of the columns. */
export type MovedRow = readonly MovedValue[];

/** @throws TypeError for a value that no driver returns for these types */
function movedValue(value: unknown): MovedValue {
  if (value === undefined || value === null) return null;
  if (typeof value === 'number' || typeof value === 'string' || value instanceof Uint8Array) return value;
  throw new TypeError(`A column has a value of the type ${typeof value}, which a store does not have.`);
}

export const movedRow = ({ columns }: MovedTable, row: Readonly<Record<string, unknown>>): MovedRow =>
  columns.map(({ name }) => movedValue(row[name]));

export const keyOf = ({ columns, key }: MovedTable, row: MovedRow): MovedRow =>
  key.map((name) => row[columns.findIndex((column) => column.name === name)] ?? null);

/** Parents before their children; by name otherwise. */
export function inOrder(tables: readonly MovedTable[]): readonly MovedTable[] {
  const waiting = [...tables].sort((a, b) => (a.name < b.name ? -1 : 1));
  const ordered: MovedTable[] = [];
  while (waiting.length > 0) {
    const at = waiting.findIndex(({ name, parents }) =>
      parents.every((parent) => parent === name || !waiting.some((other) => other.name === parent)),
    );
    // Of tables that refer to each other in a circle, any is first.
    ordered.push(...waiting.splice(Math.max(0, at), 1));
  }
  return ordered;
}
