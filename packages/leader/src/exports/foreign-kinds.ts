import type { Dataset } from '../datasets/dataset.ts';
import type { ClassicConnection } from '../datasets/rows/classic-connection.ts';
import type { RowSource, SourceColumn } from '../datasets/rows/row-source.ts';

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/**
 * The columns with the common type of their values: a Parquet column has one type, and for tables and queries of
 * people only the values define it.
 */
export function foreignKinds(
  connection: ClassicConnection,
  dataset: Dataset,
  { columns }: RowSource,
): readonly SourceColumn[] {
  const unknown = columns.filter(({ kind }) => kind === 'any');
  if (unknown.length === 0) return columns;
  const terms = unknown.map(
    ({ name }) =>
      `max(case typeof(T.${quoted(name)}) when 'null' then 0 when 'integer' then 1 when 'real' then 2 else 3 end)`,
  );
  const statement = connection.prepareForeign(
    dataset.descriptor,
    (relation) => `select ${terms.join(', ')} from ${relation} T`,
  );
  statement.setReturnArrays(true);
  const [found]: readonly unknown[] = statement.all();
  const ranks = Array.isArray(found) ? found : [];
  const kinds = new Map(
    unknown.map(
      ({ name }, index) => [name, ranks[index] === 1 ? 'integer' : ranks[index] === 2 ? 'real' : 'text'] as const,
    ),
  );
  return columns.map((column) => ({ name: column.name, kind: kinds.get(column.name) ?? column.kind }));
}
