import { ArchiveFailed } from './archive-failed.ts';

/** Where sealed files are: a folder, or a bucket. Files have names such as `2026-08/….parquet`. */
export interface ArchiveStorage {
  /** Bytes `from` to `to`, the latter excluded. @throws ArchiveFileMissing */
  read(file: string, from: number, to: number): Promise<ArrayBuffer>;
  /** Stores a file completely or not at all; it replaces one of the same name. */
  put(file: string, localPath: string, sha256: string): Promise<void>;
  /** Copies a file to this machine. @throws ArchiveFileMissing */
  fetchTo(file: string, localPath: string): Promise<void>;
  /** A missing file is no fault. */
  remove(file: string): Promise<void>;
}

/** A sealed file that is not in its place. */
export class ArchiveFileMissing extends ArchiveFailed {
  constructor(place: string, file: string) {
    super(`The sealed file ${file} is not in ${place}.`);
  }
}
