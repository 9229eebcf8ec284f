import type { PreviewOrder } from '../export/export-protocol.ts';
import type { ClassicConnection } from './rows/classic-connection.ts';
import { openRows } from './rows/open-rows.ts';
import type { Cell } from './rows/row-source.ts';

/** A cell as JSON can say it. */
const jsonOf = (cell: Cell): unknown => {
  if (cell instanceof Uint8Array) return Buffer.from(cell).toString('base64');
  return typeof cell === 'bigint' ? Number(cell) : cell;
};

/** A few rows of a dataset as it is stored. @throws Error of the database */
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
  for (const row of source.rows()) {
    found.push(Object.fromEntries(source.columns.map(({ name }, index) => [name, jsonOf(row[index] ?? null)])));
    if (found.length >= rows) break;
  }
  return found;
}
