import type { DatasetPreview, ExportableDataset } from '@lcs/contract';

/** A column of a preview. */
export interface PreviewColumn {
  readonly name: string;
  /** Empty: it has none. */
  readonly unit: string;
  readonly description: string;
}

/** The columns of some rows, in the order in which they appear. */
export function previewColumns(
  rows: DatasetPreview,
  {
    column_units,
    column_descriptions,
    timestamp_columns,
  }: Pick<ExportableDataset, 'column_units' | 'column_descriptions' | 'timestamp_columns'>,
): readonly PreviewColumn[] {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  return names.map((name) => ({
    name,
    // The rows are those of the files, whose times are not local.
    unit: column_units[name] ?? (timestamp_columns.includes(name) ? 'UTC' : ''),
    description: column_descriptions[name] ?? '',
  }));
}

/** The columns of the files that a preview does not have: an export adds them. */
export const addedColumns = (
  columns: readonly PreviewColumn[],
  { column_descriptions }: Pick<ExportableDataset, 'column_descriptions'>,
): readonly Pick<PreviewColumn, 'name' | 'description'>[] =>
  Object.entries(column_descriptions).flatMap(([name, description]) =>
    columns.some((column) => column.name === name) ? [] : [{ name, description }],
  );

/** A value of a cell; what has no value is empty. */
export function cellText(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
