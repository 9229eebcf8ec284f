import type { ClassicConnection } from '../datasets/rows/classic-connection.ts';
import { openRows } from '../datasets/rows/open-rows.ts';
import type { Cell } from '../datasets/rows/row-source.ts';
import type { PreviewOrder } from './export-protocol.ts';

/** A cell as JSON. */
const jsonOf = (cell: Cell): unknown => {
  if (cell instanceof Uint8Array) return Buffer.from(cell).toString('base64');
  return typeof cell === 'bigint' ? Number(cell) : cell;
};

/** Limit of characters of a preview, so that it does not delay the leader. */
const mostCharacters = 4_194_304;

const lengthOf = (cell: Cell): number => (typeof cell === 'string' || cell instanceof Uint8Array ? cell.length : 8);

/** A few rows of a stored dataset. @throws Error of the database, or when the rows are too large for a preview */
export function previewRows(
  connection: ClassicConnection,
  { dataset, rows, experiment, isNewestFirst }: PreviewOrder,
): Readonly<Record<string, unknown>>[] {
  const source = openRows(connection, dataset, {
    experiments: experiment === undefined ? undefined : [experiment],
    byExperiment: false,
    byUnit: false,
    order: isNewestFirst ? 'descending' : 'any',
    batch: rows,
  });
  const found: Readonly<Record<string, unknown>>[] = [];
  let characters = 0;
  for (const row of source.rows()) {
    characters += row.reduce((sum: number, cell) => sum + lengthOf(cell), 0);
    if (characters > mostCharacters) throw new Error(`These rows have more than ${mostCharacters} characters.`);
    found.push(Object.fromEntries(source.columns.map(({ name }, index) => [name, jsonOf(row[index] ?? null)])));
    if (found.length >= rows) break;
  }
  return found;
}
