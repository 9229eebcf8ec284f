import type { ExportableDataset } from '@lcs/contract';

/** The text form of a column's values: text unchanged, integers without decimals, reals always with a decimal. */
export type ColumnKind = 'text' | 'integer' | 'real';

export interface DatasetColumn {
  readonly name: string;
  readonly kind: ColumnKind;
}

/**
 * The source of rows: `sql` runs the table or query; the others read samples in the order of time, without sorting them first.
 * `readings` of one source, `pwm` with a column for each channel, `activity` one row per unit and time, `minutes` means of that, `growth_fits` computed growth curves.
 */
export type DatasetReader =
  | { readonly is: 'sql' }
  | { readonly is: 'readings'; readonly source: string }
  | { readonly is: 'pwm'; readonly source: string }
  | { readonly is: 'activity' }
  | { readonly is: 'minutes' }
  | { readonly is: 'growth_fits'; readonly usualVolumeMl: number };

export interface Dataset {
  readonly descriptor: ExportableDataset;
  /** Columns in their order; undefined where only the database knows them. */
  readonly columns: readonly DatasetColumn[] | undefined;
  readonly reader: DatasetReader;
  /** Whether a person wrote it: its query may read the public views only. */
  readonly isForeign: boolean;
  /** The file that describes it, below the data folder; absent for built-in ones. */
  readonly file?: string;
}
