import type { ErrorParams, ExportFormat } from '@lcs/contract';
import type { Dataset } from '../datasets/dataset.ts';
import type { ExportLimits } from './resource-limits.ts';

/** A dataset that was asked for and is not in the file. */
export interface SkippedDataset {
  readonly dataset_name: string;
  readonly reason: string;
}

/** What an export is about; everything that the thread needs. */
export interface ExportOrder {
  /** Where the file goes: a name in a folder that is there. */
  readonly path: string;
  readonly format: ExportFormat;
  /** In the order in which they were asked for. */
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
  /** Of local times; absent: that of the machine. */
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

/** A dataset that the database does not read, and why. */
export interface RefusedDataset {
  readonly dataset: string;
  /** The file that describes it, below the data folder; absent where none does. */
  readonly file?: string;
  readonly cause: string;
}

/** What a thread of datasets is started for: one piece of work each; `check` looks which of them cannot be read. */
export type DatasetWork = { readonly databasePath: string } & (
  | { readonly is: 'export'; readonly order: ExportOrder }
  | { readonly is: 'preview'; readonly order: PreviewOrder }
  | { readonly is: 'check'; readonly datasets: readonly Dataset[] }
);

export interface ExportedFile {
  readonly bytes: number;
  /** Of the whole file, 64 hex digits. */
  readonly sha256: string;
  readonly rowCount: number;
  /** What was asked for and is not in it. */
  readonly skipped: readonly SkippedDataset[];
}

export type DatasetReply =
  | { readonly is: 'progress'; readonly fraction: number; readonly message: string }
  | { readonly is: 'exported'; readonly file: ExportedFile }
  | { readonly is: 'preview'; readonly rows: readonly Readonly<Record<string, unknown>>[] }
  | { readonly is: 'checked'; readonly refused: readonly RefusedDataset[] }
  | { readonly is: 'short'; readonly params: ErrorParams<'export_short_of'> }
  | ({ readonly is: 'unreadable' } & RefusedDataset)
  | { readonly is: 'failure'; readonly message: string };
