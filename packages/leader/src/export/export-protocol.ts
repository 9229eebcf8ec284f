import type { ErrorParams, ExportFormat } from '@lcs/contract';
import type { CalibrationRow } from '../datasets/calibration-rows.ts';
import type { Dataset } from '../datasets/dataset.ts';
import type { ExportLimits } from './room-guard.ts';

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
  readonly calibrations: readonly CalibrationRow[];
}

export interface PreviewOrder {
  readonly dataset: Dataset;
  readonly rows: number;
  readonly experiment: string | undefined;
  readonly isNewestFirst: boolean;
  readonly calibrations: readonly CalibrationRow[];
}

/** What a thread of datasets is started for: one piece of work each. */
export type DatasetWork = { readonly databasePath: string } & (
  | { readonly is: 'export'; readonly order: ExportOrder }
  | { readonly is: 'preview'; readonly order: PreviewOrder }
);

export interface ExportedFile {
  readonly bytes: number;
  /** Of the whole file, 64 hex digits. */
  readonly sha256: string;
  readonly rowCount: number;
}

export type DatasetReply =
  | { readonly is: 'progress'; readonly fraction: number; readonly message: string }
  | { readonly is: 'exported'; readonly file: ExportedFile }
  | { readonly is: 'preview'; readonly rows: readonly Readonly<Record<string, unknown>>[] }
  | { readonly is: 'short'; readonly params: ErrorParams<'export_short_of'> }
  | { readonly is: 'unreadable'; readonly dataset: string; readonly cause: string }
  | { readonly is: 'failure'; readonly message: string };
