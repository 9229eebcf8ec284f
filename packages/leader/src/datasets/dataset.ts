import type { ExportableDataset } from '@lcs/contract';

/** How the values of a column are written: text as it is, integers plain, reals always with a decimal. */
export type ColumnKind = 'text' | 'integer' | 'real';

export interface DatasetColumn {
  readonly name: string;
  readonly kind: ColumnKind;
}

/**
 * Where rows come from: `sql` runs the table or query; the others read samples in the order of time, without sorting them
 * first. `readings` of one source, `activity` one row per unit and moment, `minutes` means of that.
 */
export type DatasetReader =
  | { readonly is: 'sql' }
  | { readonly is: 'readings'; readonly source: string }
  | { readonly is: 'activity' }
  | { readonly is: 'minutes' };

export interface Dataset {
  readonly descriptor: ExportableDataset;
  /** Columns in their order; undefined where only the database knows them. */
  readonly columns: readonly DatasetColumn[] | undefined;
  readonly reader: DatasetReader;
  /** Whether people wrote it: its query is confined to what people may read. */
  readonly isForeign: boolean;
  /** The file that describes it, below the data folder; absent where none does. */
  readonly file?: string;
}
