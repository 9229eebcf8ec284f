import type { Dataset, DatasetColumn } from '../dataset.ts';

/** As the database gives it. Integers may come as bigint, reals never do. */
export type Cell = string | number | bigint | null | Uint8Array;
export type DataRow = readonly Cell[];

/** Which rows, and in which order. */
export interface RowsWanted {
  /** Names; undefined: of all. Datasets without experiments give all rows. */
  readonly experiments: readonly string[] | undefined;
  /** Milliseconds since 1970 UTC, inclusive. */
  readonly fromMs?: number;
  readonly toMs?: number;
  /** Rows of an experiment stand together, then those of a unit, then comes the time. */
  readonly byExperiment: boolean;
  readonly byUnit: boolean;
  /** `ascending` and `descending` go by the dataset's own column; `any` is whatever costs least. */
  readonly order: 'ascending' | 'descending' | 'any';
  /** How many are going to be read at least: sources read about so many at a time. */
  readonly batch: number;
}

/** A column as it is read; `any` where only the values say what they are. */
export interface SourceColumn {
  readonly name: string;
  readonly kind: DatasetColumn['kind'] | 'any';
}

/** Rows of a dataset, not read before they are asked for. */
export interface RowSource {
  readonly columns: readonly SourceColumn[];
  /** About how many rows there will be; undefined when nobody knows. */
  readonly expected: number | undefined;
  rows(): Iterable<DataRow>;
}

/** Whether an export puts the rows of each unit into a file of their own. */
export const isByUnit = ({ descriptor }: Dataset, isAsked: boolean): boolean =>
  descriptor.has_unit && (isAsked || descriptor.always_partition_by_unit);
