import type { BulkStatement } from '@lcs/platform';
import type { StorePlace } from '@lcs/platform/sql-reader';

/** What the thread reads, and where to. */
export interface ImportOrder {
  readonly sourcePath: string;
  /** Nothing else writes the file, and it has no write-ahead log beside it. */
  readonly isImmutable: boolean;
  readonly place: StorePlace;
  readonly isDryRun: boolean;
  readonly nowMs: number;
  /** Name of the leader: the unit of rows without one. */
  readonly leader: string;
}

/** A row of a small table; text that is too long, and anything that is not text, is null. */
export type ClusterRow = Readonly<Record<string, string | null>>;

/** The small tables of the source, and names of all. */
export interface SourceContents {
  readonly tables: readonly { readonly name: string; readonly columns: readonly string[] }[];
  readonly cluster: Readonly<Record<string, readonly ClusterRow[]>>;
  /** Rows of its small tables beyond those that are read. */
  readonly beyond: Readonly<Record<string, number>>;
}

/** The place of an experiment of the source. */
export interface ImportTarget {
  /** Its name in the source. */
  readonly sourceName: string;
  /** Its name here. */
  readonly name: string;
  /** 0 in a dry run. */
  readonly id: number;
  readonly uid: string;
  /** What earlier runs have stored. */
  readonly marks: readonly ImportMark[];
}

/** Up to which row a table of readings of an experiment is stored. */
export interface ImportMark {
  readonly table: string;
  readonly rowId: number;
  readonly rows: number;
}

export interface Skipped {
  readonly reason: string;
  readonly rows: number;
}

/** The outcome of a table of readings, events or log entries. */
export interface TableOutcome {
  readonly table: string;
  readonly rows: number;
  readonly imported: number;
  readonly skipped: readonly Skipped[];
  /** Number of values, or of rows of events, that the store must contain, and their checksum. */
  readonly values: number;
  readonly checksum: string;
  /** Read back from the store; null: dry run. */
  readonly storedValues: number | null;
  readonly storedChecksum: string | null;
  /** Why the table was not read to its end. */
  readonly fault: string | null;
}

/** Of an experiment, after all tables. */
export interface ExperimentOutcome {
  readonly id: number;
  readonly sourceName: string;
  readonly rows: number;
  /** Time of its last row; null: none. */
  readonly lastAt: number | null;
}

/** A series that the following batches refer to by its position. */
export interface ImportSeries {
  readonly experimentUid: string;
  readonly unit: string;
  readonly source: string;
  readonly channel: string | null;
  readonly angle: number | null;
  readonly isDerived: boolean;
}

export type ImportReply =
  | { readonly is: 'contents'; readonly contents: SourceContents }
  | { readonly is: 'progress'; readonly fraction: number; readonly message: string }
  | {
      readonly is: 'readings';
      readonly table: string;
      /** Only those that are new since the batch before. */
      readonly newSeries: readonly ImportSeries[];
      readonly series: Uint32Array;
      readonly at: Float64Array;
      readonly values: Float64Array;
      readonly marks: readonly (ImportMark & { readonly experimentId: number })[];
    }
  | {
      readonly is: 'records';
      readonly statements: readonly BulkStatement[];
      readonly experimentUids: readonly string[];
    }
  | { readonly is: 'unit'; readonly unit: string }
  | {
      readonly is: 'done';
      readonly tables: readonly TableOutcome[];
      /** Rows of the tables that are not read; null: it is damaged. */
      readonly otherTables: readonly { readonly table: string; readonly rows: number | null }[];
      readonly experiments: readonly ExperimentOutcome[];
    }
  | { readonly is: 'failure'; readonly message: string };

/** To the thread: where the experiments go, or that a batch is stored. */
export type ImportRequest =
  | {
      readonly is: 'targets';
      readonly targets: readonly ImportTarget[];
    }
  /** Whether a unit may have this name. */
  | { readonly is: 'unit'; readonly isAccepted: boolean }
  | { readonly is: 'stored' };
