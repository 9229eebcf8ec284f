import type { StorePlace } from '@lcs/platform/sql-reader';
import type { SealedFileKey } from '../sealed/reader-thread-protocol.ts';

/** What a file has of a series. */
export interface SealedSeriesSummary {
  readonly seriesId: number;
  readonly rows: number;
  readonly firstAt: number;
  readonly lastAt: number;
  readonly min: number;
  readonly max: number;
}

/** A file that a thread writes and verifies. */
export interface SealOrder {
  readonly is: 'seal';
  readonly store: StorePlace;
  readonly experimentUid: string;
  readonly month: string;
  readonly fromMs: number;
  readonly toMs: number;
  readonly version: string;
  readonly place: string;
  readonly file: string;
  /** An existing folder for files on their way. */
  readonly workFolder: string;
  readonly rowsPerGroup: number;
}

/** A file that a thread compares with the manifest. */
export interface VerifyOrder {
  readonly is: 'verify';
  readonly key: SealedFileKey;
  readonly series: readonly SealedSeriesSummary[];
  readonly workFolder: string;
}

export type ArchiveOrder = SealOrder | VerifyOrder;

/** A written and verified file. */
export interface WrittenFile {
  readonly bytes: number;
  readonly sha256: string;
  readonly rows: number;
  readonly series: readonly SealedSeriesSummary[];
}

export type ArchiveReply =
  /** Undefined: there is nothing to seal. */
  | { readonly is: 'sealed'; readonly written: WrittenFile | undefined }
  /** Undefined: it is sound. */
  | { readonly is: 'verified'; readonly fault: string | undefined }
  | { readonly is: 'failure'; readonly message: string };
