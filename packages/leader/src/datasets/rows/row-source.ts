import type { Dataset, DatasetColumn } from '../dataset.ts';
import type { MergedBlock } from './merge.ts';

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

/** Samples of one source, for a file format that writes them without making rows of them. */
export interface SampleSource {
  /** Columns of the moment and of the value; the other cells of a row are the same for all samples of a series. */
  readonly timeIndex: number;
  readonly valueIndex: number;
  /** In the order of the rows; blocks of one group (experiment, unit) follow each other. */
  blocks(): Iterable<MergedBlock<DataRow>>;
}

/** Rows of a dataset, not read before they are asked for. */
export interface RowSource {
  readonly columns: readonly SourceColumn[];
  /** About how many rows there will be; undefined when nobody knows. */
  readonly expected: number | undefined;
  rows(): Iterable<DataRow>;
  /** The same without rows, where the dataset is made of samples. */
  readonly samples?: SampleSource;
}

/** Whether an export puts the rows of each unit into a file of their own. */
export const isByUnit = ({ descriptor }: Dataset, isAsked: boolean): boolean =>
  descriptor.has_unit && (isAsked || descriptor.always_partition_by_unit);
