import { toTimestamp } from '@lcs/platform';
import { cellText, endOfRow, headerRow } from '../exports/csv-text.ts';
import type { AuditRecord } from './audit-entry.ts';
import { auditColumns } from './store-entries.ts';

const text = cellText('any');

const csvRow = (record: AuditRecord): string =>
  [toTimestamp(record.at), ...auditColumns.map((column) => record[column])]
    .map((cell) => (typeof cell === 'number' ? String(cell) : text(cell)))
    .join(',') + endOfRow;

const jsonLine = (record: AuditRecord): string =>
  `${JSON.stringify({ timestamp: toTimestamp(record.at), ...record })}\n`;

/** The entries as a file, in pieces: CSV that no spreadsheet runs as a formula, or JSON Lines. */
export async function* auditFile(
  pages: AsyncIterable<readonly AuditRecord[]>,
  format: 'csv' | 'json',
): AsyncGenerator<string> {
  if (format === 'csv') yield headerRow(['timestamp', ...auditColumns]);
  const row = format === 'csv' ? csvRow : jsonLine;
  for await (const page of pages) yield page.map(row).join('');
}
