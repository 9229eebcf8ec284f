import type { Dataset, DatasetColumn } from '../dataset.ts';
import type { MergedBlock } from './merge.ts';

/** As the database returns it. Integers may be bigint, reals never are. */
export type Cell = string | number | bigint | null | Uint8Array;
export type DataRow = readonly Cell[];

/** The requested rows, and their order. */
export interface RowSelection {
  /** Names; undefined: all. Datasets without experiments return all rows. */
  readonly experiments: readonly string[] | undefined;
  /** Milliseconds since 1970 UTC, inclusive. */
  readonly fromMs?: number;
  readonly toMs?: number;
  /** Rows are ordered by experiment, then by unit, then by time. */
  readonly byExperiment: boolean;
  readonly byUnit: boolean;
  /** `ascending` and `descending` refer to the dataset's own column; `any` is the cheapest order. */
  readonly order: 'ascending' | 'descending' | 'any';
  /** The least number of rows that will be read: sources read about so many at a time. */
  readonly batch: number;
}

/** A column as read; `any` where only the values define the type. */
export interface SourceColumn {
  readonly name: string;
  readonly kind: DatasetColumn['kind'] | 'any';
}

/** Samples of one source, for a file format that writes them without creating rows. */
export interface SampleSource {
  /** Columns of the time and of the value; the other cells of a row are the same for all samples of a series. */
  readonly timeIndex: number;
  readonly valueIndex: number;
  /** In the order of the rows; blocks of one group (experiment, unit) follow each other. */
  blocks(): Iterable<MergedBlock<DataRow>>;
}

/** Rows of a dataset, read on demand. */
export interface RowSource {
  readonly columns: readonly SourceColumn[];
  /** The approximate number of rows; undefined when it is unknown. */
  readonly expected: number | undefined;
  rows(): Iterable<DataRow>;
  /** The same as samples, if the dataset consists of samples. */
  readonly samples?: SampleSource;
}

/** Whether an export writes the rows of each unit into a separate file. */
export const isByUnit = ({ descriptor }: Dataset, isAsked: boolean): boolean =>
  descriptor.has_unit && (isAsked || descriptor.always_partition_by_unit);
