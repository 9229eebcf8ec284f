import type { ErrorParams, ExportEstimate, ExportFormat } from '@lcs/contract';
import type { StorePlace } from '@lcs/platform/sql-reader';
import type { Dataset } from '../datasets/dataset.ts';
import type { ExportLimits } from './resource-limits.ts';

/** A requested dataset that is not in the file. */
export interface SkippedDataset {
  readonly dataset_name: string;
  readonly reason: string;
}

/** Parameters of an export for its thread. */
export interface ExportOrder {
  /** Path of the file, in an existing folder. */
  readonly path: string;
  readonly format: ExportFormat;
  /** In the requested order. */
  readonly datasets: readonly Dataset[];
  readonly selected: readonly string[];
  readonly skipped: readonly SkippedDataset[];
  /** Undefined: all. */
  readonly experiments: readonly string[] | undefined;
  readonly byUnit: boolean;
  readonly byExperiment: boolean;
  readonly fromMs?: number;
  readonly toMs?: number;
  /** The leader's clock. */
  readonly nowMs: number;
  /** Zone of local times; absent: the machine's. */
  readonly timeZone?: string;
  readonly appVersion: string;
  readonly limits: ExportLimits;
}

export interface PreviewOrder {
  readonly dataset: Dataset;
  readonly rows: number;
  readonly experiment: string | undefined;
  readonly isNewestFirst: boolean;
}

/** Parameters of an estimate: as of an export. */
export interface EstimateOrder {
  readonly datasets: readonly Dataset[];
  readonly experiment: string;
  readonly format: ExportFormat;
  readonly fromMs?: number;
  readonly toMs?: number;
}

/** The size of one dataset in an export. */
export type DatasetEstimate = ExportEstimate['datasets'][number];

/** Of a dataset that could not be counted in time, or cannot be read. */
export const unknownEstimate = (dataset_name: string): DatasetEstimate => ({
  dataset_name,
  rows: null,
  bytes: null,
  zip_bytes: null,
});

/** A dataset that the database cannot read, with the reason. */
export interface RefusedDataset {
  readonly dataset: string;
  /** The file that describes it, below the data folder; absent where none does. */
  readonly file?: string;
  readonly cause: string;
}

/** The work of a dataset thread, one piece each; `check` finds the datasets that cannot be read. */
export type DatasetWork = { readonly place: StorePlace; readonly statementLimitMs: number } & (
  | { readonly is: 'export'; readonly order: ExportOrder }
  | { readonly is: 'preview'; readonly order: PreviewOrder }
  | { readonly is: 'estimate'; readonly order: EstimateOrder }
  | { readonly is: 'check'; readonly datasets: readonly Dataset[] }
);

export interface ExportedFile {
  readonly bytes: number;
  /** Of the whole file, 64 hex digits. */
  readonly sha256: string;
  readonly rowCount: number;
  /** Requested datasets that are not in it. */
  readonly skipped: readonly SkippedDataset[];
}

export type DatasetReply =
  | { readonly is: 'progress'; readonly fraction: number; readonly message: string }
  | { readonly is: 'estimate'; readonly estimate: DatasetEstimate }
  | { readonly is: 'exported'; readonly file: ExportedFile }
  | { readonly is: 'preview'; readonly rows: readonly Readonly<Record<string, unknown>>[] }
  | { readonly is: 'estimated'; readonly datasets: readonly DatasetEstimate[] }
  | { readonly is: 'checked'; readonly refused: readonly RefusedDataset[] }
  | { readonly is: 'short'; readonly params: ErrorParams<'export_short_of'> }
  | ({ readonly is: 'unreadable' } & RefusedDataset)
  | { readonly is: 'failure'; readonly message: string };
